import type { HostedPage, PaymentIntentResponse } from "@pawl/core/PaymentIntent"
import {
  Declined,
  type DeclinedAs,
  IntentRejected,
  OutcomeUnknown,
  type ReadError,
  UnexpectedResponse,
  ValidationFailed
} from "@pawl/core/PaymentsError"
import * as RequestId from "@pawl/core/internal/RequestId"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Layer from "effect/Layer"
import * as References from "effect/References"
import * as Result from "effect/Result"
import { ApmPayments } from "../../ApmPayments.ts"
import { ApmPayouts } from "../../ApmPayouts.ts"
import type { CallOptions, CreateOptions } from "../../CallOptions.ts"
import { CardPayments } from "../../CardPayments.ts"
import { CardPayouts } from "../../CardPayouts.ts"
import { PaymentIntents } from "../../PaymentIntents.ts"
import { Refunds } from "../../Refunds.ts"
import { Subscriptions } from "../../Subscriptions.ts"
import * as Endpoint from "../wire/Endpoint.ts"
import * as ErrorResponse from "../wire/ErrorResponse.ts"
import { spanned } from "../wire/Observed.ts"
import type * as Operation from "../wire/Operation.ts"
import * as Response from "../wire/Response.ts"
import { Caller, type Decide } from "./Caller.ts"

interface CreateFields {
  readonly requestId: string
}

export const layer = Layer.effectContext(
  Effect.map(Caller, (caller) => {
    const create =
      <Input extends Partial<CreateFields>, Response, A, E>(
        name: string,
        endpoint: Operation.Endpoint<Response>,
        decide: Decide<Response, A, E>,
        toPayload: (fields: Input & CreateFields) => CreateFields = identity
      ) =>
      (input: Input, options?: CreateOptions): Effect.Effect<A, ReadError | OutcomeUnknown | E> => {
        const made = RequestId.ofInput(input, options)
        return traced(name)(() =>
          Effect.flatMap(made, (requestId) =>
            requestId === (options?.requestId ?? requestId)
              ? caller.create(
                  { endpoint, decide, payload: toPayload({ ...input, requestId }) },
                  options
                )
              : refused("requestId", "Expected the same requestId in the input and the options")
          )
        )()
      }
    const read = <A>(name: string, endpoint: Operation.Endpoint<A>) =>
      traced(name)((id: string, options?: CallOptions) =>
        caller.call(endpoint, { params: { id } }, options)
      )
    const put = (
      subscriptionId: string,
      payload: { readonly status?: string | null },
      options?: CallOptions
    ) =>
      Effect.flatMap(
        caller.call(Endpoint.updateSubscription, { params: { subscriptionId }, payload }, options),
        (subscription) =>
          Response.hasStatus(payload.status, subscription.status)
            ? Effect.succeed(subscription)
            : Effect.fail(
                new UnexpectedResponse({
                  status: 200,
                  reason: `its status is ${subscription.status}`
                })
              )
      )

    return Context.make(ApmPayments, {
      create: create("ApmPayments.create", Endpoint.createApmPayment, orDeclined),
      status: read("ApmPayments.status", Endpoint.readApmPaymentStatus)
    }).pipe(
      Context.add(ApmPayouts, {
        create: create("ApmPayouts.create", Endpoint.createApmPayout, orDeclined),
        info: read("ApmPayouts.info", Endpoint.readApmPayout),
        status: read("ApmPayouts.status", Endpoint.readApmPayoutStatus)
      }),
      Context.add(CardPayments, {
        create: create("CardPayments.create", Endpoint.createCardPayment, orDeclined),
        charge: create("CardPayments.charge", Endpoint.chargeCard, orDeclined),
        tokenize: create("CardPayments.tokenize", Endpoint.tokenizeCard, (_, card) =>
          Result.succeed(card)
        ),
        status: read("CardPayments.status", Endpoint.readCardPaymentStatus)
      }),
      Context.add(CardPayouts, {
        create: create("CardPayouts.create", Endpoint.createCardPayout, orDeclined),
        info: read("CardPayouts.info", Endpoint.readCardPayout),
        status: read("CardPayouts.status", Endpoint.readCardPayoutStatus)
      }),
      Context.add(
        Refunds,
        Refunds.of({
          create: create("Refunds.create", Endpoint.createRefund, orDeclined, withExactId),
          info: read("Refunds.info", Endpoint.readRefund),
          status: read("Refunds.status", Endpoint.readRefundStatus)
        })
      ),
      Context.add(PaymentIntents, {
        create: create("PaymentIntents.create", Endpoint.createPaymentIntent, orRejected)
      }),
      Context.add(
        Subscriptions,
        Subscriptions.of({
          create: create("Subscriptions.create", Endpoint.createSubscription, orDeclined),
          get: traced("Subscriptions.get")((subscriptionId, options) =>
            caller.call(Endpoint.readSubscription, { params: { subscriptionId } }, options)
          ),
          update: traced("Subscriptions.update")((id, changes, options) =>
            isChange({ ...changes })
              ? put(id, changes, options)
              : refused("", "Expected a field to change")
          ),
          // An undefined status would be left out, and the change of nothing would succeed.
          setStatus: traced("Subscriptions.setStatus")((id, status, options) =>
            put(id, { status: status ?? null }, options)
          ),
          pause: traced("Subscriptions.pause")((id, options) =>
            put(id, { status: "PAUSED" }, options)
          ),
          resume: traced("Subscriptions.resume")((id, options) =>
            put(id, { status: "ACTIVE" }, options)
          ),
          cancel: traced("Subscriptions.cancel")((subscriptionId, options) =>
            caller.remove(Endpoint.cancelSubscription, { params: { subscriptionId } }, options)
          )
        })
      )
    )
  })
)

