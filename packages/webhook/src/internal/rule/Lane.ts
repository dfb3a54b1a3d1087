/**
 * The lanes of the open work: each row that is due waits in one of five lanes, and a worker has slots of its own for
 * each lane.
 *
 * A service or an application that hangs fills the slots of some lanes. Work in the other lanes does not wait for it.
 */

/**
 * The lanes, the most urgent first.
 *
 * - `tell`: the first call of the handler for a status, or an operation that was registered.
 * - `ask`: the first read for the claim of a final status.
 * - `retry`: another call of the handler after a failed one.
 * - `repeat`: any other read of an open transaction: a poll, or the read for a repeated claim.
 * - `watch`: a read of a transaction that has ended.
 */
export const lanes = ["tell", "ask", "retry", "repeat", "watch"] as const

/** The lane of a row that is due. It says which slots the work is likely to need; the worker decides. */
export type Lane = (typeof lanes)[number]

/** The lanes of reads, the most important first. */
export const readLanes = ["ask", "repeat", "watch"] as const

/** The lane of a read. */
export type ReadLane = (typeof readLanes)[number]

/** A number for each lane. */
export type PerLane = Readonly<Record<Lane, number>>

/** Returns the number of each lane, from one number for all lanes or one for each. */
export const perLane = (numbers: number | PerLane): PerLane =>
  typeof numbers === "number"
    ? { tell: numbers, ask: numbers, retry: numbers, repeat: numbers, watch: numbers }
    : numbers

/** Returns the more urgent of two lanes. */
export const moreUrgent = (one: Lane, two: Lane): Lane =>
  lanes.indexOf(one) <= lanes.indexOf(two) ? one : two
