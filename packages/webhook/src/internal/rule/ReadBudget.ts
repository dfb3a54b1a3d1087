/**
 * The read budget: the most reads that all processes of a database send to the service in a second.
 *
 * A process reserves reads before it sends them: it gets a time for each, and sends each within `slack` after its time or not at
 * all. Two times are at least `(1 s + slack) / rate` apart, so at most `rate` reads are sent in any second, whoever crashes.
 *
 * After a 429 the rate is halved, at most once in a second, and no read is granted before the `Retry-After` of the response, at most
 * 5 minutes. From then on the rate grows evenly, by the whole limit in a minute.
 *
 * Every function is pure. Times are milliseconds since the epoch, by the clock of the ledger that keeps the budget.
 */
import { type ReadLane, readLanes } from "./Row.ts"

/**
 * The state of a budget.
 *
 * - `nextAt`: the earliest time of the next read.
 * - `lowered`: the rate after the last 429, and when it came.
 * - `pausedUntil`: no read is granted before this time.
 * - `short`: a process lacked reads of this lane, so no less important ones are granted until this time.
 */
export interface ReadBudget {
  readonly nextAt: number
  readonly lowered?: { readonly rate: number; readonly at: number }
  readonly pausedUntil: number
  readonly short?: { readonly lane: ReadLane; readonly until: number }
}

/** The reads that a process wants to send. `limit` is the most reads in a second; `Infinity` for no limit. */
export interface Wanted {
  readonly limit: number
  readonly reads: Readonly<Record<ReadLane, number>>
}

/**
 * The result of a reservation, which was made `at` a time of the ledger: the `times` of reads of any lane, when to ask for the
 * others, and the reads that are granted in a second now.
 */
export interface Reservation {
  readonly at: number
  readonly times: ReadonlyArray<number>
  readonly retryAt: number | undefined
  readonly rate: number
}

/** The longest time between the time of a read and its sending, in milliseconds. */
export const slack = 400

/**
 * The longest time for which reads are reserved ahead, in milliseconds. A read may wait so long behind less important ones.
 */
export const lookahead = 100

const maxPause = 300_000
/** The time in which the rate grows by the whole limit. */
const recoveryTime = 60_000
/** The 429 of reads that were sent together lower the rate once. */
const burstTime = 1000
/** The rate to halve where there is no limit. */
const unlimitedRate = 100
/** The time of as many reads as the rate. */
const spacing = 1000 + slack
/** A read that is planned later than this was planned before the clock was set back. */
const maxAhead = 5000

/** Reserves reads. Returns the same `budget` if it does not change. */
export const reserve = (
  budget: ReadBudget,
  { limit, reads }: Wanted,
  now: number
): { readonly budget: ReadBudget; readonly reservation: Reservation } => {
  const upTo = (lane: ReadLane) =>
    readLanes.slice(0, indexOf(lane) + 1).reduce((sum, each) => sum + reads[each], 0)
  const wanted = upTo("watch")
  const answer = (rate: number, times: ReadonlyArray<number>, retryAt: number) => {
    return { at: now, times, retryAt: times.length < wanted ? retryAt : undefined, rate }
  }
  if (isPaused(budget, now)) return { budget, reservation: answer(0, [], budget.pausedUntil) }
  const rate = rateAt(budget, limit, now)
  if (rate === Infinity) {
    const times = Array.from({ length: wanted }, () => now)
    return { budget, reservation: answer(rate, times, now) }
  }
  const interval = spacing / rate
  const isOfLaterClock = budget.nextAt > now + interval + maxAhead
  const nextAt = isOfLaterClock ? now + spacing : Math.max(budget.nextAt, now)
  // A process that lacks reads asks again within this time.
  const shortTime = 1000 + 2 * interval
  const short =
    budget.short && isWithin(budget.short.until, now, shortTime) ? budget.short : undefined
  const free = Math.max(0, Math.floor((now + lookahead - nextAt) / interval) + 1)
  const length = Math.min(short ? upTo(short.lane) : wanted, free)
  const times = Array.from({ length }, (_, at) => nextAt + at * interval)
  const freeAt = nextAt + length * interval
  const lacking = readLanes.find((lane) => upTo(lane) > length)
  // Each change of a budget is a commit, so it is written now and then, and nothing is less important than the watch.
  const isNewlyShort =
    lacking !== undefined &&
    lacking !== "watch" &&
    !(short && indexOf(short.lane) <= indexOf(lacking) && short.until > now + shortTime / 2)
  const changed = { ...budget, nextAt: freeAt }
  return {
    budget: isNewlyShort
      ? { ...changed, short: { lane: lacking, until: now + shortTime } }
      : length > 0 || isOfLaterClock
        ? changed
        : budget,
    reservation: answer(rate, times, Math.max(freeAt - lookahead, now))
  }
}

