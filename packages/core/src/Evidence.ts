/**
 * The evidence of a transaction: the statuses that were observed, and the status that holds.
 *
 * **Details**
 *
 * The checksum of a callback covers neither the status nor the time, so a callback alone proves nothing.
 * Every observed status is therefore either *claimed* (a callback states it) or *confirmed* (the service
 * states it in a response or a read). The evidence of a transaction is the set of both, with two bits for
 * each status in one integer. Evidence is joined by OR, which is commutative, associative and idempotent:
 * the order and repetition of callbacks make no difference, and SQL joins evidence in one UPSERT.
 *
 * A ledger stores the last `Read` beside the evidence: the status that the service returned, and the time of
 * the request. Of two reads the one that was requested later is kept.
 *
 * Only `standing` interprets the evidence. This module imports only `Status` and runs in any
 * JavaScript runtime.
 *
 * @since 0.1.0
 */
import { finalRank, isTerminal, place, rank, type Status, statuses } from "./Status.ts"

/**
 * The claimed and the confirmed statuses of one transaction: an integer below 2^18.
 *
 * Bits 0 to 8 are the claims of the nine statuses, bits 9 to 17 their confirmations, both in the order of
 * `statuses`.
 *
 * @category models
 * @since 0.1.0
 */
export type Evidence = number

/**
 * The policy decides which claims count before the service confirms them.
 *
 * - `final`: claims of a status below the final rank count; a final status must be confirmed (the default).
 * - `always`: no claim counts; every status must be confirmed.
 * - `never`: every claim counts; for receivers that cannot reach the service.
 *
 * @category models
 * @since 0.1.0
 */
export type Policy = "final" | "always" | "never"

/**
 * The last result of reading a transaction: the status that the service returned, and the time of the
 * request in milliseconds since the epoch.
 *
 * @category models
 * @since 0.1.0
 */
export interface Read {
  readonly status: Status
  readonly askedAt: number
}

/**
 * The conclusion from the evidence of a transaction.
 *
 * - `status`: the status that holds; undefined when no observation counts, or in a conflict before a read
 *   decides it.
 * - `rank`: the highest rank that counts; 0 when no observation counts.
 * - `confirmed`: whether the service confirmed `status`.
 * - `conflict`: the final statuses of rank 10 among which only a read decides, in the order of `statuses`; null
 *   when there is no conflict.
 *
 * @category models
 * @since 0.1.0
 */
export interface Standing {
  readonly status: Status | undefined
  readonly rank: number
  readonly confirmed: boolean
  readonly conflict: Array<Status> | null
}

/**
 * Returns the number of the bit of a claimed status. Ledgers store these bits, so an existing line never changes
 * here or in `confirmedBits`. A tenth status takes bits 18 and 19.
 *
 * Every callback needs this lookup. With a table in place of the switch, `join` and `standing` of a callback
 * take a tenth longer.
 */
const claimedBit = (status: Status): number => {
  switch (status) {
    case "NEW":
      return 0
    case "PENDING":
      return 1
    case "PROCESSING":
      return 2
    case "CUSTOMER_VERIFICATION":
      return 3
    case "SUCCEED":
      return 4
    case "FAILED":
      return 5
    case "CANCELLED":
      return 6
    case "REFUNDED":
      return 7
    case "CHARGEBACK":
      return 8
  }
}

/** The number of the bit of each confirmed status. */
const confirmedBits: Readonly<Record<Status, number>> = {
  NEW: 9,
  PENDING: 10,
  PROCESSING: 11,
  CUSTOMER_VERIFICATION: 12,
  SUCCEED: 13,
  FAILED: 14,
  CANCELLED: 15,
  REFUNDED: 16,
  CHARGEBACK: 17
}

/**
 * The evidence of a transaction without any observation.
 *
 * @category constructors
 * @since 0.1.0
 */
export const none: Evidence = 0

/**
 * Makes the evidence of one callback: its status is claimed.
 *
 * **Gotchas**
 *
 * Check text from outside with `isStatus` first.
 *
 * @category constructors
 * @since 0.1.0
 */
export const claimed = (status: Status): Evidence => 1 << claimedBit(status)

/**
 * Makes the evidence of one response or read: its status is confirmed.
 *
 * **Gotchas**
 *
 * Check text from outside with `isStatus` first.
 *
 * @category constructors
 * @since 0.1.0
 */
export const confirmed = (status: Status): Evidence => 1 << confirmedBits[status]

/**
 * Joins two pieces of evidence: the union of their observations.
 *
 * @category combinators
 * @since 0.1.0
 */
export const join = (left: Evidence, right: Evidence): Evidence => left | right

/**
 * Joins two reads: returns the one that was requested later. Of two requests in the same millisecond,
 * returns the one whose status comes later in `statuses`, so that the order of joining makes no difference.
 *
 * @category combinators
 * @since 0.1.0
 */
export const joinRead = (left: Read | undefined, right: Read | undefined): Read | undefined => {
  if (left === undefined || right === undefined) return left ?? right
  const later = right.askedAt - left.askedAt || place(right.status) - place(left.status)
  return later > 0 ? right : left
}

/**
 * Lists the statuses that callbacks claimed.
 *
 * @category getters
 * @since 0.1.0
 */
export const claimedStatuses = (evidence: Evidence): Array<Status> =>
  statuses.filter((status) => evidence & claimed(status))

/**
 * Lists the statuses that the service confirmed.
 *
 * @category getters
 * @since 0.1.0
 */
export const confirmedStatuses = (evidence: Evidence): Array<Status> =>
  statuses.filter((status) => evidence & confirmed(status))

