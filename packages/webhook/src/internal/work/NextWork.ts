/**
 * The next work on a row: its due time and lane, and the next transition for the handler.
 *
 * A recorded time more than 5 seconds later than now comes from a clock that was ahead: the wait
 * for it is at most the longest one of the rules. A read that is overdue by more than that, after
 * the time of reads, comes from a clock that was behind.
 */
import * as Duration from "effect/Duration"
import type { Lane, ReadLane, Change, Row, Leased, DeadLetter } from "../rule/Row.ts"
import * as Reconciler from "./Reconciler.ts"
import { defaults, type WorkLimits } from "../rule/WorkLimits.ts"
import * as Effect from "effect/Effect"
import type { Ledger } from "../../Ledger.ts"
import * as RowRule from "../rule/RowRule.ts"
import * as Lease from "./Lease.ts"
import type { Body } from "@pawl/core/Callback"
import { unsigned } from "@pawl/core/internal/SignedFields"
import * as Evidence from "@pawl/core/Evidence"
import type { Transition } from "@pawl/core/Handler"
import * as Json from "@pawl/core/internal/Json"
import type { Status } from "@pawl/core/Status"
import * as Pull from "effect/Pull"
import * as Schedule from "effect/Schedule"
import * as Order from "../rule/Order.ts"

export const laneOfRead = (
  row: Row,
  rules: Reconciler.Rules,
  now: number
): ReadLane | undefined => {
  const at = Reconciler.readAt(row, rules)
  return at === undefined || at > now ? undefined : readLane(row, rules)
}

export const laneOfCall = (row: Row, rules: Reconciler.Rules, now: number): Lane | undefined => {
  const at = callAt(row, rules.policy)
  return at === undefined || at > now ? undefined : callLane(row)
}

export const nextOf = (
  row: Row,
  rules: Reconciler.Rules,
  now: number
): { readonly dueAt: number | undefined; readonly lane?: Lane } => {
  const readAt = Reconciler.readAt(row, rules)
  const calledAt = callAt(row, rules.policy)
  if (calledAt !== undefined && calledAt <= Math.max(now, readAt ?? Infinity)) {
    return { dueAt: Math.max(now, Math.min(calledAt, readAt ?? calledAt)), lane: callLane(row) }
  }
  return readAt === undefined ? { dueAt: undefined } : { dueAt: readAt, lane: readLane(row, rules) }
}

export const readLane = (row: Row, rules: Reconciler.Rules): ReadLane => {
  if (Reconciler.isUnread(row, rules)) return "ask"
  return Reconciler.isClosed(row, rules) ? "watch" : "repeat"
}

const callLane = ({ attempt }: Row): Lane => (attempt > 0 ? "retry" : "tell")

const maxDifference = Duration.toMillis(Duration.seconds(5))

export const correction = (
  row: Row,
  rules: Reconciler.Rules,
  now: number,
  { lease, retrySchedule }: Pick<WorkLimits, "lease" | "retrySchedule"> = defaults
): Change | undefined => {
  const { askedAt, attempt, createdAt, failingSince, newStatusAt, pollAt, retryAt, unconfirmedAt } =
    row
  const aheadOf = (at: number | undefined, wait = 0) => {
    const ahead = at === undefined ? 0 : at - now - wait
    return ahead > maxDifference ? ahead : 0
  }
  // The clock was set back since, and the row, which is due by the new clock, is read early at most once.
  const wasSet = aheadOf(askedAt) > 0 || aheadOf(newStatusAt) > 0
  const maxGap = Reconciler.maxGap(rules)
  const maxPollAt = now + maxGap
  // The clock was behind when the row was stored, or no worker ran: the 180 days start now.
  const isOver = newStatusAt < now - Reconciler.maxPollingTime
  const isLate = isOver && (Reconciler.pollAt(row, rules) ?? now) < now - maxGap
  // An earlier call may still run, so the next one waits at least for a lease.
  const retryWait = Math.max(attempt > 0 ? plannedWait(retrySchedule, attempt) : 0, lease)
  const change: Change = {
    ...(aheadOf(createdAt) > 0 && { createdAt: now }),
    ...(aheadOf(askedAt) > 0 && { askedAt: undefined }),
    ...(aheadOf(unconfirmedAt, Reconciler.failedReadDelay) > 0 && { unconfirmedAt: now }),
    ...(aheadOf(failingSince) > 0 && { failingSince: undefined }),
    ...(aheadOf(retryAt, retryWait) > 0 && { retryAt: now + retryWait }),
    ...((isLate || aheadOf(newStatusAt) > 0) && { newStatusAt: now }),
    ...(isLate || (wasSet && pollAt !== undefined)
      ? { pollAt: now }
      : pollAt !== undefined && pollAt > maxPollAt && { pollAt: maxPollAt })
  }
  return Object.keys(change).length === 0 ? undefined : change
}

