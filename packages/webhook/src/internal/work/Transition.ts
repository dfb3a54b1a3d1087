/**
 * Decides which transition the handler is told next, and when it is called.
 */
import { type Body, unsigned } from "@pawl/core/Callback"
import * as Evidence from "@pawl/core/Evidence"
import type { Transition } from "@pawl/core/Handler"
import * as Json from "@pawl/core/internal/Json"
import type { Status } from "@pawl/core/Status"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"
import * as Schedule from "effect/Schedule"
import type { Change, DeadLetter, Leased, Row } from "../rule/Row.ts"
import * as Order from "../rule/Order.ts"
import { defaults } from "../rule/WorkLimits.ts"

/**
 * Returns the wait after failed call number `attempt` of the handler, in milliseconds; undefined if the schedule has ended at that
 * time. The calls before it count as made at the time of the first one, `since`.
 */
const stepOf = (
  schedule: Schedule.Schedule<unknown>,
  attempt: number,
  since: number,
  at: number
): number | undefined =>
  Effect.runSync(
    Effect.gen(function* () {
      const step = yield* Schedule.toStep(schedule)
      let wait: number | undefined
      for (let number = 1; number <= attempt; number++) {
        wait = yield* step(number === attempt ? at : since, undefined).pipe(
          Effect.map(([, duration]) => Duration.toMillis(duration)),
          Pull.catchDone(() => Effect.undefined)
        )
      }
      return wait
    })
  )

/** Returns the wait after a failed call, also if the schedule ends with it: a person is asked after that wait. */
export const waitAfter = (
  schedule: Schedule.Schedule<unknown>,
  attempt: number,
  since = 0,
  at: number = since
): number => stepOf(schedule, attempt, since, at) ?? stepOf(schedule, attempt, since, since) ?? 0

/** Returns the standing of a row's transaction. */
export const standingOf = (row: Row, policy: Evidence.Policy): Evidence.Standing =>
  Evidence.standing(row.evidence, row.read?.status, policy)

/** Returns the status to tell the handler; undefined if it was told already, or if the row was parked at it. */
const statusToTell = (row: Row, standing: Evidence.Standing): Status | undefined => {
  const to = Evidence.news(standing, row.told)
  return row.unreadable !== undefined || to === row.deadLetter?.to ? undefined : to
}

/** Tells whether a row cannot be read and is not parked for that yet. */
const isToPark = ({ deadLetter, unreadable }: Row): boolean =>
  unreadable !== undefined && deadLetter?.reason !== "unreadable"

/** Returns when the handler may be called (ms since the epoch); undefined if there is nothing to tell. */
export const callAt = (row: Row, policy: Evidence.Policy): number | undefined => {
  if (isToPark(row)) return 0
  const to = statusToTell(row, standingOf(row, policy))
  if (to === undefined) return undefined
  return isBackingOff(row) ? row.retryAt : 0
}

/** Tells whether the last call failed or was interrupted. The next call waits for `retryAt`, whatever its status. */
const isBackingOff = ({ attempt }: Row): boolean => attempt > 0

/** The next step for a row: nothing now, parking it, or a call of the handler. */
type Step =
  | { readonly _tag: "Nothing" }
  | { readonly _tag: "Park"; readonly deadLetter: DeadLetter }
  | {
      readonly _tag: "Call"
      readonly to: Status
      readonly attempt: number
      readonly change: Change
    }

/** Returns the next step for a row. The change of a call is written before the handler is called. */
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
  const since = row.failingSince ?? now
  const lastCallAt = isRetry ? row.retryAt - waitAfter(schedule, row.attempt, since) : now
  if (isRetry && stepOf(schedule, row.attempt, since, Math.max(lastCallAt, since)) === undefined) {
    return { _tag: "Park", deadLetter: { reason: "handler-failed", at: now, to } }
  }
  // The time in which no process called the handler does not count.
  const missedTime = Math.max(0, now - row.retryAt)
  const failingSince =
    isRetry && row.failingSince !== undefined ? row.failingSince + missedTime : now
  const attempt = isRetry ? row.attempt + 1 : 1
  const retryAt = now + waitAfter(schedule, attempt, failingSince, now)
  // A call for another status may have had an effect although it failed, so that status keeps its number.
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

/**
 * Makes the transition that the handler is called with. `body` is the body of the newest callback that claims it. Returns
 * undefined if the body cannot be read.
 */
export const make = (
  row: Leased,
  to: Status,
  standing: Evidence.Standing,
  body: Uint8Array | undefined
): Transition | undefined => {
  const signed = row.newestCallbacks[to]?.signed
  const isForeign = signed !== undefined && Order.isOfOtherAccount(row, signed)
  // The body was verified before it was stored.
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
