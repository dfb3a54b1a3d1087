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
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { Courier } from "./Courier.ts"
import { GatewayConfig } from "./GatewayConfig.ts"
import * as Apm from "./internal/Apm.ts"
import * as ApmPayments from "./internal/ApmPayments.ts"
import * as ApmPayouts from "./internal/ApmPayouts.ts"
import * as Book from "./internal/Book.ts"
import * as CardPayments from "./internal/CardPayments.ts"
import * as CardPayouts from "./internal/CardPayouts.ts"
import * as Cards from "./internal/Cards.ts"
import * as Charging from "./internal/Charging.ts"
import * as Contract from "./internal/Contract.ts"
import * as PaymentIntents from "./internal/PaymentIntents.ts"
import * as Refunds from "./internal/Refunds.ts"
import * as Requests from "./internal/Requests.ts"
import * as Subscriptions from "./internal/Subscriptions.ts"
import * as Tokens from "./internal/Tokens.ts"

/**
 * Service that is the payments service.
 *
 * **Details**
 *
 * - `handle` answers a request, and never fails.
 * - `transactions`, `transaction`: the truth, with every status a transaction had and when.
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
    const book = yield* Book.make
    const vault = yield* Cards.make
    const charging = yield* Charging.make(book)
    const createApm = Apm.make(book, requests, sign, requestChecksumSeparator)

    const find = Contract.make({
      authenticate: ({ payload }) =>
        Checksum.matches(config.merchantKey, payload.merchantKey) &&
        Checksum.matches(
          Redacted.value(config.merchantSecret),
          Redacted.value(payload.merchantSecret)
        )
          ? Effect.map(tokens.issue, (accessToken) => ({ accessToken }))
          : Effect.fail(unauthorized),
      ...ApmPayments.make(book, createApm),
      ...ApmPayouts.make(book, createApm),
      ...CardPayments.make(book, requests, vault),
      ...CardPayouts.make(book, requests),
      ...Refunds.make(book, requests, refundCallbackId),
      ...PaymentIntents.make(requests),
      ...Subscriptions.make(charging, requests, vault)
    })

    const authorize = Effect.fnUntraced(function* ({ headers }: Request) {
      const token = /^Bearer +(\S+)$/iu.exec(headers["authorization"] ?? "")?.[1]
      if (token === undefined || !(yield* tokens.isValid(token))) return yield* unauthorized
    })

    return {
      handle: (request) =>
        Effect.gen(function* () {
          const route = find(request)
          if (route === undefined || route.isSecured) yield* authorize(request)
          return yield* route === undefined ? Contract.notFound : route.answer(request)
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
      reset: Effect.all([charging.reset, book.reset, vault.reset, requests.reset, courier.reset], {
        discard: true
      })
    }
  })
)

const unauthorized = new Contract.Refusal({
  status: 401,
  message: "Missing, expired or invalid bearer token"
})

const unexpected = Contract.answer(500, { message: "Unexpected error" })
