/**
 * What the receiver did, as it does it: a stream for timelines, alarms and metrics.
 *
 * @since 0.1.0
 */
import type { Status } from "@pawl/core/Status"
import type { Method, OpenStatus } from "@pawl/core/Transaction"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PubSub from "effect/PubSub"
import * as Stream from "effect/Stream"

/**
 * One thing that happened to one transaction.
 *
 * - `Accepted`: a callback was stored; `isNew` is false for a repeat.
 * - `Quarantined`: a genuine callback was stored that we cannot act on.
 * - `Asked`: the service was asked and answered, or did not.
 * - `Told`: the handler took a transition.
 * - `HandlerFailed`: the handler did not, and is called again.
 * - `Parked`: the row became a dead letter.
 * - `Alarm`: something a person should know of.
 *
 * @category models
 * @since 0.1.0
 */
export type Entry =
  | { readonly _tag: "Accepted"; readonly claim: Status; readonly isNew: boolean }
  | { readonly _tag: "Quarantined"; readonly field: string }
  | { readonly _tag: "Asked"; readonly answer: OpenStatus | "404" | "no answer" }
  | {
      readonly _tag: "Told"
      readonly to: Status
      readonly confirmed: boolean
      readonly conflict: ReadonlyArray<Status> | null
      readonly attempt: number
    }
  | { readonly _tag: "HandlerFailed"; readonly to: Status; readonly attempt: number }
  | { readonly _tag: "Parked"; readonly reason: string }
  | { readonly _tag: "Alarm"; readonly reason: string }

/**
 * An entry with its transaction and its time (ms since the epoch).
 *
 * @category models
 * @since 0.1.0
 */
export type Entered = Entry & {
  readonly at: number
  readonly method: Method
  readonly transactionId: string
}

/**
 * Service that keeps the journal.
 *
 * @category services
 * @since 0.1.0
 */
export class Journal extends Context.Service<
  Journal,
  {
    readonly enter: (
      row: { readonly method: Method; readonly transactionId: string },
      entry: Entry
    ) => Effect.Effect<void>
    /** Every entry from now on; a slow reader loses the oldest. */
    readonly entries: Stream.Stream<Entered>
  }
>()("@pawl/webhook/Journal") {}

/**
 * Layer that hands entries to whoever listens, and logs alarms as warnings.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<Journal> = Layer.effect(
  Journal,
  Effect.gen(function* () {
    const pubsub = yield* PubSub.sliding<Entered>(4096)
    const enter = Effect.fnUntraced(function* (
      { method, transactionId }: { readonly method: Method; readonly transactionId: string },
      entry: Entry
    ) {
      const at = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
      yield* PubSub.publish(pubsub, { ...entry, at, method, transactionId })
      const isAlarm =
        entry._tag === "Alarm" || entry._tag === "Parked" || entry._tag === "Quarantined"
      yield* Effect.annotateLogs(isAlarm ? Effect.logWarning(entry) : Effect.logDebug(entry), {
        method,
        transactionId
      })
    })
    return { enter, entries: Stream.fromPubSub(pubsub) }
  })
)
