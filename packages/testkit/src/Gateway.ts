/**
 * The payments service itself, as a state machine behind every door.
 *
 * **Details**
 *
 * A door hands a request to `handle` and sends what comes back; there is no I/O in here, and time and
 * chance are Effect's. What is true of every transaction can be read beside it.
 *
 * `handle` checks in the order the service does: the bearer token (401), then the request (400: the
 * body, each field by the contract, the request checksum last), then whether the resource exists
 * (404). A 400 names fields and never holds their values. A repeated requestId is answered with the
 * original, byte for byte, whatever else a sound body says.
 *
 * @since 0.1.0
 */
import * as Checksum from "@pawl/core/Checksum"
import { Hmac } from "@pawl/core/Hmac"
import { Profile } from "@pawl/core/Profile"
import type { Status } from "@pawl/core/Status"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { Courier, type Delivery } from "./Courier.ts"
import { GatewayConfig } from "./GatewayConfig.ts"
import * as Apm from "./internal/gateway/Apm.ts"
import * as ApmPayments from "./internal/gateway/ApmPayments.ts"
import * as ApmPayouts from "./internal/gateway/ApmPayouts.ts"
import * as Book from "./internal/gateway/Book.ts"
import * as CardCallback from "./internal/gateway/CardCallback.ts"
import * as CardPayments from "./internal/gateway/CardPayments.ts"
import * as CardPayouts from "./internal/gateway/CardPayouts.ts"
import * as Cards from "./internal/gateway/Cards.ts"
import * as Charging from "./internal/gateway/Charging.ts"
import { type Checkout, make as makeCheckout } from "./internal/gateway/Checkout.ts"
import * as Contract from "./internal/gateway/Contract.ts"
import * as Pages from "./internal/gateway/Pages.ts"
import * as PaymentIntents from "./internal/gateway/PaymentIntents.ts"
import * as Refunds from "./internal/gateway/Refunds.ts"
import * as Requests from "./internal/gateway/Requests.ts"
import * as Subscriptions from "./internal/gateway/Subscriptions.ts"
import * as Tokens from "./internal/gateway/Tokens.ts"

/**
 * Service that is the payments service.
 *
 * **Details**
 *
 * - `handle` answers a request, and never fails.
 * - `transactions`, `transaction`: the truth, with every status a transaction had and when.
 * - `checkout`: the intents, and what customers do on their pages.
 * - `move` gives a transaction a status, and ends its own life first, so that it keeps it; FAILED has
 *   declineCode 5 unless another is given.
 * - `resend` posts the callback of a delivery once more, and returns the try.
 * - `reset` forgets everything but the credentials; tokens stay valid.
 *
 * @category services
 * @since 0.1.0
 */
export class Gateway extends Context.Service<
  Gateway,
  {
    readonly handle: (request: Request) => Effect.Effect<Answer>
    readonly transactions: Effect.Effect<ReadonlyArray<Transaction>>
    readonly transaction: (id: string) => Effect.Effect<Transaction | undefined>
    readonly checkout: Checkout
    readonly move: (
      id: string,
      status: Status,
      declineCode?: number
    ) => Effect.Effect<Transaction | undefined>
    readonly resend: (deliveryId: string) => Effect.Effect<Delivery | undefined>
    readonly reset: Effect.Effect<void>
  }
>()("@pawl/testkit/Gateway") {}

/**
 * A request as any door hands it over. Header names are lower case; `path` is from the host root.
 *
 * @category models
 * @since 0.1.0
 */
export type Request = Contract.Request

/**
 * An answer, ready to be sent.
 *
 * @category models
 * @since 0.1.0
 */
export type Answer = Contract.Answer

/**
 * A transaction as it truly is.
 *
 * @category models
 * @since 0.1.0
 */
export type Transaction = Book.Transaction

/**
 * The intents of the service, and what customers do on their pages; so a test can be the customer
 * without a browser.
 *
 * @category models
 * @since 0.1.0
 */
export type { Checkout }