export interface Pending {
  readonly row: Leased
  readonly change: Change
  readonly after: Effect.Effect<void>
}

export const none = (row: Leased): Pending => ({ row, change: {}, after: Effect.void })

export const add = (
  pending: Pending,
  change: Change,
  after: Effect.Effect<void> = Effect.void
): Pending => ({
  row: RowRule.changed(pending.row, change),
  change: RowRule.joinChanges(pending.change, change),
  after: Effect.andThen(pending.after, after)
})

export const write = (
  ledger: Ledger["Service"],
  { after, change, row }: Pending
): Effect.Effect<Leased> => Lease.write(ledger, row, change, after)

/**
 * Returns the waits after failed calls from number `attempt` on, in milliseconds; undefined where
 * the schedule has ended.
 */
const waitsAfter = (
  schedule: Schedule.Schedule<unknown>,
  attempt: number,
  since: number,
  at: ReadonlyArray<number>
): ReadonlyArray<number | undefined> =>
  Effect.runSync(
    Effect.gen(function* () {
      const step = yield* Schedule.toStep(schedule)
      const waits: Array<number | undefined> = []
      for (let number = 1; number < attempt + at.length; number++) {
        const wait = yield* step(at[number - attempt] ?? since, undefined).pipe(
          Effect.map(([, duration]) => Duration.toMillis(duration)),
          Pull.catchDone(() => Effect.undefined)
        )
        if (number >= attempt) waits.push(wait)
      }
      return waits
    })
  )

/** A wait takes a step for each call before it. */
const plannedWaits = new WeakMap<object, ReadonlyArray<number | undefined>>()

/**
 * Returns the wait after failed call number `attempt`, as if no time had passed since the first
 * call.
 */
export const plannedWait = (schedule: Schedule.Schedule<unknown>, attempt: number): number => {
  let waits = plannedWaits.get(schedule) ?? []
  if (waits.length < attempt) {
    waits = waitsAfter(schedule, 1, 0, Array<number>(2 * attempt).fill(0))
    plannedWaits.set(schedule, waits)
  }
  return waits[attempt - 1] ?? 0
}

/** Returns the wait after a failed call, even where the schedule ends. */
export const waitAfter = (
  schedule: Schedule.Schedule<unknown>,
  attempt: number,
  since: number,
  at: number
): number => waitsAfter(schedule, attempt, since, [at])[0] ?? plannedWait(schedule, attempt)

export const standingOf = (row: Row, policy: Evidence.Policy): Evidence.Standing =>
  Evidence.standing(row.evidence, row.read?.status, policy)

/** Returns the status for the handler, unless it has it or the row was parked at it. */
const statusToTell = (row: Row, standing: Evidence.Standing): Status | undefined => {
  const to = Evidence.news(standing, row.told)
  return row.unreadable !== undefined || to === row.deadLetter?.to ? undefined : to
}

