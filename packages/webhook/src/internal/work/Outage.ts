/**
 * Notices that no worker was alive for longer than the service repeats a callback, and reads every
 * transaction once.
 *
 * The ledger notes that a worker is alive at its start, every minute, and at its end. In a gap of
 * more than 62 minutes callbacks may be lost for good. Then planned reads are brought forward, 10
 * in a second of each lane.
 *
 * If a worker was last alive later than the start, the clock was set back: rows are due earlier by
 * the difference. A ledger in memory is not watched.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Journal } from "../../Journal.ts"
import type { Ledger } from "../../Ledger.ts"
import type { Row } from "../rule/Row.ts"
import type { PlannedPage } from "../rule/RowPages.ts"
import { defaults } from "../rule/WorkLimits.ts"
import * as ClockWatch from "./ClockWatch.ts"
import * as Progress from "./Progress.ts"

/** The service repeats a callback after 2, 4, 8, 16 and 32 minutes. */
const maxGap = Duration.toMillis(Duration.minutes(62))
const interval = Duration.minutes(1)
const readsPerSecond = 10
const pageSize = 100
const pause = Duration.millis(20)

const reason =
  "no worker ran for more than 62 minutes, so callbacks may be lost: planned reads are brought forward"

interface Options {
  readonly ledger: Ledger["Service"]
  readonly journal: Journal["Service"]
  readonly lease?: number
}

export const make = ({ journal, lease = defaults.lease, ledger }: Options) => {
  const isWatched = Duration.isFinite(ledger.pollInterval)
  let readSince = -Infinity
  const noteGap = (now: number, last: number) => {
    // A worker that started after the outage has read that row.
    if (now - last > maxGap) readSince = last + maxGap
  }

  const begin = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    noteGap(now, (yield* Progress.untilDone(ledger.lastAliveAt)) ?? now)
  })

  const bringForward = Effect.fnUntraced(function* (now: number, readSince: number) {
    for (const lane of ["repeat", "watch"] as const) {
      let after: PlannedPage["after"]
      let dueAt = now
      do {
        const page = { after, readSince, dueAt, rate: readsPerSecond, limit: pageSize }
        after = yield* Progress.untilDone(ledger.bringForward({ lane, ...page }))
        dueAt += (pageSize * 1000) / readsPerSecond
        yield* Effect.sleep(pause)
      } while (after !== undefined)
    }
  })

  const check = Effect.fnUntraced(function* (isStart: boolean) {
    const now = yield* Clock.currentTimeMillis
    const last = (yield* Progress.untilDone(ledger.lastAliveAt)) ?? now
    const gap = now - last
    if (isStart && gap < -ClockWatch.shiftLimit) {
      yield* journal.raiseAlarm(ClockWatch.wasSet)
      yield* Progress.untilDone(ledger.shift({ at: now, by: -gap, until: now + lease }))
    }
    if (gap > maxGap) {
      noteGap(now, last)
      yield* journal.raiseAlarm(reason)
      yield* bringForward(now, last + maxGap)
    }
    // Last, so that after a crash the next worker notices the same gap.
    yield* Progress.untilDone(ledger.noteAlive(now))
  })

  return {
    begin: Effect.when(begin, Effect.succeed(isWatched)),
    isMissed: ({ askedAt = -Infinity, newStatusAt }: Row) =>
      Math.max(askedAt, newStatusAt) < readSince,
    check,
    run: Effect.andThen(check(true), Effect.forever(Effect.delay(check(false), interval))).pipe(
      Effect.catchCause((cause) => Effect.logError("The watch for outages has ended", cause)),
      Effect.when(Effect.succeed(isWatched))
    ),
    noteEnd: Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.ignore(ledger.noteAlive(now)))
  }
}
