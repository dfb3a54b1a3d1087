/**
 * Notices that no worker was alive for longer than the service repeats a callback, and reads every transaction once.
 *
 * The ledger keeps when a worker was last alive. It is noted at the start, every minute, and at the end. After a gap of more
 * than 62 minutes callbacks may be lost for good: in an outage of all receivers, or while the machine was suspended. Reads that are planned for later, such as those of transactions that have ended, are then made soon, 10 in a second of each lane.
 *
 * If a worker was last alive at a time that is later than the start, the clock was set back while no worker ran. Rows are
 * due earlier by the difference.
 *
 * A row at work, or one that waits for a call of the handler, has no planned read in the ledger. A worker that noticed the
 * gap reads such a row when it works on it.
 *
 * A ledger in memory ends with its process, so it is not watched.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Journal } from "../../Journal.ts"
import type { Ledger } from "../../Ledger.ts"
import type { Row } from "../rule/Row.ts"
import type { PlannedKey, PlannedPage } from "../rule/RowPages.ts"
import { defaults } from "../rule/WorkLimits.ts"
import * as ClockWatch from "./ClockWatch.ts"
import * as Progress from "./Progress.ts"

/** The service repeats a callback after 2, 4, 8, 16 and 32 minutes. */
const maxGap = Duration.toMillis(Duration.minutes(62))
const interval = Duration.minutes(1)
const readsPerSecond = 10
const pageSize = 100
/** The pause between two pages, so that callbacks can be stored meanwhile. */
const pause = Duration.millis(20)

const reason =
  "no worker was alive for more than 62 minutes, so callbacks may be lost: every transaction is read again"

interface Options {
  readonly ledger: Ledger["Service"]
  readonly journal: Journal["Service"]
  /** The time of a lease, in milliseconds. */
  readonly lease?: number
}

/**
 * Makes the watch of a worker.
 *
 * - `begin`: notices a gap before the first row is claimed.
 * - `isMissed`: tells whether a row was not read since the last gap.
 * - `check`: acts after a gap, and notes that the worker is alive.
 * - `run`: checks at the start, and then every minute.
 * - `noteEnd`: notes that the worker was alive until now.
 */
export const make = ({ journal, lease = defaults.lease, ledger }: Options) => {
  const isWatched = Duration.isFinite(ledger.pollInterval)
  let readSince = -Infinity
  const noteGap = (now: number, last: number) => {
    // A row that was read later in the gap was read by a worker that started after the outage.
    if (now - last > maxGap) readSince = last + maxGap
  }

  const begin = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    noteGap(now, (yield* Progress.untilDone(ledger.lastAliveAt)) ?? now)
  })

  const bringForward = Effect.fnUntraced(function* (now: number, readSince: number) {
    for (const lane of ["repeat", "watch"] as const) {
      let after: PlannedKey | undefined = { dueAt: now, transactionId: "", scope: "card" }
      for (let dueAt = now; after !== undefined; dueAt += (pageSize * 1000) / readsPerSecond) {
        const place = { after, readSince, dueAt, rate: readsPerSecond, limit: pageSize }
        const page: PlannedPage = { lane, ...place }
        after = yield* Progress.untilDone(ledger.bringForward(page))
        yield* Effect.sleep(pause)
      }
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
    // Only now: a worker that ends before is followed by one that notices the same gap.
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
