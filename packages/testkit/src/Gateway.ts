/**
 * The payments service as a state machine behind the fake and the sandbox.
 *
 * **Details**
 *
 * It does no I/O, and checks in the order of the service: the bearer token (401), then the request
 * (400: the body, each field by the contract, the request checksum last), then whether the resource
 * exists (404). A 400 names fields and never contains their values. A repeated requestId gets the
 * original response, even if the rest of a valid body differs. A body of more than 64 KiB is 413.
 *
 * @since 0.1.0
 */
import * as Checksum from "@pawl/core/Checksum"
import { Hmac } from "@pawl/core/Hmac"
import { Profile } from "@pawl/core/Profile"
import type { Status } from "@pawl/core/Status"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { Courier, type Delivery } from "./Courier.ts"
import { GatewayConfig } from "./internal/GatewayConfig.ts"
import * as CallbackPost from "./internal/courier/CallbackPost.ts"
import * as Apm from "./internal/gateway/Apm.ts"
import * as MethodPage from "./internal/gateway/MethodPage.ts"
import type { Transaction } from "./internal/gateway/Transaction.ts"
import * as Transactions from "./internal/gateway/Transactions.ts"
import * as Callbacks from "./internal/gateway/Callbacks.ts"
import * as CardPayments from "./internal/gateway/CardPayments.ts"
import * as CardPayouts from "./internal/gateway/CardPayouts.ts"
import * as Cards from "./internal/gateway/Cards.ts"
import * as SubscriptionBilling from "./internal/gateway/SubscriptionBilling.ts"
import { type Checkout, make as makeCheckout } from "./internal/gateway/Checkout.ts"
import * as Contract from "./internal/gateway/Contract.ts"
import * as PageUrls from "./internal/gateway/PageUrls.ts"
import * as PaymentIntents from "./internal/gateway/PaymentIntents.ts"
import * as Refunds from "./internal/gateway/Refunds.ts"
import * as Writes from "./internal/gateway/Writes.ts"
import type { Request, Response } from "./internal/Behaviour.ts"
import * as Subscriptions from "./internal/gateway/Subscriptions.ts"
import * as Tokens from "./internal/gateway/Tokens.ts"

export type { Request, Response } from "./internal/Behaviour.ts"
export type { Checkout } from "./internal/gateway/Checkout.ts"
export type { Transaction } from "./internal/gateway/Transaction.ts"
export {
  GatewayConfig,
  layer as layerSettings,
  type Options,
  type ServiceOptions
} from "./internal/GatewayConfig.ts"

/**
 * Service that is the payments service.
 *
 * @category services
 * @since 0.1.0
 */
export class Gateway extends Context.Service<
  Gateway,
  {
    /** Returns the response to a request. Never fails. */
    readonly handle: (request: Request) => Effect.Effect<Response>
    /** The true transactions, with the time of every status. */
    readonly transactions: Effect.Effect<ReadonlyArray<Transaction>>
    /** Returns one of the true transactions. */
    readonly transaction: (id: string) => Effect.Effect<Transaction | undefined>
    /** The intents, and the actions of customers on their pages. */
    readonly checkout: Checkout
    /**
     * Ends the scenario of a transaction and gives it a status, which it keeps. The default
     * declineCode of FAILED is that of the scenario, or 5.
     */
    readonly move: (
      id: string,
      status: Status,
      declineCode?: number
    ) => Effect.Effect<Transaction | undefined>
    /** Returns the URL and body of a delivery. */
    readonly posted: (deliveryId: string) => Effect.Effect<Posted | undefined>
    /** Posts the callback of a delivery once more, and returns the attempt. */
    readonly resend: (deliveryId: string) => Effect.Effect<Delivery | undefined>
    /**
     * Removes everything except the credentials; access tokens stay valid. Identifiers are not used
     * again, except with a seed, which repeats them.
     */
    readonly reset: Effect.Effect<void>
  }
>()("@pawl/testkit/Gateway") {}

/**
 * A callback as it was posted.
 *
 * @category models
 * @since 0.1.0
 */
export interface Posted {
  /** The URL with its routing parameters. */
  readonly url: string
  /** The JSON text of the callback. */
  readonly body: string
}

