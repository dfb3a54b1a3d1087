/**
 * The use of the read budget by one process: the reads that it may send, those that it sent, and those that it put off.
 *
 * **Details**
 *
 * It is for a person who looks at one process now, as `Activity` is. The budget itself is `ReadBudget`.
 */
import type { ReadLane } from "./Lane.ts"

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
