/**
 * Notices a backlog that grows while the worker runs.
 *
 * If the number of due rows grows three minutes in a row, and the oldest waits for more than a
 * minute, an alarm states the limit. A ledger in memory is not watched.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Journal } from "../../Journal.ts"
import type { Ledger } from "../../Ledger.ts"
import type { PerLane } from "../rule/Row.ts"
import type { ReadUse } from "../rule/ReadBudget.ts"
import type * as Progress from "./Progress.ts"

export const grows = "more work falls due than is done"

const interval = Duration.minutes(1)
const maxGrowths = 3

interface Options {
  readonly ledger: Ledger["Service"]
  readonly journal: Journal["Service"]
  readonly progress: Progress.Progress
  readonly free: () => PerLane
  readonly readUse: Effect.Effect<ReadUse>
}

export const watch = ({
  free,
  journal,
  ledger,
  progress,
  readUse
}: Options): Effect.Effect<void> => {
  let growths = 0
  let last = Infinity
  const check = Effect.gen(function* () {
    const at = yield* Clock.currentTimeMillis
    const { due, oldestDueAt = at } = yield* ledger.backlog(at)
    const isLate = at - oldestDueAt > Duration.toMillis(interval)
    growths = due > last && isLate ? growths + 1 : 0
    last = due
    const { cause } = yield* progress.state
    if (growths < maxGrowths || cause !== undefined) return
    yield* journal.raiseAlarm(`${grows}: ${causeOf(free(), yield* readUse)}`)
  })
  return Effect.ignore(check).pipe(
    Effect.delay(interval),
    Effect.forever,
    Effect.when(Effect.succeed(Duration.isFinite(ledger.pollInterval))),
    Effect.asVoid
  )
}

const causeOf = (
  { ask, repeat, retry, tell, watch }: PerLane,
  { oldestPutOff }: ReadUse
): string => {
  if (tell === 0 || retry === 0) return "every slot for calls of the handler is in use"
  if (oldestPutOff !== undefined) return "the read budget is used up"
  if (ask === 0 || repeat === 0 || watch === 0) return "every slot for reads is in use"
  return "the store or this machine is too slow"
}
