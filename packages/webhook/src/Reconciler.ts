/**
 * Says when the service is to be asked about a row, so that a callback that never comes is not missed.
 *
 * **Details**
 *
 * A row follows one of four plans, each a sequence of waits between reads:
 *
 * - *ahead*: a claim waits for the service to come after: at once, then after 1, 2, 5, 15 and 60
 *   seconds, then the ladder.
 * - *contradicted*: a claim stands against what the service says: at once, then after 5 and 60
 *   seconds, then the ladder once.
 * - *open*: the transaction has not ended: the ladder, `Profile.pollGaps`, its last gap repeating, for
 *   180 days from the last callback that brought a new status.
 * - *closed*: it ended; a REFUNDED or CHARGEBACK may follow and its callback be lost. A payment in
 *   SUCCEED or REFUNDED is read after 12 hours, then at doubling gaps to 64 days; FAILED and CANCELLED
 *   once, after 12 hours.
 *
 * Beside the plan, a claim that the service has not confirmed makes the row due now, exact repeats too:
 * such a read never moves the plan, and is made again after 15 seconds if it is not answered. A claim of
 * the millisecond of a read may have come after it, and is read again. No row is read more than once a
 * second.
 *
 * @since 0.1.0
 */
import * as Evidence from "@pawl/core/Evidence"
import type { Switches } from "@pawl/core/Profile"
import { isStatus, isTerminal, type Status } from "@pawl/core/Status"
import type { Kind } from "@pawl/core/Kind"
import * as Duration from "effect/Duration"
import { type Answer, doubt } from "./Confirmer.ts"
import type { Change, Row } from "./Row.ts"

const seconds = (...waits: ReadonlyArray<number>) => waits.map((wait) => Duration.seconds(wait))
const heads = { ahead: seconds(0, 1, 2, 5, 15, 60), contradicted: seconds(0, 5, 60) }
const once = [Duration.hours(12)]
const doubling = Array.from({ length: 8 }, (_, power) => Duration.hours(12 * 2 ** power))

const horizon = Duration.toMillis(Duration.days(180))
const patience = Duration.toMillis(Duration.days(1))
const silence = Duration.toMillis(Duration.seconds(15))
const breath = Duration.toMillis(Duration.seconds(1))

/**
 * What decides when a row is read.
 *
 * @category models
 * @since 0.1.0
 */
export interface Rules {
  readonly policy: Evidence.Policy
  readonly pollGaps: Switches["pollGaps"]
}

type Plan = "ahead" | "contradicted" | "open" | "closed"

const endOf = (row: Row, { policy }: Rules): Status | undefined => {
  const { status } = Evidence.standing(row.evidence, row.read?.status, policy)
  return status !== undefined && isTerminal(status) ? status : undefined
}

const planOf = (row: Row, rules: Rules): Plan =>
  doubt(row, rules.policy) ?? (endOf(row, rules) === undefined ? "open" : "closed")

const isPayment = (kind: Kind): boolean => kind !== "refund" && !kind.endsWith("payout")

const afterEnd = (end: Status, kind: Kind): ReadonlyArray<Duration.Duration> => {
  if (end === "FAILED" || end === "CANCELLED") return once
  return end !== "CHARGEBACK" && isPayment(kind) ? doubling : []
}

/** The wait before read number `polls`, counted from 0; undefined when the plan has none left. */
const wait = (row: Row, rules: Rules, polls: number): Duration.Duration | undefined => {
  const plan = planOf(row, rules)
  const end = endOf(row, rules)
  const { pollGaps } = rules
  const head = plan === "ahead" || plan === "contradicted" ? heads[plan] : []
  if (end === undefined) return [...head, ...pollGaps][polls] ?? pollGaps.at(-1)
  return [...head, ...(plan === "closed" ? [] : pollGaps), ...afterEnd(end, row.kind)][polls]
}

/**
 * Returns when the row is to be read next (ms since the epoch); undefined when there is no need to.
 *
 * @category getters
 * @since 0.1.0
 */
