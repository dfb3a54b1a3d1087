/**
 * Records the events of the receiver: as a stream of entries, in metrics and in the log.
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
 * An event of the receiver.
 *
 * - `Accepted`: a callback was stored; `isNew` is false for a repeat.
 * - `Quarantined`: a verified callback that cannot be acted on, because of `field`, was stored.
 * - `Read`: the status was read from the service; `result` is the status, `404`, or `no answer`.
 * - `Told`: the handler accepted a transition.
 * - `HandlerFailed`: the handler failed, and will be called again.
 * - `DeadLettered`: the row was parked as a dead letter.
 * - `Alarm`: a problem that a person must look at.
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
 * The transaction that an event is about.
 *
 * @category models
 * @since 0.1.0
 */
export interface Subject {
  readonly method: Method
  readonly transactionId: string
}

/**
 * An event with its transaction and its time (ms since the epoch). An alarm about the receiver as a whole,
 * such as refused callbacks, has no transaction.
 *
 * @category models
 * @since 0.1.0
 */
export type Entry = Event & { readonly at: number } & Partial<Subject>

/**
 * An event that has no entry: a callback that was stored, by the secret that signed it; one that was refused because of its
 * checksum, or not stored; a read of which the service refused the merchant's credentials.
 *
 * @category models
 * @since 0.1.0
 */
export type Noted = "acceptedCurrent" | "acceptedPrevious" | "refused" | "notStored" | "denied"

/**
 * An observer of the entries, and of the events without one.
 *
 * @category models
 * @since 0.1.0
 */
export type Observer = (
  event:
    | Entry
    | { readonly _tag: Noted; readonly at: number; readonly failure?: Failure | undefined }
) => void

/**
 * Why a callback was not stored: the transaction, the cause without values, and whether the store refuses every callback for it, such
 * as one whose disk is full.
 *
 * @category models
 * @since 0.1.0
 */
export interface Failure {
  readonly transaction: string
  readonly cause: string
  readonly isOfStore: boolean
}

/**
 * Service that keeps the journal.
 *
 * - `record` records an event of a transaction.
 * - `raiseAlarm` records an alarm about the receiver as a whole, and logs its cause. Further alarms with the
 *   same reason are dropped for 10 minutes.
 * - `entries` is the stream of all entries from now on. `alarms` is the stream of the entries that a person must
 *   look at. A slow subscriber loses the oldest entries.
 * - `note` notes an event that has no entry, and `observe` adds an observer of both. An observer is a plain function, called
 *   for every callback (`Activity`).
 *
 * @category services
 * @since 0.1.0
 */
export class Journal extends Context.Service<
  Journal,
  {
    readonly record: (subject: Subject, event: Event) => Effect.Effect<void>
    readonly raiseAlarm: (reason: string, cause?: unknown) => Effect.Effect<void>
    readonly entries: Stream.Stream<Entry>
    readonly alarms: Stream.Stream<Entry>
    readonly note: (name: Noted, at: number, failure?: Failure) => void
    readonly observe: (observer: Observer) => void
  }
>()("@pawl/webhook/Journal") {}

/**
 * Tells whether an event is for a person: an alarm, a dead letter, or a callback in quarantine.
 *
 * @category guards
 * @since 0.1.0
 */
export const isAlarm = (event: Event): boolean =>
  event._tag === "Alarm" || event._tag === "DeadLettered" || event._tag === "Quarantined"

/** The most entries that are kept for a slow subscriber. */
const capacity = 4096
const minAlarmGap = Duration.toMillis(Duration.minutes(10))

/**
 * Layer that publishes entries, counts them, and logs alarms as warnings. Of the callbacks in quarantine, the first with
 * a field is logged, and the next ones after 10 minutes.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<Journal> = Layer.effect(
  Journal,
  Effect.gen(function* () {
    const pubsub = yield* PubSub.sliding<Entry>(capacity)
    const nextAlarmAt = new Map<string, number>()
    Metrics.begin(yield* Effect.context())
    const observers: Array<Observer> = []
    const show: Observer = (event) => observers.forEach((observer) => observer(event))

    /** Tells whether an alarm is raised, and holds the next ones with its reason back for 10 minutes. */
    const isDue = (reason: string, at: number): boolean => {
      const nextAt = nextAlarmAt.get(reason) ?? at
      // A later time was set before the clock was set back.
      if (at < nextAt && nextAt <= at + minAlarmGap) return false
      nextAlarmAt.set(reason, at + minAlarmGap)
      return true
    }

    /**
     * Publishes an entry. It runs for every callback, so it counts and publishes without effects. `publishUnsafe` refuses an entry when the buffer is full;
     * `publish` then drops the oldest entry.
     */
    const publish = (entry: Entry, log: Effect.Effect<void>, context: Context.Context<never>) => {
      Metrics.count(entry, context)
      show(entry)
      return PubSub.publishUnsafe(pubsub, entry)
        ? log
        : Effect.andThen(PubSub.publish(pubsub, entry), log)
    }

    /** Tells whether to log an event: of the callbacks in quarantine, the first with a field in 10 minutes. */
    const isFirst = (event: Event, at: number): boolean =>
      event._tag !== "Quarantined" || isDue(`quarantine ${event.field}`, at)

    const record = ({ method, transactionId }: Subject, event: Event) =>
      Effect.contextWith((context: Context.Context<never>) => {
        const at = Context.get(context, Clock.Clock).currentTimeMillisUnsafe()
        const entry = { ...event, at, method, transactionId }
        const log =
          isAlarm(event) && isFirst(event, at)
            ? Effect.annotateLogs(Effect.logWarning(event), { method, transactionId })
            : Effect.logDebug(entry)
        return publish(entry, log, context)
      })

    const raiseAlarm = (reason: string, ...cause: ReadonlyArray<unknown>) =>
      Effect.contextWith((context: Context.Context<never>) => {
        const at = Context.get(context, Clock.Clock).currentTimeMillisUnsafe()
        if (!isDue(reason, at)) return Effect.void
        const event = { _tag: "Alarm", reason } as const
        return publish({ ...event, at }, Effect.logWarning(event, ...cause), context)
      })

    const entries = Stream.fromPubSub(pubsub)
    const alarms = Stream.filter(entries, isAlarm)
    const note = (_tag: Noted, at: number, failure?: Failure) => show({ _tag, at, failure })
    const observe = (observer: Observer) => void observers.push(observer)
    return Journal.of({ record, raiseAlarm, entries, alarms, note, observe })
  })
)