/**
 * Layer that starts the service without any transaction.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<Gateway, never, Courier | GatewayConfig | Hmac> = Layer.effect(
  Gateway,
  Effect.gen(function* () {
    const config = yield* GatewayConfig
    const courier = yield* Courier
    const { behaviour } = config
    const { refundCallbackId, requestChecksumSeparator } = {
      ...(yield* Profile),
      ...behaviour.switches
    }
    const sign = (yield* Hmac).keyed(config.merchantSecret)
    const tokens = yield* Tokens.make(behaviour.tokenLifetime)
    const writes = yield* Writes.make(behaviour.repeated)
    const responseData = MethodPage.responseData(config.pageUrl)
    const callbackOf = Callbacks.make(refundCallbackId, responseData)
    const transactions = yield* Transactions.make((transaction) => {
      const message = callbackOf(transaction)
      return (
        message && { ...message, ...behaviour.callback({ ...message, kind: transaction.kind }) }
      )
    })
    const vault = yield* Cards.make(transactions.nextCardToken)
    const billing = yield* SubscriptionBilling.make(transactions, behaviour)
    const pageUrls = PageUrls.make(config.pageUrl)
    const checkout = yield* makeCheckout(transactions, writes)
    const checksums = { sign, separator: requestChecksumSeparator, ...behaviour }

    const handlers: Contract.Handlers = {
      authenticate: ({ payload }) =>
        Checksum.matches(config.merchantKey, payload.merchantKey) &&
        Checksum.matches(
          Redacted.value(config.merchantSecret),
          Redacted.value(payload.merchantSecret)
        )
          ? Effect.map(tokens.issue, (accessToken) => ({ accessToken }))
          : Effect.fail(wrongCredentials),
      ...Apm.make(transactions, writes, pageUrls, responseData, checksums),
      ...CardPayments.make(transactions, writes, vault, pageUrls),
      ...CardPayouts.make(transactions, writes, pageUrls),
      ...Refunds.make(transactions, writes, config.isLenient, behaviour),
      ...PaymentIntents.make(checkout, writes, pageUrls),
      ...Subscriptions.make(billing, writes, vault, pageUrls, behaviour)
    }
    const find = Contract.make(handlers, config.isLenient, behaviour.rounding)

    const authorized = <A>(
      { headers }: Request,
      response: Effect.Effect<A, Contract.ErrorResponse>
    ) => {
      const token = /^Bearer +(\S+)$/iu.exec(headers["authorization"] ?? "")?.[1]
      if (token === undefined) return Effect.fail(unauthorized)
      return Effect.flatMap(tokens.isValid(token), (isValid) =>
        isValid ? response : Effect.fail(unauthorized)
      )
    }

    const age = Duration.toMillis(behaviour.visibleAfter)
    const isVisible = Effect.fnUntraced(function* ({ path }: Request) {
      if (!path.includes("/status/")) return
      const transaction = yield* transactions.get(path.slice(path.lastIndexOf("/") + 1))
      const since = Date.parse(transaction?.createdTime ?? "")
      if ((yield* Clock.currentTimeMillis) < since + age) return yield* Contract.notFound
    })

    const postedAs = (deliveryId: string) =>
      Effect.map(courier.deliveries, (all) => {
        const delivery = all.find(({ id }) => id === deliveryId)
        const callback = delivery && transactions.callback(delivery.transactionId, delivery.status)
        return callback && { ...callback, forged: delivery.forged }
      })

    return {
      handle: (request) =>
        Effect.suspend(() => {
          if (request.body.length > Contract.maxBytes) return Effect.succeed(Contract.tooLarge)
          const refusal = behaviour.refusal(request)
          if (refusal !== undefined) return Effect.succeed(refusal)
          const route = find(request)
          const response = route?.response ?? Effect.fail(Contract.notFound)
          return route?.isSecured === false
            ? response
            : authorized(
                request,
                age === 0 ? response : Effect.andThen(isVisible(request), response)
              )
        }).pipe(
          Effect.catchTag("ErrorResponse", ({ errors, message, status }) =>
            Effect.succeed(Contract.jsonResponse(status, { message, errors }))
          ),
          Effect.catchDefect((defect) =>
            Effect.as(Effect.logError("The gateway failed on a request", defect), unexpected)
          ),
          Effect.map((response) => behaviour.response(response, request))
        ),
      transactions: transactions.all,
      transaction: transactions.get,
      checkout,
      move: (id, status, declineCode) =>
        writes.exclusive(
          Effect.gen(function* () {
            yield* transactions.halt(id)
            yield* transactions.move(id, status, declineCode)
            return yield* transactions.get(id)
          })
        ),
      posted: (id) =>
        Effect.map(
          postedAs(id),
          (found) => found && { url: found.url, body: CallbackPost.textOf(found) }
        ),
      resend: (id) =>
        Effect.flatMap(postedAs(id), (found) =>
          found === undefined ? Effect.undefined : courier.once(found, found.forged)
        ),
      reset: writes.exclusive(
        Effect.all(
          [
            billing.reset,
            checkout.reset,
            transactions.reset,
            vault.reset,
            writes.reset,
            courier.reset
          ],
          { discard: true }
        )
      )
    }
  })
)

const unauthorized = new Contract.ErrorResponse({
  status: 401,
  message: "Missing, expired or invalid bearer token"
})

const wrongCredentials = new Contract.ErrorResponse({
  status: 401,
  message:
    "Wrong merchantKey or merchantSecret: the defaults are sandbox-key and sandbox-secret, unless the sandbox was started with others"
})

const unexpected = Contract.jsonResponse(500, { message: "Unexpected error" })