export const readAt = (row: Row, rules: Rules): number | undefined => {
  const { askedAt, unconfirmedAt } = row
  const isDoubted =
    unconfirmedAt !== undefined &&
    (askedAt === undefined || unconfirmedAt >= askedAt) &&
    doubt(row, rules.policy) !== undefined
  const candidates = [pollAt(row, rules), isDoubted ? unconfirmedAt : undefined].filter(
    (at) => at !== undefined
  )
  if (candidates.length === 0) return undefined
  return Math.max(Math.min(...candidates), askedAt === undefined ? 0 : askedAt + breath)
}

/** Parked because no endpoint knows the id, and nothing new was seen of it since. */
const isGivenUp = ({ evidence, deadLetter, newStatusAt }: Row): boolean =>
  deadLetter?.reason === "unknown-transaction" &&
  newStatusAt < deadLetter.at &&
  Evidence.confirmedStatuses(evidence).length === 0

const pollAt = (row: Row, rules: Rules): number | undefined => {
  if (isGivenUp(row)) return undefined
  const first = wait(row, rules, row.polls)
  const at = row.pollAt ?? (first && row.newStatusAt + Duration.toMillis(first))
  return at === undefined || at > row.newStatusAt + horizon ? undefined : at
}

/**
 * Says what an answer changes in a row: its evidence, and where it is on its plan.
 *
 * **Details**
 *
 * An answer that leads to another plan, or finds that the transaction ended in another way, starts the
 * plan from its head. A service that did not answer is asked again after 15 seconds; that is no step of
 * the plan. An id that the service does not know for a day is parked.
 *
 * @category reducers
 * @since 0.1.0
 */
export const afterAsking = (row: Row, answer: Answer, rules: Rules, now: number): Change => {
  const asked = { askedAt: answer.askedAt }
  if (answer._tag === "Silent") {
    const again = now + silence
    if (isScheduled(row, rules, answer)) return { ...asked, pollAt: again }
    return (pollAt(row, rules) ?? Infinity) <= again ? asked : { ...asked, unconfirmedAt: again }
  }
  const known =
    answer._tag === "Said" && isStatus(answer.status)
      ? {
          kind: answer.kind,
          evidence: Evidence.confirmed(answer.status),
          read: { status: answer.status, askedAt: answer.askedAt }
        }
      : {}
  const next: Row = {
    ...row,
    ...known,
    evidence: Evidence.join(row.evidence, known.evidence ?? Evidence.none),
    read: Evidence.joinRead(row.read, known.read)
  }
  const polls = pollsAfter(row, next, rules, answer)
  const gap = polls === undefined ? undefined : wait(next, rules, polls)
  return {
    ...asked,
    ...known,
    ...(polls !== undefined && { polls, pollAt: gap && now + Duration.toMillis(gap) }),
    ...parkedAfter(row, answer, now)
  }
}

/** The reads made on the plan after this one; undefined when it was none of the plan's. */
const pollsAfter = (row: Row, next: Row, rules: Rules, answer: Answer): number | undefined => {
  const plan = planOf(next, rules)
  const isOtherEnd =
    plan === "closed" && row.pollAt !== undefined && row.read?.status !== endOf(next, rules)
  if (plan !== planOf(row, rules) || isOtherEnd) return plan === "open" || plan === "closed" ? 0 : 1
  return isScheduled(row, rules, answer) ? row.polls + 1 : undefined
}

const parkedAfter = (row: Row, answer: Answer, now: number): Pick<Change, "deadLetter"> => {
  if (answer._tag === "Said") {
    return row.deadLetter?.reason === "unknown-transaction" ? { deadLetter: undefined } : {}
  }
  const isStranger =
    Evidence.confirmedStatuses(row.evidence).length === 0 && now >= row.createdAt + patience
  return isStranger && !isGivenUp(row)
    ? { deadLetter: { reason: "unknown-transaction", at: answer.askedAt, to: row.deadLetter?.to } }
    : {}
}

/** A read that was due by the plan, not only by a doubtful claim. */
const isScheduled = (row: Row, rules: Rules, { askedAt }: Answer): boolean => {
  const at = pollAt(row, rules)
  return at !== undefined && at <= askedAt
}
