/**
 * Plans the reads of each transaction, so that a lost callback is noticed.
 *
 * A row follows one of four plans: sequences of waits between reads. The *poll ladder* is
 * `Profile.pollIntervals`.
 *
 * - *ahead*: a claim is ahead of the stated status. Reads at once, after 1, 2, 5, 15 and 60
 *   seconds, then on the poll ladder.
 * - *contradicted*: the service contradicts a claim. Reads at once, after 5 and 60 seconds, once at
 *   each gap of the poll ladder, then as in *closed*.
 * - *open*: the transaction has not ended. Reads on the poll ladder. Its last gap repeats for 24
 *   hours; then each gap is a tenth of the time since the last callback with a new status, at most
 *   2 days, for 180 days.
 * - *closed*: the transaction has ended. The *watch* replaces a lost callback of a later REFUNDED
 *   or CHARGEBACK. A payment or payout in SUCCEED or REFUNDED is read after 12 hours, then at gaps
 *   that double to 14 days, for 180 days, and so is one that no read has confirmed. Another in
 *   FAILED or CANCELLED is read once, after 12 hours.
 *
 * The 180 days start again if they are over and a read of them is overdue by more than the longest
 * wait (`NextWork`).
 *
 * A row of unknown kind is read 60 seconds after its first callback at the latest, and from then on
 * at every endpoint.
 *
 * Every accepted claim that is not confirmed, even a repeat, makes the row due now. Such a read
 * does not advance the plan, and is retried after 15 seconds without an answer. A row is read at
 * most once a second.
 */
import * as Evidence from "@pawl/core/Evidence"
import type { Switches } from "@pawl/core/Profile"
import { isStatus, isTerminal, type Status } from "@pawl/core/Status"
import { isKnown } from "@pawl/core/Kind"
import * as Duration from "effect/Duration"
import { type ReadResult, unsettledClaim } from "./Confirmer.ts"
import * as Fact from "../rule/Fact.ts"
import { invisibleTime } from "../rule/KindHints.ts"
import type { Change, Parked, Row } from "../rule/Row.ts"

const seconds = (...waits: ReadonlyArray<number>) => waits.map((wait) => Duration.seconds(wait))
const claimWaits = { ahead: seconds(0, 1, 2, 5, 15, 60), contradicted: seconds(0, 5, 60) }
const failedWaits = [Duration.hours(12)]
const maxWatchGap = Duration.days(14)
/** The gaps of a paid transaction exceed `maxPollingTime`, even if outages shorten some. */
const paidWaits = Array.from({ length: 64 }, (_, power) =>
  Duration.min(Duration.hours(12 * 2 ** power), maxWatchGap)
)

export const maxPollingTime = Duration.toMillis(Duration.days(180))
const lastGapTime = Duration.toMillis(Duration.days(1))
const maxOpenGap = Duration.days(2)
const unknownIdTimeout = Duration.toMillis(Duration.days(1))
/** In milliseconds. */
export const failedReadDelay = Duration.toMillis(Duration.seconds(15))
const minReadGap = Duration.toMillis(Duration.seconds(1))

export interface Rules {
  readonly policy: Evidence.Policy
  readonly pollIntervals: Switches["pollIntervals"]
}

/** In milliseconds. */
export const maxGap = ({ pollIntervals }: Rules): number =>
  Math.max(...[...pollIntervals, maxWatchGap].map(Duration.toMillis))

type Plan = "ahead" | "contradicted" | "open" | "closed"

const terminalStatus = (row: Row, { policy }: Rules): Status | undefined => {
  const { status } = Evidence.standing(row.evidence, row.read?.status, policy)
  return status !== undefined && isTerminal(status) ? status : undefined
}

const planOf = (row: Row, rules: Rules): Plan =>
  unsettledClaim(row, rules.policy) ??
  (terminalStatus(row, rules) === undefined ? "open" : "closed")

