/**
 * Reads a recording as pawl does: by the decoders of the client, and by the verifier. Names the
 * subscriptions that the run could not cancel.
 */
import type { Switches } from "@pawl/core/Profile"
import { findToken } from "@pawl/http/internal/token/TokenResponse"
import * as Endpoint from "@pawl/http/internal/wire/Endpoint"
import * as Operation from "@pawl/http/internal/wire/Operation"
import { isTyped } from "@pawl/webhook/internal/verify/Reading"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { Check } from "../../Doctor.ts"
import {
  type Exchange,
  find,
  isSuccess,
  json,
  member,
  type ReceivedCallback,
  type Recording,
  text
} from "./Recording.ts"

/**
 * The operations of a run and their exchanges: one has to succeed, and the first that did is read.
 */
const operations: ReadonlyArray<
  readonly [endpoint: Operation.Endpoint<unknown>, ...names: ReadonlyArray<string>]
> = [
  [Endpoint.createApmPayment, "payment"],
  [Endpoint.readApmPaymentStatus, "payment.status"],
  [Endpoint.createApmPayout, "payout", "payout.without-ssn", "payout.without", "payout.bare"],
  [Endpoint.readApmPayout, "payout.info"],
  [Endpoint.createPaymentIntent, "page"],
  [Endpoint.createCardPayment, "card-payment"],
  [Endpoint.readCardPaymentStatus, "card-payment.status"],
  [Endpoint.createRefund, "refund"],
  [Endpoint.readRefund, "refund.info"],
  [Endpoint.createCardPayout, "card-payout", "card-payout.plain"],
  [Endpoint.readCardPayout, "card-payout.info"],
  [Endpoint.tokenizeCard, "card-token"],
  [Endpoint.createSubscription, "subscription"],
  [Endpoint.readSubscription, "subscription.read"]
]

const utf8 = new TextEncoder()

const problemOf = (
  endpoint: Operation.Endpoint<unknown>,
  { body, headers, name, status }: Exchange,
  { baseUrl, run }: Recording
): string | undefined => {
  const { fromResponse } = Operation.make(endpoint, { baseUrl, headers: {} })
  const requestId = `doctor-${run}-${name}`
  const ids = endpoint.method === "POST" ? { requestId } : {}
  const read = Effect.runSync(
    Effect.result(fromResponse({ status, headers, body: utf8.encode(body) }, ids))
  )
  return Result.isFailure(read) ? read.failure.message : undefined
}

const tokenProblem = ({ body }: Exchange, { tokenField }: Pick<Switches, "tokenField">) =>
  // The token itself is not recorded.
  findToken(utf8.encode(body.replaceAll(/<token[^>]*>/gu, "token")), tokenField) === undefined
    ? "the access token is in no field that pawl reads"
    : undefined

const callbackProblem = (
  callback: ReceivedCallback,
  recording: Recording,
  switches: Switches
): string | undefined => {
  const { body, contentType, name, refused } = callback
  if (refused !== undefined) return refused
  if (!isTyped(contentType, switches)) return "the content type is not JSON"
  const id = text(json(body), "transactionId") ?? ""
  const created = ["transactionId", "refundId"].map((field) => member(recording, name, field))
  const own = [
    ...created,
    ...(name === "refund" ? [member(recording, "card-payment", "transactionId")] : [])
  ]
  // The charges of a subscription have ids of their own.
  return created.every(Predicate.isUndefined) || name === "subscription" || own.includes(id)
    ? undefined
    : "it names another transaction"
}

/** The last change that succeeded has to be a cancellation. */
const endOf =
  (recording: Recording) =>
  (name: string): ReadonlyArray<Check> => {
    const id = member(recording, name, "subscriptionId")
    const last = recording.exchanges.findLast(
      (exchange) =>
        exchange.name.startsWith(`${name}.`) && exchange.method !== "GET" && isSuccess(exchange)
    )
    return id === undefined || last?.method === "DELETE"
      ? []
      : [
          {
            subject: `end of ${name}`,
            problem: `${id} may still charge its card, so cancel it`
          }
        ]
  }

export const all = (recording: Recording, switches: Switches): ReadonlyArray<Check> => {
  const auth = find(recording, "auth")
  const responses = operations.flatMap(([endpoint, ...names]): ReadonlyArray<Check> => {
    const found = names.flatMap((name) =>
      Option.toArray(Option.fromUndefinedOr(find(recording, name)))
    )
    const [first] = found
    if (first === undefined) return []
    const success = found.find(isSuccess)
    const problem =
      success === undefined
        ? `the service answered ${first.status}`
        : problemOf(endpoint, success, recording)
    return [{ subject: `response to ${(success ?? first).name}`, problem }]
  })
  const callbacks = Map.groupBy(recording.callbacks, ({ name }) => name)
  return [
    ...(auth === undefined
      ? []
      : [{ subject: "response to auth", problem: tokenProblem(auth, switches) }]),
    ...responses,
    ...["subscription", "trial"].flatMap(endOf(recording)),
    ...Array.from(callbacks, ([name, each]) => ({
      subject: `${each.length === 1 ? "callback" : `${each.length} callbacks`} of ${name || "an unknown transaction"}`,
      problem: each
        .map((one) => callbackProblem(one, recording, switches))
        .find((one) => one !== undefined)
    }))
  ]
}
