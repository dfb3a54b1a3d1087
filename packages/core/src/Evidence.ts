/**
 * What was observed of one transaction, and where it stands.
 *
 * **Details**
 *
 * A callback is a hint: its checksum covers neither the status nor the time. So every status becomes
 * an observation, either *claimed* (a callback said so) or *confirmed* (the service itself answered
 * so, in a response or a read). The evidence of a transaction is the set of both, two bits a status
 * in one integer below 2^18. Sets only grow: evidence is joined by OR, which is commutative,
 * associative and idempotent, so neither order nor repetition of callbacks matters, and SQL does it
 * in one UPSERT.
 *
 * Beside it stands `read`, the service's last answer; of two, the one asked for later wins.
 *
 * `standing` is the one function that says what the evidence means. This module imports `Status`
 * alone and runs anywhere.
 *
 * @since 0.1.0
 */
import { finalRank, isTerminal, place, rank, type Status, statuses } from "./Status.ts"

/**
 * The statuses claimed and confirmed of one transaction: an integer below 2^18.
 *
 * Bit `i` says that `statuses[i]` was claimed, bit `i + 9` that it was confirmed.
 *
 * @category models
 * @since 0.1.0
 */
export type Evidence = number

/**
 * Which claims count before the service confirmed them.
 *
 * - `final`: those below the final rank; a final status must be confirmed (the default).
 * - `always`: none; every status must be confirmed.
 * - `never`: all; for receivers that cannot reach the service.
 *
 * @category models
 * @since 0.1.0
 */
export type Policy = "final" | "always" | "never"

/**
 * The service's last answer about a transaction, with the time (ms since the epoch) it was asked.
 *
 * @category models
 * @since 0.1.0
 */
export interface Read {
  readonly status: Status
  readonly askedAt: number
}

/**
 * Where a transaction stands.
 *
 * - `status`: the status that holds; undefined when nothing counts, or when the evidence names
 *   several final statuses and no read decides between them.
 * - `rank`: the rank of what holds; 0 when nothing counts.
 * - `confirmed`: the service itself said so.
 * - `conflict`: every final status that holds with equal right, in the order of `statuses`; null
 *   when there is but one.
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

const width = statuses.length

/**
 * The evidence of a transaction of which nothing was observed.
 *
 * @category constructors
 * @since 0.1.0
 */
export const none: Evidence = 0

/**
 * Makes the evidence of one callback's claim.
 *
 * **Gotchas**
 *
 * What comes as text is checked with `isStatus` first.
 *
 * @category constructors
 * @since 0.1.0
 */
export const claimed = (status: Status): Evidence => 1 << place(status)

/**
 * Makes the evidence of one answer of the service: a response or a read.
 *
 * **Gotchas**
 *
 * What comes as text is checked with `isStatus` first.
 *
 * @category constructors
 * @since 0.1.0
 */
export const confirmed = (status: Status): Evidence => claimed(status) << width

/**
 * Joins two pieces of evidence: the set of everything observed.
 *
 * @category combinators
 * @since 0.1.0
 */
export const join = (left: Evidence, right: Evidence): Evidence => left | right

/** The evidence of each status that does so. */
const claimedOf = (holds: (status: Status) => boolean): Evidence =>
  statuses.filter(holds).map(claimed).reduce(join)

const claims = claimedOf(() => true)
const final = claimedOf(isTerminal)

/** The ends that exclude one another: SUCCEED, FAILED and CANCELLED. */
const rivals = claimedOf((status) => rank(status) === finalRank)

/** The rank of each status, by its place. */
const ranks = statuses.map(rank)

const isSeveral = (mask: number): boolean => (mask & (mask - 1)) !== 0

const highest = (mask: number): number => 31 - Math.clz32(mask)

/** The statuses of the nine lowest bits. */
const members = (mask: number): Array<Status> =>
  statuses.filter((_, index) => (mask & (1 << index)) !== 0)

