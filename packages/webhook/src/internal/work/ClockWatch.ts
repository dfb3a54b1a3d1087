/**
 * Notices that a clock was set, or that the clocks of the process and of the ledger differ.
 *
 * A clock that was set back makes rows due too late, so they are made due earlier (`Ledger.shift`).
 * A write that began before the step may be stored within 3 seconds, so rows are shifted again 1
 * and 5 seconds later.
 */
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Journal } from "../../Journal.ts"
import type { Ledger } from "../../Ledger.ts"
import { defaults } from "../rule/WorkLimits.ts"
import * as Progress from "./Progress.ts"

const alarmLimit = Duration.toMillis(Duration.seconds(5))
export const shiftLimit = Duration.toMillis(Duration.seconds(1))

const repeats = [Duration.seconds(1), Duration.seconds(5)].map(Duration.toMillis)

export const wasSet = "a clock jumped by more than 5 seconds"
export const differs =
  "the clocks of this machine and of the database differ by more than 5 seconds"

interface Options {
  readonly ledger: Ledger["Service"]
  readonly journal: Journal["Service"]
  /** In milliseconds. */
  readonly lease?: number
  readonly clock: Clock.Clock
}

/** Returns the milliseconds until the next check. */
export const make = ({
  clock,
  journal,
  lease = defaults.lease,
  ledger
}: Options): Effect.Effect<number> => {
  const elapsed = () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6
  const read = () => ({
    process: clock.currentTimeMillisUnsafe(),
    ledger: ledger.time(clock),
    elapsed: elapsed()
  })
  let last = read()
  let behind = 0
  /** The shifts to repeat; `at` is monotonic. */
  let planned: ReadonlyArray<{ readonly at: number; readonly by: number }> = []

  const shift = (by: number) =>
    Effect.suspend(() => {
      const at = ledger.time(clock)
      return ledger.shift({ at, by, until: at + lease })
    }).pipe(Progress.untilDone)

  return Effect.gen(function* () {
    const now = read()
    const stepOf = (name: "process" | "ledger") =>
      now[name] - last[name] - (now.elapsed - last.elapsed)
    const step = stepOf("ledger")
    last = now
    if (Math.max(Math.abs(step), Math.abs(stepOf("process"))) > alarmLimit) {
      yield* journal.raiseAlarm(wasSet)
    }
    if (Math.abs(now.ledger - now.process) > alarmLimit) yield* journal.raiseAlarm(differs)
    behind = Math.max(0, behind - step)
    const due = planned.filter(({ at }) => at <= now.elapsed)
    planned = planned.filter(({ at }) => at > now.elapsed)
    if (behind >= shiftLimit) {
      const by = Math.round(behind)
      behind = 0
      yield* shift(by)
      const shiftedAt = elapsed()
      planned = [...planned, ...repeats.map((wait) => ({ at: shiftedAt + wait, by }))]
    } else if (due.length > 0) {
      yield* shift(Math.max(...due.map(({ by }) => by)))
    }
    return Math.min(...planned.map(({ at }) => Math.ceil(Math.max(at - elapsed(), 0))))
  })
}