/** Returns the order in which the handler is told: by rank, and CUSTOMER_VERIFICATION after PROCESSING. */
const order = (status: Status): number =>
  rank(status) + (status === "CUSTOMER_VERIFICATION" ? 0.5 : 0)

/** One bit of evidence. */
interface Observation {
  readonly bit: Evidence
  /** Of all observations that count, the strongest one holds. */
  readonly strength: number
  /** The standing if this observation is the strongest one, and has no rival. */
  readonly standing: Standing
}

/** A confirmed status is stronger than its claim. */
const observation = (bit: Evidence, status: Status, confirmed: boolean): Observation => ({
  bit,
  strength: order(status) + (confirmed ? 0.25 : 0),
  standing: Object.freeze({ status, rank: rank(status), confirmed, conflict: null })
})

const all = statuses.flatMap((status) => [
  observation(claimed(status), status, false),
  observation(confirmed(status), status, true)
])

/** Returns the evidence of all observations whose strength satisfies a condition. */
const where = (holds: (strength: number) => boolean): Evidence =>
  all.reduce((evidence, { bit, strength }) => (holds(strength) ? evidence | bit : evidence), none)

/** Each observation, by the number of its bit, with the observations that it is compared with. */
const compared: Array<{
  readonly standing: Standing
  /** The stronger observations. */
  readonly above: Evidence
  /** The observations of the same strength, this one included. Only those of rank 10 have others. */
  readonly rivals: Evidence
}> = []
for (const { bit, standing, strength: own } of all) {
  compared[31 - Math.clz32(bit)] = {
    standing,
    above: where((other) => other > own),
    rivals: where((other) => other === own)
  }
}

/** The standing of a transaction of which no observation counts. */
const nothing: Standing = Object.freeze({
  status: undefined,
  rank: 0,
  confirmed: false,
  conflict: null
})

/** The observations that count under each policy. */
const countsNever = where(() => true)
const countsAlways = statuses.map(confirmed).reduce(join)
const countsFinal = countsAlways | where((strength) => strength < finalRank)

/**
 * Returns the standing of a transaction, from its evidence, the status of its last read and the policy.
 *
 * **Details**
 *
 * Every confirmed status counts, and every claim that the policy admits. The counted status of the highest
 * rank holds. Within one rank:
 *
 * - CUSTOMER_VERIFICATION takes precedence over PROCESSING, even if only PROCESSING is confirmed, because the
 *   customer has to act.
 * - A confirmed final status takes precedence over a claimed one.
 * - If several final statuses are confirmed, the one that `read` names holds, and `conflict` lists them all.
 * - If several final statuses are claimed and none is confirmed, `conflict` lists them all, and no status
 *   holds until a read names one.
 *
 * @category reducers
 * @since 0.1.0
 */
export const standing = (
  evidence: Evidence,
  read: Status | undefined,
  policy: Policy = "final"
): Standing => {
  const counts =
    evidence & (policy === "never" ? countsNever : policy === "final" ? countsFinal : countsAlways)
  if (counts === 0) return nothing
  // Finds the strongest observation: starts at the highest bit, and moves to a stronger one until there is none.
  // That usually takes one or two steps. A search through the statuses takes 1.5 times as long.
  let top = compared[31 - Math.clz32(counts)]!
  for (let above = counts & top.above; above !== 0; above = counts & top.above) {
    top = compared[31 - Math.clz32(above)]!
  }
  const rivals = counts & top.rivals
  // The standing is a conflict if more than one bit is set in `rivals`.
  return (rivals & (rivals - 1)) === 0 ? top.standing : conflicting(rivals, top.standing, read)
}

const conflicting = (rivals: Evidence, top: Standing, read: Status | undefined): Standing => {
  const conflict = statuses.filter((each) => rivals & (claimed(each) | confirmed(each)))
  const status = conflict.find((each) => each === read)
  return { ...top, status, confirmed: top.confirmed && status !== undefined, conflict }
}

/**
 * Returns the status that the handler is told next: the status that holds, if it differs from the status
 * the handler was last told and does not come before it; else undefined.
 *
 * **Details**
 *
 * The ranks that the handler is told never fall. It is told a second status of the same rank in two cases:
 * CUSTOMER_VERIFICATION after PROCESSING, and another final status. The handler is never told a skipped
 * status later.
 *
 * @category reducers
 * @since 0.1.0
 */
export const news = ({ status }: Standing, told: Status | undefined): Status | undefined =>
  status !== undefined && status !== told && (told === undefined || order(status) >= order(told))
    ? status
    : undefined

/**
 * Lists the claims that need a read of the service: they are not confirmed, and under the policy a
 * confirmation could change the status that holds.
 *
 * @category getters
 * @since 0.1.0
 */
export const unsettled = (
  evidence: Evidence,
  read: Status | undefined,
  policy: Policy = "final"
): Array<Status> => {
  const current = standing(evidence, read, policy)
  const least = current.status === undefined ? current.rank : order(current.status)
  return claimedStatuses(evidence).filter(
    (status) =>
      !(evidence & confirmed(status)) &&
      (policy === "never"
        ? current.status === undefined && rank(status) === current.rank
        : (policy === "always" || isTerminal(status)) && order(status) >= least)
  )
}

/**
 * Tells whether the service went back: the status of the last read ranks below a status that the service
 * confirmed before.
 *
 * @category guards
 * @since 0.1.0
 */
export const wentBack = (evidence: Evidence, read: Status | undefined): boolean =>
  read !== undefined && rank(read) < standing(evidence, read, "always").rank
