/**
 * The reads that all processes of a database send in a second. Times are milliseconds since the
 * epoch by the ledger's clock.
 *
 * A process sends a reserved read within `slack` after its time or not at all. Reserved times are
 * at least `(1 s + slack) / rate` apart, so at most `rate` reads are sent in any second. A 429
 * halves the rate, at most once in a second, and pauses all reads for its `Retry-After`, at most 5
 * minutes. The rate then grows by the whole limit in a minute.
 */
import { type ReadLane, readLanes } from "./Row.ts"

export interface ReadBudget {
  readonly nextAt: number
  readonly lowered?: { readonly rate: number; readonly at: number }
  readonly pausedUntil: number
  /** The lane of reads that were put off: less important lanes get none until this time. */
  readonly short?: { readonly lane: ReadLane; readonly until: number }
}

export interface Wanted {
  readonly limit: number
  readonly reads: Readonly<Record<ReadLane, number>>
}

/** The times of the granted reads; `retryAt` is when to ask for the others. */
export interface Reservation {
  readonly at: number
  readonly times: ReadonlyArray<number>
  readonly retryAt: number | undefined
  readonly rate: number
}

/** How late a reserved read may be sent, in milliseconds. */
export const slack = 400

/** How far ahead reads are reserved, in milliseconds. */
export const lookahead = 100

const maxPause = 300_000
const recoveryTime = 60_000
/** The 429 of reads that were sent together lower the rate once. */
const burstTime = 1000
/** The rate that a 429 halves if there is no limit. */
const unlimitedRate = 100
const spacing = 1000 + slack
/** A read planned further ahead was planned before the clock was set back. */
const maxAhead = 5000

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
  const shortTime = 1000 + 2 * interval
  const short =
    budget.short && isWithin(budget.short.until, now, shortTime) ? budget.short : undefined
  const free = Math.max(0, Math.floor((now + lookahead - nextAt) / interval) + 1)
  const length = Math.min(short ? upTo(short.lane) : wanted, free)
  const times = Array.from({ length }, (_, at) => nextAt + at * interval)
  const freeAt = nextAt + length * interval
  const lacking = readLanes.find((lane) => upTo(lane) > length)
  // Each change of a budget is a commit.
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

const rateAt = (budget: ReadBudget, limit: number, now: number): number => {
  const { lowered, pausedUntil } = budget
  if (lowered === undefined) return limit
  // A later time was set before the clock was set back.
  const elapsed = isPaused(budget, now) ? 0 : Math.abs(now - Math.max(lowered.at, pausedUntil))
  const rate = lowered.rate + (fullRate(limit) * elapsed) / recoveryTime
  return rate >= fullRate(limit) ? limit : rate
}

const isPaused = ({ pausedUntil }: ReadBudget, now: number) => isWithin(pausedUntil, now, maxPause)

const isWithin = (time: number, now: number, most: number): boolean =>
  time > now && time <= now + most

const fullRate = (limit: number): number => (Number.isFinite(limit) ? limit : unlimitedRate)

const indexOf = (lane: ReadLane): number => readLanes.indexOf(lane)

export interface ReadUse {
  /** The limit in reads a second, for all processes. */
  readonly limit: number
  /** The current rate in reads a second, lower after a 429. */
  readonly allowed: number
  readonly sent: number
  readonly putOff: Readonly<Record<ReadLane, number>>
  /** The milliseconds by which the oldest read is late that was put off in the last minute. */
  readonly oldestPutOff: number | undefined
}

const memory = 60_000

export const make = (limit: number) => {
  const putOff: Record<ReadLane, number> = { ask: 0, repeat: 0, watch: 0 }
  let sent = 0
  let reserved = { rate: limit, at: -Infinity }
  let oldest = { dueAt: Infinity, at: -Infinity }
  const isRecent = ({ at }: { readonly at: number }, now: number) => Math.abs(now - at) < memory
  return {
    reserve: (rate: number, at: number): void => {
      reserved = { rate, at }
    },
    send: (dueAt: number): void => {
      sent++
      if (dueAt === oldest.dueAt) oldest = { dueAt: Infinity, at: -Infinity }
    },
    putOff: (lane: ReadLane, dueAt: number, at: number): void => {
      putOff[lane]++
      if (dueAt <= oldest.dueAt || !isRecent(oldest, at)) oldest = { dueAt, at }
    },
    read: (now: number): ReadUse => ({
      limit,
      allowed: isRecent(reserved, now) ? reserved.rate : limit,
      sent,
      putOff: { ...putOff },
      oldestPutOff: isRecent(oldest, now) ? Math.max(0, now - oldest.dueAt) : undefined
    })
  }
}

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
