/**
 * The read budget: the most reads that all processes of a database send to the service in a second.
 *
 * **Details**
 *
 * A process reserves its reads before it sends them. A reservation is a list of times, one for each read, and a read is
 * sent within `slack` after its time or not at all. Two times are at least `(1 s + slack) / rate` apart, so at most
 * `rate` reads are sent in any second, whichever process sends them and whichever of them crash.
 *
 * Reads are reserved for at most the next `lookahead`, and go by importance: first reads of claims, then other open
 * reads, then the watch of transactions that have ended. If the more important reads of one process were not all granted,
 * no process gets less important ones for a while.
 *
 * After a 429 the rate is halved, at most once in a second, and no read is granted before the `Retry-After` of the
 * response, at most 5 minutes. From then on the rate grows evenly, by the whole limit in a minute.
 *
 * Every function is pure. A ledger keeps one budget, and applies these functions to it one after the other. Times are
 * milliseconds since the epoch, by the clock of the ledger.
 *
 * @since 0.1.0
 */

/**
 * The lanes of reads, the most important first.
 *
 * @category constants
 * @since 0.1.0
 */
export const readLanes = ["ask", "repeat", "watch"] as const

/**
 * The lane of a read (`Lane`).
 *
 * @category models
 * @since 0.1.0
 */
export type ReadLane = (typeof readLanes)[number]

/**
 * The state of a budget.
 *
 * - `nextAt`: the earliest time of the next read.
 * - `lowered`: the rate after the last 429, and when it came; undefined before the first.
 * - `pausedUntil`: no read is granted before this time.
 * - `shortUntil`: until this time only lanes up to the one at this position are granted. A process lacked reads in it.
 *
 * @category models
 * @since 0.1.0
 */
export interface ReadBudget {
  readonly nextAt: number
  readonly lowered: { readonly rate: number; readonly at: number } | undefined
  readonly pausedUntil: number
  readonly shortUntil: Readonly<Record<"ask" | "repeat", number>>
}

/**
 * The reads that a process wants to send. `limit` is the most reads in a second; `Infinity` for no limit.
 *
 * @category models
 * @since 0.1.0
 */
export interface Wanted {
  readonly limit: number
  readonly reads: Readonly<Record<ReadLane, number>>
}

/**
 * The result of a reservation.
 *
 * - `at`: the time of the ledger at which the reads were reserved.
 * - `times`: the time of each read, in order. Any lane may use it.
 * - `retryAt`: when to ask for the others; undefined if all reads were granted.
 * - `rate`: the reads that are granted in a second now.
 *
 * @category models
 * @since 0.1.0
 */
export interface Reservation {
  readonly at: number
  readonly times: ReadonlyArray<number>
  readonly retryAt: number | undefined
  readonly rate: number
}

/**
 * The longest time between the time of a read and its sending, in milliseconds.
 *
 * @category constants
 * @since 0.1.0
 */
export const slack = 400

/**
 * The longest time for which reads are reserved ahead, in milliseconds. A read waits for this long behind less
 * important ones of other processes.
 *
 * @category constants
 * @since 0.1.0
 */
export const lookahead = 100

/**
 * The time in which the rate grows by the whole limit, in milliseconds.
 *
 * @category constants
 * @since 0.1.0
 */
export const recoveryTime = 60_000

/** The longest pause after a 429, in milliseconds. */
const maxPause = 300_000
/** The 429 of reads that were sent together lower the rate once. */
const burstTime = 1000
/** The rate to halve where there is no limit. */
const unlimitedRate = 100
/** A budget whose next read is later than this was written before the clock was set back, in milliseconds. */
const maxAhead = 5000

/**
 * A budget from which nothing was reserved.
 *
 * @category constants
 * @since 0.1.0
 */
export const unused: ReadBudget = {
  nextAt: 0,
  lowered: undefined,
  pausedUntil: 0,
  shortUntil: { ask: 0, repeat: 0 }
}

/**
 * Returns the reads that are granted in a second.
 *
 * @category getters
 * @since 0.1.0
 */
