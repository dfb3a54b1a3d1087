/**
 * What the receiver did, as it does it: a stream for timelines, alarms and metrics.
 *
 * @since 0.1.0
 */
import type { Status } from "@pawl/core/Status"
import type { Method } from "@pawl/core/Kind"
import type { OpenStatus } from "@pawl/core/Transaction"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PubSub from "effect/PubSub"
import * as Stream from "effect/Stream"
import * as Metrics from "./Metrics.ts"

/**
 * One thing that happened.
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
export type Event =
  | { readonly _tag: "Accepted"; readonly claim: Status; readonly isNew: boolean }
  | { readonly _tag: "Quarantined"; readonly field: string }
  | { readonly _tag: "Read"; readonly result: OpenStatus | "404" | "no answer" }
  | {
      readonly _tag: "Told"
      readonly to: Status
      readonly confirmed: boolean
      readonly conflict: ReadonlyArray<Status> | null
      readonly attempt: number
    }
  | { readonly _tag: "HandlerFailed"; readonly to: Status; readonly attempt: number }
  | { readonly _tag: "DeadLettered"; readonly reason: string }
  | { readonly _tag: "Alarm"; readonly reason: string }

/**
 * Which transaction an entry is about.
 *
 * @category models
 * @since 0.1.0
 */
export interface Subject {
  readonly method: Method
  readonly transactionId: string
}

/**
 * An entry with its transaction and its time (ms since the epoch). An alarm may be about no one
 * transaction: that callbacks are refused, or cannot be stored.
 *
 * @category models
 * @since 0.1.0
 */
export type Entry = Event & { readonly at: number } & Partial<Subject>

/**
 * Service that keeps the journal.
 *
 * - `enter` notes what happened to a transaction.
 * - `raise` notes an alarm that is about no one transaction, with what caused it for the log. One of the
 *   same reason is not raised again for 10 minutes: a burst is one alarm.
 * - `entries` are all from now on, `alarms` those of them that a person should know of. A slow reader
 *   loses the oldest.
 *
 * @category services
 * @since 0.1.0
 */
export class Journal extends Context.Service<
  Journal,
  {
    readonly record: (subject: Subject, entry: Event) => Effect.Effect<void>
    readonly raiseAlarm: (reason: string, cause?: unknown) => Effect.Effect<void>
    readonly entries: Stream.Stream<Entry>
    readonly alarms: Stream.Stream<Entry>
  }
>()("@pawl/webhook/Journal") {}

/**
 * Tells whether an entry is for a person: an alarm, a dead letter, a callback in quarantine.
 *
 * @category guards
 * @since 0.1.0
 */
export const isAlarm = (entry: Event): boolean =>
  entry._tag === "Alarm" || entry._tag === "DeadLettered" || entry._tag === "Quarantined"

const quiet = Duration.toMillis(Duration.minutes(10))

/**
 * Layer that hands entries to whoever listens, counts them, and logs alarms as warnings.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<Journal> = Layer.effect(
  Journal,
  Effect.gen(function* () {
    const pubsub = yield* PubSub.sliding<Entry>(4096)
    const quietUntil = new Map<string, number>()

    /** Where there is room nothing is left to be done, since every callback comes by here; else the oldest goes. */
    const publish = (entered: Entry, logged: Effect.Effect<void>) =>
      PubSub.publishUnsafe(pubsub, entered)
        ? logged
        : Effect.andThen(PubSub.publish(pubsub, entered), logged)

    const record = ({ method, transactionId }: Subject, entry: Event) =>
      Effect.contextWith((context: Context.Context<never>) => {
        const at = Context.get(context, Clock.Clock).currentTimeMillisUnsafe()
        const entered = { ...entry, at, method, transactionId }
        Metrics.count(entry, context)
        return publish(
          entered,
          isAlarm(entry)
            ? Effect.annotateLogs(Effect.logWarning(entry), { method, transactionId })
            : Effect.logDebug(entered)
        )
      })

    const raiseAlarm = (reason: string, ...cause: ReadonlyArray<unknown>) =>
      Effect.contextWith((context: Context.Context<never>) => {
        const at = Context.get(context, Clock.Clock).currentTimeMillisUnsafe()
        if (at < (quietUntil.get(reason) ?? at)) return Effect.void
        quietUntil.set(reason, at + quiet)
        const entry = { _tag: "Alarm", reason } as const
        Metrics.count(entry, context)
        return publish({ ...entry, at }, Effect.logWarning(entry, ...cause))
      })

    const entries = Stream.fromPubSub(pubsub)
    return Journal.of({ record, raiseAlarm, entries, alarms: Stream.filter(entries, isAlarm) })
  })
)
