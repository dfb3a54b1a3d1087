/**
 * Events of the receiver.
 *
 * @since 0.1.0
 */
import type { Status } from "@pawl/core/Status"
import type { Method } from "@pawl/core/Kind"
import type { OpenStatus } from "@pawl/core/Transaction"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PubSub from "effect/PubSub"
import * as Stream from "effect/Stream"
import * as Measures from "./internal/journal/Measures.ts"
import { makeIsDue } from "./internal/rule/Counters.ts"

/**
 * An event of the receiver.
 *
 * @category models
 * @since 0.1.0
 */
export type Event =
  /** A callback was stored; `isNew` is false for a repeat. */
  | { readonly _tag: "Accepted"; readonly claim: Status; readonly isNew: boolean }
  /** A verified callback was stored that cannot be acted on because of `field`. */
  | { readonly _tag: "Quarantined"; readonly field: string }
  /** The status was read from the service. */
  | { readonly _tag: "Read"; readonly result: OpenStatus | "404" | "no answer" }
  /** The handler accepted a transition. `attempt` counts its calls. */
  | {
      readonly _tag: "Told"
      readonly to: Status
      readonly confirmed: boolean
      readonly conflict: ReadonlyArray<Status> | null
      readonly attempt: number
    }
  /** The handler failed and will be called again. */
  | { readonly _tag: "HandlerFailed"; readonly to: Status; readonly attempt: number }
  /** The transaction was parked as a dead letter. */
  | { readonly _tag: "DeadLettered"; readonly reason: string }
  /** A person must look at the problem. */
  | { readonly _tag: "Alarm"; readonly reason: string }

/**
 * The transaction that an event is about.
 *
 * @category models
 * @since 0.1.0
 */
export interface Subject {
  /** The payment method of its callbacks. */
  readonly method: Method
  /** The id that its callbacks sign. */
  readonly transactionId: string
}

/**
 * An event with its transaction and its time in milliseconds since the epoch. An alarm about the
 * receiver has no transaction.
 *
 * @category models
 * @since 0.1.0
 */
export type Entry = Event & { readonly at: number } & Partial<Subject>

/**
 * An event without an entry: a callback that was stored (by the secret that signed it), refused for
 * its checksum or not stored, or a read with refused credentials.
 *
 * @category models
 * @since 0.1.0
 */
export type Noted = "acceptedCurrent" | "acceptedPrevious" | "refused" | "notStored" | "denied"

/**
 * Function that observes entries and noted events. It is synchronous and runs for every callback.
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
 * Why a callback was not stored.
 *
 * @category models
 * @since 0.1.0
 */
export interface Failure {
  /** The method and id of the callback's transaction. */
  readonly transaction: string
  /** The cause, without values. */
  readonly cause: string
  /** Whether the store refuses every callback for this cause, such as a full disk. */
  readonly isOfStore: boolean
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
    /** Records an event of a transaction. */
    readonly record: (subject: Subject, event: Event) => Effect.Effect<void>
    /**
     * Records an alarm about the receiver and logs its cause. Repeats of a reason are dropped for
     * 10 minutes. A function is called for the cause if the alarm is logged.
     */
    readonly raiseAlarm: (reason: string, cause?: unknown) => Effect.Effect<void>
    /** All entries from now on. A slow subscriber loses the oldest beyond 4,096. */
    readonly entries: Stream.Stream<Entry>
    /** The entries that a person must look at. */
    readonly alarms: Stream.Stream<Entry>
    /** Passes an event without an entry to the observers. */
    readonly note: (name: Noted, at: number, failure?: Failure) => void
    /** Adds an observer until the process ends. */
    readonly observe: (observer: Observer) => void
  }
>()("@pawl/webhook/Journal") {}

/**
 * Tells whether a person must look at an event: an alarm, a dead letter or a quarantined callback.
 *
 * @category guards
 * @since 0.1.0
 */
export const isAlarm = (event: Event): boolean =>
  event._tag === "Alarm" || event._tag === "DeadLettered" || event._tag === "Quarantined"

const capacity = 4096

/**
 * Layer that publishes entries, counts them, and logs alarms as warnings. Quarantined callbacks are
 * logged once in 10 minutes for each field.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<Journal> = Layer.effect(
  Journal,
  Effect.gen(function* () {
    const pubsub = yield* PubSub.sliding<Entry>(capacity)
    const isDue = makeIsDue()
    Measures.begin(yield* Effect.context())
    const observers: Array<Observer> = []
    const show: Observer = (event) => observers.forEach((observer) => observer(event))

    /**
     * `publishUnsafe` refuses an entry when the buffer is full; `publish` then drops the oldest.
     */
    const publish = (entry: Entry, log: Effect.Effect<void>, context: Context.Context<never>) => {
      Measures.count(entry, context)
      show(entry)
      return PubSub.publishUnsafe(pubsub, entry)
        ? log
        : Effect.andThen(PubSub.publish(pubsub, entry), log)
    }

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

    const raiseAlarm = (reason: string, ...causes: ReadonlyArray<unknown>) =>
      Effect.contextWith((context: Context.Context<never>) => {
        const at = Context.get(context, Clock.Clock).currentTimeMillisUnsafe()
        if (!isDue(reason, at)) return Effect.void
        const event = { _tag: "Alarm", reason } as const
        const all = causes.map((cause) => (typeof cause === "function" ? cause() : cause))
        return publish({ ...event, at }, Effect.logWarning(event, ...all), context)
      })

    const entries = Stream.fromPubSub(pubsub)
    const alarms = Stream.filter(entries, isAlarm)
    const note = (_tag: Noted, at: number, failure?: Failure) => show({ _tag, at, failure })
    const observe = (observer: Observer) => void observers.push(observer)
    return Journal.of({ record, raiseAlarm, entries, alarms, note, observe })
  })
)
