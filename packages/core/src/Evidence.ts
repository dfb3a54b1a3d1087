/**
 * The evidence of a transaction: the statuses that were observed, and the status that holds.
 *
 * **Details**
 *
 * The checksum of a callback does not cover the status. So an observed status is *claimed* (a
 * callback states it) or *confirmed* (a response or a read of the service states it). Evidence is
 * one integer with two bits for each status, joined by OR: order and repetition make no difference.
 *
 * This module imports only `Status` and runs in any JavaScript runtime.
 *
 * @since 0.1.0
 */
import { finalRank, isTerminal, rank, type Status, statuses, table } from "./Status.ts"

/**
 * The observed statuses of one transaction as bits of an integer below 2^18; `Status.table` numbers them.
 *
 * @category models
 * @since 0.1.0
 */
export type Evidence = number

/**
 * The claims that count before the service confirms them.
 *
 * - `final` (default): claims below the final rank; a final status must be confirmed.
 * - `always`: none; every status must be confirmed.
 * - `never`: all; for receivers that cannot reach the service.
 *
 * @category models
 * @since 0.1.0
 */
export type Policy = "final" | "always" | "never"

/**
 * The last read of a transaction.
 *
 * @category models
 * @since 0.1.0
 */
export interface Read {
  /** Status that the service returned. */
  readonly status: Status
  /** Time of the request, in milliseconds since the epoch. */
  readonly askedAt: number
}

/**
 * The conclusion from the evidence of a transaction.
 *
 * @category models
 * @since 0.1.0
 */
export interface Standing {
  /** Status that holds; undefined when no observation counts, or in a conflict that no read has decided. */
  readonly status: Status | undefined
  /** Highest rank that counts; 0 when no observation counts. */
  readonly rank: number
  /** Whether the service confirmed `status`. */
  readonly confirmed: boolean
  /** Final statuses of rank 10 among which only a read decides; null without a conflict. */
  readonly conflict: Array<Status> | null
}

/**
 * The evidence without any observation.
 *
 * @category constructors
 * @since 0.1.0
 */
export const none: Evidence = 0

/**
 * Makes the evidence of a callback. Check text from outside with `isStatus` first.
 *
 * @category constructors
 * @since 0.1.0
 */
export const claimed = (status: Status): Evidence => 1 << table[status].claimed

/**
 * Makes the evidence of a response or a read. Check text from outside with `isStatus` first.
 *
 * @category constructors
 * @since 0.1.0
 */
export const confirmed = (status: Status): Evidence => 1 << table[status].confirmed

/**
 * Joins the observations of two pieces of evidence.
 *
 * @category combinators
 * @since 0.1.0
 */
export const join = (left: Evidence, right: Evidence): Evidence => left | right

/**
 * Returns the read that was requested later; of two in one millisecond, the one whose status is later in
 * `statuses`.
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

const place = (status: Status): number => statuses.indexOf(status)

/**
 * Transitions go by rank, and below the final one by place: CUSTOMER_VERIFICATION after PROCESSING.
 */
const order = (status: Status): number =>
  rank(status) + (isTerminal(status) ? 0 : place(status) / statuses.length)

const shared = (status: Status | undefined, confirmed: boolean): Standing =>
  Object.freeze({ status, rank: status ? rank(status) : 0, confirmed, conflict: null })

/** Every observation, the strongest first. A confirmed status is stronger than its claim. */
const observations = statuses
  .flatMap((status) => [
    { bit: confirmed(status), strength: order(status) + 0.01, standing: shared(status, true) },
    { bit: claimed(status), strength: order(status), standing: shared(status, false) }
  ])
  .toSorted((one, other) => other.strength - one.strength)

const where = (holds: (each: (typeof observations)[number]) => boolean): Evidence =>
  observations.reduce((evidence, each) => (holds(each) ? evidence | each.bit : evidence), none)

/** The observations, each with those of equal strength. Only rank 10 has several. */
const candidates = observations.map((each) => ({
  ...each,
  rivals: where(({ strength }) => strength === each.strength)
}))

const counted: Readonly<Record<Policy, Evidence>> = {
  never: where(() => true),
  final: where(({ standing }) => standing.confirmed || standing.rank < finalRank),
  always: where(({ standing }) => standing.confirmed)
}

const nothing = shared(undefined, false)

/**
 * Returns the standing of a transaction. Of the confirmed statuses and the claims that the policy admits,
 * the highest rank holds.
 *
 * **Details**
 *
 * Within one rank:
 *
 * - CUSTOMER_VERIFICATION takes precedence over PROCESSING, even over a confirmed one, because the
 *   customer has to act.
 * - A confirmed final status takes precedence over a claimed one.
 * - Of several confirmed final statuses the one that `read` names holds, and of several claimed ones
 *   none until a read names one; `conflict` lists them.
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
 * Returns the next status for the handler: the one that holds, unless the handler received it or it comes
 * before `told`.
 *
 * **Details**
 *
 * The rank never falls. Within a rank only CUSTOMER_VERIFICATION follows PROCESSING, and one final
 * status another. A skipped status never follows.
 *
 * @category reducers
 * @since 0.1.0
 */
export const news = ({ status }: Standing, told: Status | undefined): Status | undefined =>
  status !== undefined && status !== told && (told === undefined || order(status) >= order(told))
    ? status
    : undefined

/**
 * Lists the unconfirmed claims whose confirmation could change the status that holds: each needs a read of
 * the service.
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
 * Tells whether the last read ranks below a status that the service confirmed before.
 *
 * @category guards
 * @since 0.1.0
 */
export const wentBack = (evidence: Evidence, read: Status | undefined): boolean =>
  read !== undefined && rank(read) < standing(evidence, read, "always").rank