export const isClosed = (row: Row, rules: Rules): boolean => planOf(row, rules) === "closed"

const isUnconfirmed = ({ evidence }: Row): boolean =>
  Evidence.confirmedStatuses(evidence).length === 0

const watchWaits = (terminal: Status, row: Row): ReadonlyArray<Duration.Duration> => {
  if (isUnconfirmed(row)) return paidWaits
  if (terminal === "FAILED" || terminal === "CANCELLED") return failedWaits
  return terminal !== "CHARGEBACK" && row.kind !== "refund" ? paidWaits : []
}

const waitAfterLadder = ({ pollIntervals }: Rules, age: number): Duration.Duration => {
  const last = pollIntervals[pollIntervals.length - 1] ?? pollIntervals[0]
  const tenth = Duration.min(Duration.millis(Math.round(age / 10)), maxOpenGap)
  return age < lastGapTime ? last : Duration.max(last, tenth)
}

/** Returns the wait before read number `polls`, counted from 0; undefined after the last read. */
const waitBefore = (
  row: Row,
  rules: Rules,
  polls: number,
  now: number
): Duration.Duration | undefined => {
  const plan = planOf(row, rules)
  const terminal = terminalStatus(row, rules)
  const { pollIntervals } = rules
  const first = plan === "ahead" || plan === "contradicted" ? claimWaits[plan] : []
  if (terminal === undefined) {
    return [...first, ...pollIntervals][polls] ?? waitAfterLadder(rules, now - row.newStatusAt)
  }
  const ladder = plan === "closed" ? [] : pollIntervals
  return [...first, ...ladder, ...watchWaits(terminal, row)][polls]
}

/** In milliseconds since the epoch; undefined when no read is planned. */
export const readAt = (row: Row, rules: Rules): number | undefined => {
  const { askedAt, unconfirmedAt } = row
  if (row.unreadable !== undefined) return undefined
  const isClaimUnread =
    unconfirmedAt !== undefined &&
    (askedAt === undefined || unconfirmedAt >= askedAt) &&
    unsettledClaim(row, rules.policy) !== undefined
  const candidates = [pollAt(row, rules), isClaimUnread ? unconfirmedAt : undefined].filter(
    (at) => at !== undefined
  )
  if (candidates.length === 0) return undefined
  return Math.max(Math.min(...candidates), askedAt === undefined ? 0 : askedAt + minReadGap)
}

export const isUnread = (row: Row, { policy }: Rules): boolean =>
  (row.askedAt === undefined || row.askedAt <= row.newStatusAt) &&
  unsettledClaim(row, policy) !== undefined

/** Tells whether a row is parked because no endpoint knows the id. */
export const isParkedAsUnknown = <A extends Row>(row: A): row is A & Parked =>
  row.deadLetter?.reason === "unknown-transaction" &&
  row.newStatusAt < row.deadLetter.at &&
  isUnconfirmed(row)

export const pollAt = (row: Row, rules: Rules): number | undefined => {
  if (isParkedAsUnknown(row)) return undefined
  const wait = waitBefore(row, rules, row.polls, row.newStatusAt)
  const at = row.pollAt ?? (wait && row.newStatusAt + Duration.toMillis(wait))
  return at === undefined || at > row.newStatusAt + maxPollingTime ? undefined : at
}

/**
 * Returns the change of a row after a read. A row is parked if the service does not know its id for
 * one day and at each read that is planned in it.
 */