/**
 * Joins two reads: the one that was asked for later. Of two asked in the same millisecond, the one
 * whose status comes later in `statuses`, so that the order of joining never matters.
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
export const claimedStatuses = (evidence: Evidence): Array<Status> => members(evidence)

/**
 * Lists the statuses that the service confirmed.
 *
 * @category getters
 * @since 0.1.0
 */
export const confirmedStatuses = (evidence: Evidence): Array<Status> => members(evidence >> width)

/**
 * Says where a transaction stands, from its evidence, the service's last answer and the policy.
 *
 * **Details**
 *
 * What counts is every confirmed status and the claims the policy lets through. The highest rank
 * that counts stands. Within a rank:
 *
 * - CUSTOMER_VERIFICATION comes before PROCESSING, whichever is confirmed: someone has to act.
 * - A confirmed final status comes before claimed ones.
 * - Of several confirmed final ones the one that `read` names, and `conflict` carries them all.
 * - Several claimed and none confirmed are a conflict without a status, until a read.
 *
 * @category reducers
 * @since 0.1.0
 */
export const standing = (
  evidence: Evidence,
  read: Status | undefined,
  policy: Policy = "final"
): Standing => {
  const sure = evidence >> width
  const said = evidence & claims
  const counts = sure | (policy === "never" ? said : policy === "final" ? said & ~final : 0)
  if (counts === 0) return { status: undefined, rank: 0, confirmed: false, conflict: null }
  const top = highest(counts)
  const held = counts & rivals
  return isSeveral(held) && held >> top !== 0 ? ofRivals(held, sure, read) : at(top, sure)
}

const at = (index: number, sure: number): Standing => ({
  status: statuses[index],
  rank: ranks[index] ?? 0,
  confirmed: (sure & (1 << index)) !== 0,
  conflict: null
})

/** Says where a transaction stands that has several ends: the confirmed ones come before those claimed. */
const ofRivals = (held: number, sure: number, read: Status | undefined): Standing => {
  const stands = (held & sure) === 0 ? held : held & sure
  const one = at(highest(stands), sure)
  if (!isSeveral(stands)) return one
  const conflict = members(stands)
  const status = conflict.find((each) => each === read)
  return { ...one, status, confirmed: one.confirmed && status !== undefined, conflict }
}

/** CUSTOMER_VERIFICATION is told after PROCESSING, though they share a rank. */
const height = (status: Status): number =>
  rank(status) + (status === "CUSTOMER_VERIFICATION" ? 0.5 : 0)

/**
 * Says which status the handler is to be told of, if any: one that stands, differs from what it was
 * last told, and is not below it.
 *
 * **Details**
 *
 * Told ranks never fall. An equal rank is told only for CUSTOMER_VERIFICATION after PROCESSING, and
 * for a final status that changed. What was passed over is not told.
 *
 * @category reducers
 * @since 0.1.0
 */
export const news = ({ status }: Standing, told: Status | undefined): Status | undefined =>
  status !== undefined && status !== told && (told === undefined || height(status) >= height(told))
    ? status
    : undefined

/**
 * Lists the claims that only the service can settle: not confirmed, and of a rank and policy that
 * lets them change where the transaction stands.
 *
 * @category getters
 * @since 0.1.0
 */
export const unsettled = (
  evidence: Evidence,
  read: Status | undefined,
  policy: Policy = "final"
): Array<Status> => {
  const stands = standing(evidence, read, policy)
  const least = stands.status === undefined ? stands.rank : height(stands.status)
  return members(evidence & ~(evidence >> width)).filter((status) =>
    policy === "never"
      ? stands.status === undefined && rank(status) === stands.rank
      : (policy === "always" || isTerminal(status)) && height(status) >= least
  )
}

/**
 * Tells whether the service went back: its last answer ranks below what it had confirmed before.
 *
 * @category guards
 * @since 0.1.0
 */
export const wentBack = (evidence: Evidence, read: Status | undefined): boolean =>
  read !== undefined && rank(read) < standing(evidence & ~claims, read, "always").rank
