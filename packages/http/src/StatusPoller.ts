/**
 * Asks the service for the status of a transaction.
 *
 * **Details**
 *
 * A callback says that something changed, the status endpoint says what is. The reader here answers
 * the receiver's questions: it knows which endpoint reads which kind of transaction, and calls it
 * with the token, the retries and the decoding of every other call. While only the method is known, the
 * endpoints of its kinds are asked in turn, until one knows the id.
 *
 * @since 0.1.0
 */
import { NotFound } from "@pawl/core/PaymentsError"
import { StatusReader } from "@pawl/core/StatusReader"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Endpoint from "./Endpoint.ts"
import { Caller } from "./Caller.ts"

/**
 * Layer that reads statuses from the endpoints of the contract.
 *
 * **Details**
 *
 * Where the method alone is known, payments are asked first, then payouts, then refunds, and the answer
 * names the kind that knew the id. Only a 404 moves on; any other failure is the answer.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerReader: Layer.Layer<StatusReader, never, Caller> = Layer.effect(
  StatusReader,
  Effect.map(Caller, (caller) =>
    StatusReader.of({
      read: Effect.fn("StatusReader.read")(function* (asked, id) {
        const kinds = asked === "apm" || asked === "card" ? kindsOf[asked] : [asked]
        for (const kind of kinds) {
          const status = yield* Effect.catchTag(
            caller.call(endpoints[kind], { params: { id } }),
            "NotFound",
            () => Effect.undefined
          )
          if (status !== undefined) return { kind, status }
        }
        return yield* new NotFound({})
      })
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

const kindsOf = {
  apm: ["apm-payment", "apm-payout"],
  card: ["card-payment", "card-payout", "refund"]
} as const