/**
 * Layer that starts the service, without any transaction.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<Gateway, never, Courier | GatewayConfig | Hmac> = Layer.effect(
  Gateway,
  Effect.gen(function* () {
    const config = yield* GatewayConfig
    const courier = yield* Courier
    const { refundCallbackId, requestChecksumSeparator } = yield* Profile
    const sign = (yield* Hmac).keyed(config.merchantSecret)
    const tokens = yield* Tokens.make
    const requests = yield* Requests.make
    const book = yield* Book.make(messageOf(refundCallbackId))
    const vault = yield* Cards.make
    const charging = yield* Charging.make(book)
    const pages = Pages.make(config.pageUrl)
    const checkout = yield* makeCheckout(book, requests, pages)
    const createApm = Apm.make(book, requests, pages, sign, requestChecksumSeparator)

    const find = Contract.make({
      authenticate: ({ payload }) =>
        Checksum.matches(config.merchantKey, payload.merchantKey) &&
        Checksum.matches(
          Redacted.value(config.merchantSecret),
          Redacted.value(payload.merchantSecret)
        )
          ? Effect.map(tokens.issue, (accessToken) => ({ accessToken }))
          : Effect.fail(wrongCredentials),
      ...ApmPayments.make(book, createApm),
      ...ApmPayouts.make(book, createApm),
      ...CardPayments.make(book, requests, vault, pages),
      ...CardPayouts.make(book, requests, pages),
      ...Refunds.make(book, requests),
      ...PaymentIntents.make(checkout, requests, pages),
      ...Subscriptions.make(charging, requests, vault, pages)
    })

    const authorized = <A>({ headers }: Request, answer: Effect.Effect<A, Contract.Refusal>) => {
      const token = /^Bearer +(\S+)$/iu.exec(headers["authorization"] ?? "")?.[1]
      if (token === undefined) return Effect.fail(unauthorized)
      return Effect.flatMap(tokens.isValid(token), (isValid) =>
        isValid ? answer : Effect.fail(unauthorized)
      )
    }

    return {
      handle: (request) =>
        Effect.suspend(() => {
          const route = find(request)
          const answer = route?.answer ?? Effect.fail(Contract.notFound)
          return route?.isSecured === false ? answer : authorized(request, answer)
        }).pipe(
          Effect.catchTag("Refusal", ({ errors, message, status }) =>
            Effect.succeed(Contract.answer(status, { message, errors }))
          ),
          Effect.catchDefect((defect) =>
            Effect.as(Effect.logError("A request broke the gateway", defect), unexpected)
          )
        ),
      transactions: book.transactions,
      transaction: book.transaction,
      checkout,
      move: (id, status, declineCode = ordinaryDecline) =>
        requests.turn(
          Effect.gen(function* () {
            yield* book.halt(id)
            yield* book.move(id, status, declineCode)
            return yield* book.transaction(id)
          })
        ),
      resend: Effect.fnUntraced(function* (deliveryId) {
        const delivery = (yield* courier.deliveries).find(({ id }) => id === deliveryId)
        if (delivery === undefined) return undefined
        const callback = book.callback(delivery.transactionId, delivery.status)
        return callback === undefined ? undefined : yield* courier.once(callback, delivery.forged)
      }),
      reset: requests.turn(
        Effect.all(
          [charging.reset, checkout.reset, book.reset, vault.reset, requests.reset, courier.reset],
          { discard: true }
        )
      )
    }
  })
)

/** Who writes the callback of a transaction. */
const messageOf = (named: "refund" | "payment") => {
  const ofRefund = CardCallback.ofRefund(named)
  return (transaction: Transaction) =>
    transaction.accountId !== undefined
      ? Apm.message(transaction)
      : transaction.kind === "refund"
        ? ofRefund(transaction)
        : CardCallback.message(transaction)
}

/** The code of the test card that declines. */
const ordinaryDecline = 5

const unauthorized = new Contract.Refusal({
  status: 401,
  message: "Missing, expired or invalid bearer token"
})

const wrongCredentials = new Contract.Refusal({
  status: 401,
  message:
    "Not the merchantKey and merchantSecret of this gateway: they are sandbox-key and sandbox-secret, unless it was started with others"
})

const unexpected = Contract.answer(500, { message: "Unexpected error" })