/** Lowers the rate after a 429. `retryAfter` is the wait that the response asks for, in milliseconds. */
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

/** Returns the reads that are granted in a second. */
const rateAt = (budget: ReadBudget, limit: number, now: number): number => {
  const { lowered, pausedUntil } = budget
  if (lowered === undefined) return limit
  // A time that is later than now, apart from a pause, is older than a clock that was set back.
  const elapsed = isPaused(budget, now) ? 0 : Math.abs(now - Math.max(lowered.at, pausedUntil))
  const rate = lowered.rate + (fullRate(limit) * elapsed) / recoveryTime
  return rate >= fullRate(limit) ? limit : rate
}

const isPaused = ({ pausedUntil }: ReadBudget, now: number) => isWithin(pausedUntil, now, maxPause)

const isWithin = (time: number, now: number, most: number): boolean =>
  time > now && time <= now + most

const fullRate = (limit: number): number => (Number.isFinite(limit) ? limit : unlimitedRate)

const indexOf = (lane: ReadLane): number => readLanes.indexOf(lane)

/**
 * The use since the start of the process.
 *
 * - `limit`: the most reads that all processes may send in a second; `Infinity` without a limit. `allowed` is smaller after a
 *   429.
 * - `sent`: the reads of this process that were sent.
 * - `putOff`: how often a read of each lane was put off.
 * - `oldestPutOff`: of the reads that were put off in the last minute, how late the oldest one is, in milliseconds.
 */
export interface ReadUse {
  readonly limit: number
  readonly allowed: number
  readonly sent: number
  readonly putOff: Readonly<Record<ReadLane, number>>
  readonly oldestPutOff: number | undefined
}

/** How long a rate and a read that was put off are remembered, in milliseconds. */
const memory = 60_000

/** Makes the record of a worker with a limit. Times are milliseconds since the epoch. */
export const make = (limit: number) => {
  const putOff: Record<ReadLane, number> = { ask: 0, repeat: 0, watch: 0 }
  let sent = 0
  let reserved = { rate: limit, at: -Infinity }
  let oldest = { dueAt: Infinity, at: -Infinity }
  const isRecent = ({ at }: { readonly at: number }, now: number) => Math.abs(now - at) < memory
  return {
    /** Notes the rate of a reservation. */
    reserve: (rate: number, at: number): void => {
      reserved = { rate, at }
    },
    /** Notes that a read is sent that was due at a time. */
    send: (dueAt: number): void => {
      sent++
      if (dueAt === oldest.dueAt) oldest = { dueAt: Infinity, at: -Infinity }
    },
    /** Notes that a read was put off that was due at a time. */
    putOff: (lane: ReadLane, dueAt: number, at: number): void => {
      putOff[lane]++
      if (dueAt <= oldest.dueAt || !isRecent(oldest, at)) oldest = { dueAt, at }
    },
    /** Returns the use. */
    read: (now: number): ReadUse => ({
      limit,
      allowed: isRecent(reserved, now) ? reserved.rate : limit,
      sent,
      putOff: { ...putOff },
      oldestPutOff: isRecent(oldest, now) ? Math.max(0, now - oldest.dueAt) : undefined
    })
  }
}

/** Returns the use of several shards together. */
export const sum = (uses: ReadonlyArray<ReadUse>): ReadUse => {
  const total = (one: (use: ReadUse) => number) => uses.reduce((all, use) => all + one(use), 0)
  const late = uses.flatMap(({ oldestPutOff }) => oldestPutOff ?? [])
  return {
    limit: total(({ limit }) => limit),
    allowed: total(({ allowed }) => allowed),
    sent: total(({ sent }) => sent),
    putOff: {
      ask: total(({ putOff }) => putOff.ask),
      repeat: total(({ putOff }) => putOff.repeat),
      watch: total(({ putOff }) => putOff.watch)
    },
    oldestPutOff: late.length === 0 ? undefined : Math.max(...late)
  }
}
