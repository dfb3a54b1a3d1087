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
import { finalRank, isTerminal, rank, type Status, statuses, table } from "./Status.ts"

/**
 * The claimed and the confirmed statuses of one transaction: an integer, below 2^18 with the nine statuses.
 *
 * The table of `Status` gives the bits of each status: 0 to 8 are the claims of the nine, 9 to 17 their confirmations.
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
export const claimed = (status: Status): Evidence => 1 << table[status].claimed

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
export const confirmed = (status: Status): Evidence => 1 << table[status].confirmed

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

/** Returns the place of a status in the table. */
const place = (status: Status): number => statuses.indexOf(status)

/**
 * Returns the order in which the handler is told: by rank, and below the final rank by place too, so that
 * CUSTOMER_VERIFICATION comes after PROCESSING.
 */
const order = (status: Status): number =>
  rank(status) + (isTerminal(status) ? 0 : place(status) / statuses.length)

/** A standing that several transactions share. */
const shared = (status: Status | undefined, confirmed: boolean): Standing =>
  Object.freeze({ status, rank: status ? rank(status) : 0, confirmed, conflict: null })

/** Every observation, the strongest first: a confirmed status is stronger than its claim. */
const observations = statuses
  .flatMap((status) => [
    { bit: confirmed(status), strength: order(status) + 0.01, standing: shared(status, true) },
    { bit: claimed(status), strength: order(status), standing: shared(status, false) }
  ])
  .toSorted((one, other) => other.strength - one.strength)

/** Returns the evidence of the observations that satisfy a condition. */
const where = (holds: (each: (typeof observations)[number]) => boolean): Evidence =>
  observations.reduce((evidence, each) => (holds(each) ? evidence | each.bit : evidence), none)

/** The observations, each with those of the same strength, itself included. Only those of rank 10 have others. */
const candidates = observations.map((each) => ({
  ...each,
  rivals: where(({ strength }) => strength === each.strength)
}))

/** The observations that count under each policy. */
const counted: Readonly<Record<Policy, Evidence>> = {
  never: where(() => true),
  final: where(({ standing }) => standing.confirmed || standing.rank < finalRank),
  always: where(({ standing }) => standing.confirmed)
}

/** The standing of a transaction of which no observation counts. */
const nothing = shared(undefined, false)

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
  const counts = evidence & counted[policy]
  for (const { bit, rivals, standing } of candidates) {
    if ((counts & bit) === 0) continue
    if ((counts & rivals) === bit) return standing
    const conflict = statuses.filter((each) => counts & rivals & (claimed(each) | confirmed(each)))
    const status = conflict.find((each) => each === read)
    return { ...standing, status, confirmed: standing.confirmed && status !== undefined, conflict }
  }
  return nothing
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
