/**
 * The condition of a receiver: whether it is ready, and what else a person should know.
 *
 * A receiver is ready if its store can be written and it is not about to end. A store that refused
 * callbacks in the last 30 seconds cannot be written. Refused credentials or a wrong clock do not
 * count.
 *
 * The store is written at most once in a second.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Latest } from "../journal/Activity.ts"
import type { Ledger } from "../../Ledger.ts"
import type { Worker } from "./Worker.ts"
import { differs } from "./ClockWatch.ts"

export interface Condition {
  readonly ready: boolean
  readonly store: "writable" | "not writable"
  readonly worker: "running" | "no progress" | "ending" | "unknown"
  readonly credentials: "accepted" | "refused" | "unknown"
  readonly clock: "right" | "differs" | "unknown"
}

/** Returns the condition of a worker. Without progress the receiver still stores callbacks. */
export const workerOf = (
  worker: Worker["Service"] | undefined
): Effect.Effect<Condition["worker"]> =>
  worker === undefined
    ? Effect.succeed("unknown")
    : Effect.zipWith(worker.isDraining, worker.progress, (isEnding, { cause }) =>
        isEnding ? "ending" : cause === undefined ? "running" : "no progress"
      )

/**
 * How long a refusal by the store counts: an unready receiver gets no callback that would end it.
 */
const evidenceLifetime = Duration.toMillis(Duration.seconds(30))

/** An alarm is raised again after 10 minutes. */
const alarmLifetime = Duration.toMillis(Duration.minutes(11))

const second = 1_000_000_000n

export const eachSecond = (check: Effect.Effect<boolean>) =>
  Effect.map(Effect.cachedInvalidateWithTTL(check, Infinity), ([latest, forget]) => {
    let checkedAt = -second
    return Effect.flatMap(Clock.monotonicTimeNanos, (now) => {
      if (now - checkedAt < second) return latest
      checkedAt = now
      return Effect.andThen(forget, latest)
    })
  })

export const make = Effect.fnUntraced(function* (options: {
  readonly ledger: Ledger["Service"]
  readonly latest: Effect.Effect<Latest> | undefined
  readonly worker: Worker["Service"] | undefined
}) {
  const { latest, ledger, worker } = options
  const isWritable = yield* eachSecond(Effect.isSuccess(ledger.checkWritable))
  const read = Effect.gen(function* () {
    const ending = worker !== undefined && (yield* worker.isDraining)
    const activity = latest && (yield* latest)
    const now = yield* Clock.currentTimeMillis
    // A time later than now comes from a clock that was set back meanwhile.
    const isWithin = (limit: number, at = -Infinity) => Math.abs(now - at) <= limit
    const writable = (yield* isWritable) && !isWithin(evidenceLifetime, activity?.notStored?.at)
    const differsAt = activity?.alarms.find(({ reason }) => reason === differs)?.at
    const condition: Condition = {
      ready: writable && !ending,
      store: writable ? "writable" : "not writable",
      worker: yield* workerOf(worker),
      credentials: activity?.credentials ?? "unknown",
      clock:
        activity === undefined
          ? "unknown"
          : isWithin(alarmLifetime, differsAt)
            ? "differs"
            : "right"
    }
    return condition
  })
  return { read }
})