export const rateAt = (budget: ReadBudget, limit: number, now: number): number => {
  const { lowered, pausedUntil } = budget
  if (lowered === undefined) return limit
  // A time that is later than now, apart from a pause, is older than a clock that was set back.
  const elapsed = isPaused(budget, now) ? 0 : Math.abs(now - Math.max(lowered.at, pausedUntil))
  const full = fullRate(limit)
  const rate = lowered.rate + (full * elapsed) / recoveryTime
  return rate >= full ? limit : rate
}

/**
 * Reserves reads. Returns the same `budget` if it does not change.
 *
 * @category reducers
 * @since 0.1.0
 */
export const reserve = (
  budget: ReadBudget,
  { limit, reads }: Wanted,
  now: number
): { readonly budget: ReadBudget; readonly reservation: Reservation } => {
  const wanted = reads.ask + reads.repeat + reads.watch
  if (isPaused(budget, now)) {
    return { budget, reservation: { at: now, times: [], retryAt: budget.pausedUntil, rate: 0 } }
  }
  const rate = rateAt(budget, limit, now)
  if (rate === Infinity) {
    const times = Array.from({ length: wanted }, () => now)
    return { budget, reservation: { at: now, times, retryAt: undefined, rate } }
  }
  const interval = (1000 + slack) / rate
  /** Long enough for a process that lacks reads to ask again. */
  const shortTime = 1000 + 2 * interval
  const shortFor = (lane: "ask" | "repeat") => {
    const left = budget.shortUntil[lane] - now
    return left > 0 && left <= shortTime ? left : 0
  }
  const allowed =
    reads.ask +
    (shortFor("ask") > 0 ? 0 : reads.repeat) +
    (shortFor("ask") + shortFor("repeat") > 0 ? 0 : reads.watch)
  const isOfLaterClock = budget.nextAt > now + interval + maxAhead
  const nextAt = isOfLaterClock ? now + 1000 + slack : Math.max(budget.nextAt, now)
  const times: Array<number> = []
  while (times.length < allowed && nextAt + times.length * interval <= now + lookahead) {
    times.push(nextAt + times.length * interval)
  }
  const freeAt = nextAt + times.length * interval
  /** Is written only now and then, because each change of a budget is a commit. */
  const untilIf = (lane: "ask" | "repeat", wantedUpToLane: number) =>
    reads[lane] > 0 && wantedUpToLane > times.length && shortFor(lane) < shortTime / 2
      ? now + shortTime
      : budget.shortUntil[lane]
  const shortUntil = {
    ask: untilIf("ask", reads.ask),
    repeat: untilIf("repeat", reads.ask + reads.repeat)
  }
  const isChanged =
    times.length > 0 ||
    isOfLaterClock ||
    shortUntil.ask !== budget.shortUntil.ask ||
    shortUntil.repeat !== budget.shortUntil.repeat
  return {
    budget: isChanged ? { ...budget, nextAt: freeAt, shortUntil } : budget,
    reservation: {
      at: now,
      times,
      retryAt: times.length === wanted ? undefined : Math.max(freeAt - lookahead, now),
      rate
    }
  }
}

/**
 * Lowers the rate after a 429. `retryAfter` is the wait that the response asks for, in milliseconds.
 *
 * @category reducers
 * @since 0.1.0
 */
export const lower = (
  budget: ReadBudget,
  { limit, retryAfter = 0 }: { readonly limit: number; readonly retryAfter?: number | undefined },
  now: number
): ReadBudget => {
  const { lowered } = budget
  const until = now + Math.min(retryAfter, maxPause)
  const rate = Math.min(rateAt(budget, limit, now), fullRate(limit))
  const isSameBurst = lowered !== undefined && Math.abs(now - lowered.at) < burstTime
  return {
    ...budget,
    lowered: isSameBurst ? lowered : { rate: Math.max(Math.min(limit, 1), rate / 2), at: now },
    pausedUntil: isPaused(budget, now) ? Math.max(budget.pausedUntil, until) : until
  }
}

const isPaused = ({ pausedUntil }: ReadBudget, now: number): boolean =>
  pausedUntil > now && pausedUntil <= now + maxPause

const fullRate = (limit: number): number => (Number.isFinite(limit) ? limit : unlimitedRate)