/** A plan without a value changes nothing. */
const isChange = ({ plan, ...others }: { readonly plan?: object }): boolean =>
  Object.values({ ...plan, ...others }).some((value) => value !== undefined)

const refused = (path: string, message: string) =>
  Effect.fail(new ValidationFailed({ sent: false, fields: [{ path, message }] }))

/** Refuses a number beyond 2^53, which has lost digits. */
export const withExactId = <Fields extends CreateFields>(fields: Fields): Fields => {
  const id: unknown = Reflect.get(fields, "transactionId")
  return typeof id === "number" && !Number.isSafeInteger(id)
    ? { ...fields, transactionId: "inexact" }
    : fields
}

interface CreateResponse {
  readonly transactionStatus?: string | null
  readonly transactionId?: string | null
  readonly refundId?: string | null
  readonly subscriptionId?: string | null
  readonly declineCode?: number | null
  readonly declineSubReason?: string | null
}

/** A response with the status FAILED is `Declined`. */
export const orDeclined = <Response extends CreateResponse>(
  requestId: string,
  response: Response
): Result.Result<Response, DeclinedAs<Response>> => {
  if (response.transactionStatus !== "FAILED") return Result.succeed(response)
  const { declineCode, declineSubReason, refundId, subscriptionId, transactionId } = response
  const declined = new Declined({
    requestId,
    response,
    ...ErrorResponse.receivedWith(response),
    ...(transactionId && { transactionId }),
    ...(refundId && { refundId }),
    ...(subscriptionId && { subscriptionId }),
    ...(typeof declineCode === "number" && { declineCode }),
    ...(typeof declineSubReason === "string" && { declineSubReason })
  })
  // The service may repeat the request in it, so a log must not print it.
  return Result.fail(Object.defineProperty(declined, "response", { enumerable: false }) as never)
}

/** An intent with an errorCode is rejected. Without it and without a page it is unknown. */
export const orRejected = (
  requestId: string,
  response: PaymentIntentResponse
): Result.Result<HostedPage, IntentRejected | OutcomeUnknown> => {
  const { errorCode, redirectUrl } = response
  // A page that exists can be paid.
  if (errorCode && !(redirectUrl && ErrorResponse.isNone(errorCode))) {
    const received = ErrorResponse.receivedWith(response)
    return Result.fail(new IntentRejected({ requestId, errorCode, ...received }))
  }
  if (redirectUrl) return Result.succeed({ ...response, redirectUrl })
  const cause = new UnexpectedResponse({
    status: 200,
    reason: "it has neither a redirectUrl nor an errorCode"
  })
  return Result.fail(new OutcomeUnknown({ requestId, cause }))
}

export const traced =
  (name: string) =>
  <Args extends ReadonlyArray<unknown>, A, E>(method: (...args: Args) => Effect.Effect<A, E>) =>
    placed((...args: Args) => spanned(name, () => method(...args)))

/** Without a span: a tracer gets the result of the effect of each span. */
export const placed =
  <Args extends ReadonlyArray<unknown>, A, E>(method: (...args: Args) => Effect.Effect<A, E>) =>
  (...args: Args): Effect.Effect<A, E> =>
    Effect.catchEager(method(...args), (error) =>
      Effect.withFiber((fiber) => {
        if (error instanceof Error) place(error, fiber.getRef(References.CurrentStackFrame))
        return Effect.fail(error)
      })
    )

/**
 * Gives an error the frame of the `Effect.fn` around its call. A capture in each method would cost
 * 1.5 of the 40 µs of a create.
 */
const place = (error: Error, frame: References.StackFrame | undefined): void => {
  const location = /\(?([^\s()]+)\)?$/u.exec(frame?.stack() ?? "")?.[1]
  const header = `${error.name}: ${error.message}`
  Object.defineProperty(error, "stack", {
    value: location === undefined ? header : `${header}\n    at ${frame?.name} (${location})`,
    configurable: true,
    writable: true
  })
  for (const inner of [error.cause, Reflect.get(error, "refusal")]) {
    if (inner instanceof Error) place(inner, undefined)
  }
}
