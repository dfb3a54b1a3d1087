/**
 * Checks that the handler soon gets an end that was reached while no receiver ran (P4).
 */
import type { Plan } from "./Plan.ts"
import type { Trace } from "./Trace.ts"

/**
 * An end of a transaction. Times are in milliseconds from the start.
 *
 * - `acceptedAt`: the first 200 to a callback of the transaction, or `Infinity`.
 * - `toldAt`: the commit of the effects of the end, or of a later status.
 */
interface End {
  readonly acceptedAt: number
  readonly reachedAt: number
  readonly toldAt: number | undefined
}

const minute = 60_000

/** The shortest outage after which all is read again: a minute longer than the repeats of a callback. */
const leastOutage = 63 * minute
const calmTime = 30 * minute
const leaseTime = minute / 2
/** A clock that jumped in this time may leave a wrong note of when a worker was alive. */
const noteTime = 60 * minute

export const make = (trace: Trace, { faults }: Plan) => {
  const outages: Array<{ readonly from: number; readonly to: number }> = []

  const calmAfter = (time: number): number => {
    const fault = faults.find(
      ({ at, duration }) => at < time + calmTime && time < at + duration + leaseTime
    )
    return fault === undefined ? time + calmTime : calmAfter(fault.at + fault.duration + leaseTime)
  }

  return {
    outage: (from: number, to: number) => void outages.push({ from, to }),
    end: (name: string, { acceptedAt, reachedAt, toldAt = Infinity }: End) => {
      for (const { from, to } of outages) {
        // A transaction whose first callback came later has no row to read.
        if (to - from < leastOutage || acceptedAt >= from) continue
        if (reachedAt < from || reachedAt >= to) continue
        const latest = calmAfter(to)
        const isDisturbed =
          outages.some((other) => other.to > to && other.from < latest) ||
          faults.some(
            ({ at, duration, kind }) =>
              kind === "jump" && at < latest && from - noteTime < at + duration
          )
        if (!isDisturbed && toldAt > latest)
          trace.violation(
            "P4",
            `${name} was reached at ${reachedAt} in the outage until ${to} and told at ${toldAt}`
          )
      }
    }
  }
}