const isToPark = ({ deadLetter, unreadable }: Row): boolean =>
  unreadable !== undefined && deadLetter?.reason !== "unreadable"

export const callAt = (row: Row, policy: Evidence.Policy): number | undefined => {
  if (isToPark(row)) return 0
  const to = statusToTell(row, standingOf(row, policy))
  if (to === undefined) return undefined
  return isBackingOff(row) ? row.retryAt : 0
}

/** Tells whether the last call failed or was interrupted. */
const isBackingOff = ({ attempt }: Row): boolean => attempt > 0

type Step =
  | { readonly _tag: "Nothing" }
  | { readonly _tag: "Park"; readonly deadLetter: DeadLetter }
  | {
      readonly _tag: "Call"
      readonly to: Status
      readonly attempt: number
      readonly change: Change
    }

/** The change of a call is written before the handler is called. */
export const nextStep = (
  row: Row,
  standing: Evidence.Standing,
  now: number,
  schedule: Schedule.Schedule<unknown> = defaults.retrySchedule
): Step => {
  if (isToPark(row)) {
    const deadLetter = { reason: "unreadable", at: now, to: row.deadLetter?.to } as const
    return { _tag: "Park", deadLetter }
  }
  const to = statusToTell(row, standing)
  if (to === undefined) return { _tag: "Nothing" }
  if (Order.differs(row)) {
    return { _tag: "Park", deadLetter: { reason: "amount-mismatch", at: now, to } }
  }
  if (isBackingOff(row) && row.retryAt > now) return { _tag: "Nothing" }
  const isRetry = row.pendingStatus === to
  const missedTime = Math.max(0, now - row.retryAt)
  const failingSince =
    isRetry && row.failingSince !== undefined ? row.failingSince + missedTime : now
  const attempt = isRetry ? row.attempt + 1 : 1
  const lastCallAt = row.retryAt + missedTime - plannedWait(schedule, row.attempt)
  const [lastWait, wait] = isRetry
    ? waitsAfter(schedule, row.attempt, failingSince, [lastCallAt, now])
    : [0, waitAfter(schedule, 1, now, now)]
  if (lastWait === undefined) {
    return { _tag: "Park", deadLetter: { reason: "handler-failed", at: now, to } }
  }
  const retryAt = now + (wait ?? plannedWait(schedule, attempt))
  // A failed call for another status may have had an effect.
  const isOther = row.pendingStatus !== undefined && !isRetry
  const sequence = isOther ? row.sequence + 1 : row.sequence
  return {
    _tag: "Call",
    to,
    attempt,
    change: {
      pendingStatus: to,
      attempt,
      failingSince,
      retryAt,
      sequence,
      facts: [
        {
          fact: "called",
          at: now,
          sequence: sequence + 1,
          to,
          evidence: row.evidence,
          read: row.read?.status
        }
      ]
    }
  }
}

/** Makes the transition for the handler; undefined if `body` cannot be read. */
export const make = (
  row: Leased,
  to: Status,
  standing: Evidence.Standing,
  body: Uint8Array | undefined
): Transition | undefined => {
  const signed = row.newestCallbacks[to]?.signed
  const isForeign = signed !== undefined && Order.isOfOtherAccount(row, signed)
  const parsed = body === undefined || isForeign ? { json: null } : Json.readBytes(body)
  if ("fault" in parsed) return undefined
  return {
    id: `${row.scope}:${row.transactionId}:${row.sequence + 1}:${to}`,
    method: row.method,
    kind: row.kind,
    transactionId: row.transactionId,
    requestId: row.ordered?.requestId ?? null,
    from: row.told ?? null,
    to,
    confirmed: standing.confirmed,
    conflict: standing.conflict,
    sequence: row.sequence + 1,
    attempt: row.attempt,
    signed: isForeign ? null : (signed ?? null),
    callback: parsed.json === null ? null : unsigned(row.method, parsed.json as Body)
  }
}