export const afterRead = (row: Row, result: ReadResult, rules: Rules, now: number): Change => {
  const { askedAt } = result
  if (result._tag === "NoAnswer") {
    const asked = { askedAt, facts: [Fact.asked(askedAt, "no answer")] }
    const retryAt = now + failedReadDelay
    if (isOnPlan(row, rules, result)) return { ...asked, pollAt: retryAt }
    return (pollAt(row, rules) ?? Infinity) <= retryAt
      ? asked
      : { ...asked, unconfirmedAt: retryAt }
  }
  const observed =
    result._tag === "Answered" && isStatus(result.status)
      ? {
          kind: result.kind,
          evidence: Evidence.confirmed(result.status),
          // The lease orders the reads, even if the clock was set back.
          read: {
            status: result.status,
            askedAt: Math.max(result.askedAt, (row.read?.askedAt ?? -1) + 1)
          }
        }
      : {}
  const next: Row = {
    ...row,
    ...observed,
    evidence: Evidence.join(row.evidence, observed.evidence ?? Evidence.none),
    read: Evidence.joinRead(row.read, observed.read)
  }
  const fact =
    result._tag === "Answered"
      ? Fact.asked(observed.read?.askedAt ?? askedAt, result.status, result.kind)
      : Fact.asked(askedAt, "404")
  const polls = pollsAfter(row, next, rules, result)
  const wait = polls === undefined ? undefined : waitBefore(next, rules, polls, now)
  const plannedAt = wait && now + Duration.toMillis(wait)
  const visibleAt = row.createdAt + invisibleTime
  const isBefore = !isKnown(next.kind) && askedAt < visibleAt
  return {
    askedAt,
    facts: [fact],
    ...observed,
    ...(polls !== undefined && {
      polls,
      pollAt: isBefore ? Math.min(plannedAt ?? visibleAt, visibleAt) : plannedAt
    }),
    ...deadLetterAfter(row, result, rules, now)
  }
}

/**
 * The id belongs to a transaction of the other method: callbacks of both methods with the same
 * signed texts have the same checksum.
 */
export const asReplay = (row: Row, change: Change): Change => ({
  ...change,
  deadLetter: undefined,
  facts: change.askedAt === undefined ? [] : [Fact.asked(change.askedAt, "replay")],
  pollAt: row.newStatusAt + maxPollingTime + 1
})

const pollsAfter = (row: Row, next: Row, rules: Rules, result: ReadResult): number | undefined => {
  const plan = planOf(next, rules)
  const hasOtherTerminal =
    plan === "closed" &&
    row.pollAt !== undefined &&
    row.read?.status !== terminalStatus(next, rules)
  if (plan !== planOf(row, rules) || hasOtherTerminal) {
    return plan === "open" || plan === "closed" ? 0 : 1
  }
  return isOnPlan(row, rules, result) ? row.polls + 1 : undefined
}

const deadLetterAfter = (
  row: Row,
  result: ReadResult,
  rules: Rules,
  now: number
): Pick<Change, "deadLetter" | "facts"> => {
  if (result._tag === "Answered") {
    return row.deadLetter?.reason === "unknown-transaction" ? { deadLetter: undefined } : {}
  }
  const isUnknown =
    isUnconfirmed(row) &&
    now >= row.createdAt + unknownIdTimeout &&
    row.polls >= readsOfDay(row, rules)
  if (!isUnknown || isParkedAsUnknown(row)) return {}
  const deadLetter = {
    reason: "unknown-transaction",
    at: result.askedAt,
    to: row.deadLetter?.to
  } as const
  return { deadLetter, facts: [Fact.parked(deadLetter)] }
}

/**
 * Returns the answered reads before a row is parked: a day may have passed because the clock was
 * behind when the row was stored, or because no worker ran.
 */
const readsOfDay = (row: Row, rules: Rules): number => {
  const plan = planOf(row, rules)
  // The watch waits for 12 hours before it reads at all.
  if (plan === "closed") return 0
  let [reads, at] = [0, 0]
  for (const wait of [...(plan === "open" ? [] : claimWaits.ahead), ...rules.pollIntervals]) {
    at += Duration.toMillis(wait)
    if (at < unknownIdTimeout) reads++
  }
  return reads
}

const isOnPlan = (row: Row, rules: Rules, { askedAt }: ReadResult): boolean => {
  const at = pollAt(row, rules)
  return at !== undefined && at <= askedAt
}
