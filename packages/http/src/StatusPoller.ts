/**
 * Asks the service for the status of a transaction.
 *
 * **Details**
 *
 * A callback says that something changed, the status endpoint says what is. The reader here answers
 * the receiver's questions: it knows which endpoint reads which kind of transaction, and calls it
 * with the token, the retries and the decoding of every other call.
 *
 * @since 0.1.0
 */
import { NotFound } from "@pawl/core/PaymentsError"
import { StatusReader } from "@pawl/core/StatusReader"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Api from "./Api.ts"
import { Caller } from "./Caller.ts"

/**
 * Layer that reads statuses from the endpoints of the contract. A kind without one there is
 * `NotFound`.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerReader: Layer.Layer<StatusReader, never, Caller> = Layer.effect(
  StatusReader,
  Effect.map(Caller, (caller) =>
    StatusReader.of({
      read: Effect.fn("StatusReader.read")(function* (kind, id) {
        if (kind !== "apm" && kind !== "apm-payment") return yield* new NotFound({})
        const status = yield* caller.call(Api.readApmPaymentStatus, { params: { id } })
        return { kind: "apm-payment" as const, status }
      })
    })
  )
)
