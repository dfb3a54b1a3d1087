/** Reads the status of a transaction: the layer of `@pawl/core/StatusReader`. */
import { isKnown, type KnownKind, kindsOf } from "@pawl/core/Kind"
import { NotFound } from "@pawl/core/PaymentsError"
import { BeforeRequest } from "@pawl/core/internal/BeforeRequest"
import { StatusReader } from "@pawl/core/StatusReader"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Caller } from "./Caller.ts"
import * as Endpoint from "../wire/Endpoint.ts"
import { spanned } from "../wire/Observed.ts"

/**
 * Layer that reads from the status endpoints (`spec.md`, "APM payments", "APM payouts", "Card payouts",
 * "Refunds" and "Endpoints named but without shape").
 *
 * **Details**
 *
 * For the kind `apm` or `card` the endpoints of payments, payouts and refunds are read in this
 * order; only a 404 leads to the next. Payments are read once more before another kind is returned:
 * one with the same number may have become visible.
 */
export const layer: Layer.Layer<StatusReader, never, Caller> = Layer.effect(
  StatusReader,
  Effect.map(Caller, (caller) =>
    StatusReader.of({
      account: caller.account,
      read: (kind, id) =>
        spanned(
          "StatusReader.read",
          Effect.fnUntraced(function* () {
            const beforeRequest = yield* BeforeRequest
            const options = beforeRequest && { maxAttempts: 1 }
            const readFrom = (candidate: KnownKind) =>
              caller.call(endpoints[candidate], { params: { id } }, options).pipe(
                Effect.map((status) => ({ kind: candidate, status })),
                Effect.catchTag("NotFound", () => Effect.undefined)
              )
            const [first, ...others] = isKnown(kind) ? [kind] : kindsOf[kind]
            const found = yield* readFrom(first)
            if (found !== undefined) return found
            const readNext = (candidate: KnownKind) =>
              Effect.andThen(beforeRequest ?? Effect.void, readFrom(candidate))
            for (const other of others) {
              const found = yield* readNext(other)
              if (found !== undefined) return (yield* readNext(first)) ?? found
            }
            return yield* new NotFound({})
          })
        )
    })
  )
)

const endpoints = {
  "apm-payment": Endpoint.readApmPaymentStatus,
  "apm-payout": Endpoint.readApmPayoutStatus,
  "card-payment": Endpoint.readCardPaymentStatus,
  "card-payout": Endpoint.readCardPayoutStatus,
  refund: Endpoint.readRefundStatus
}
