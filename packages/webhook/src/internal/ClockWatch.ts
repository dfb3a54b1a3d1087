/**
 * Notices that a clock was set, or that the clocks of the process and of the ledger differ.
 *
 * **Details**
 *
 * After a clock was set back, rows that are due at a time before that are due too late. They are due earlier from then
 * on by the same time (`Ledger.shift`).
 */
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Journal } from "../Journal.ts"
import type { Ledger } from "../Ledger.ts"
import * as Lease from "./Lease.ts"
import * as LedgerClock from "./LedgerClock.ts"

/** The smallest step or difference that raises an alarm, in milliseconds. */
const alarmLimit = Duration.toMillis(Duration.seconds(5))
/** The smallest step back after which rows are shifted, in milliseconds. */
const shiftLimit = Duration.toMillis(Duration.seconds(1))

const wasSet = "a clock was set by more than 5 seconds"
const differs = "the clocks of this machine and of the database differ by more than 5 seconds"

interface Options {
  readonly ledger: Ledger["Service"]
  readonly journal: Journal["Service"]
  /** The clock of the process. */
  readonly clock: Clock.Clock
}

/** Makes the check of the clocks. A step is measured from one check to the next. */
export const make = ({ clock, journal, ledger }: Options): Effect.Effect<void> => {
  const read = () => ({
    process: clock.currentTimeMillisUnsafe(),
    ledger: LedgerClock.timeOf(ledger, clock),
    elapsed: Number(clock.monotonicTimeNanosUnsafe()) / 1e6
  })
  let last = read()
  return Effect.gen(function* () {
    const now = read()
    const stepOf = (name: "process" | "ledger") =>
      now[name] - last[name] - (now.elapsed - last.elapsed)
    const step = Math.round(stepOf("ledger"))
    if (Math.max(Math.abs(step), Math.abs(stepOf("process"))) > alarmLimit) {
      yield* journal.raiseAlarm(wasSet)
    }
    if (Math.abs(now.ledger - now.process) > alarmLimit) yield* journal.raiseAlarm(differs)
    if (step < -shiftLimit) {
      const at = now.ledger
      yield* Effect.retry(
        ledger.shift({ at, by: -step, until: at + Lease.duration }),
        Lease.retrySchedule
      ).pipe(Effect.orDie)
    }
    last = now
  })
}
