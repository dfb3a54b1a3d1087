/**
 * The overview of the admin API: the condition of the receiver, the open work, the use of the read budget, and the activity of
 * this process.
 */
import type { Policy } from "@pawl/core/Evidence"
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Activity from "@pawl/webhook/internal/journal/Activity"
import type { Journal } from "@pawl/webhook/Journal"
import type { Ledger } from "@pawl/webhook/Ledger"
import type { ReadUse } from "@pawl/webhook/internal/rule/ReadBudget"
import type { Worker } from "@pawl/webhook/internal/work/Worker"
import * as Condition from "@pawl/webhook/internal/work/Condition"
import * as LedgerClock from "@pawl/webhook/internal/ledger/LedgerClock"
import * as Advice from "./Advice.ts"
import { json, type Response } from "./Response.ts"

/** A secret of the receiver: its name and whether it is set, never its value. */
export interface Secret {
  readonly name: string
  readonly isSet: boolean
  readonly use: string
}

/** Returns the use of the read budget as JSON. No limit is null. */
const reportOf = ({ allowed, limit, oldestPutOff, putOff, sent }: ReadUse) => ({
  limit: limit === Infinity ? null : limit,
  allowed: allowed === Infinity ? null : allowed,
  sent,
  putOff,
  oldestPutOffSeconds: oldestPutOff === undefined ? null : oldestPutOff / 1000
})

/** Makes the effect `respond`, which responds with the overview. It succeeds while the ledger is not available. */
export const make = Effect.fnUntraced(function* (options: {
  readonly ledger: Ledger["Service"]
  readonly journal: Journal["Service"] | undefined
  readonly worker: Worker["Service"] | undefined
  readonly policy: Policy
  readonly secrets: ReadonlyArray<Secret>
}) {
  const { journal, ledger, policy, secrets, worker } = options
  const latest = journal && Activity.observe(journal)
  const { read } = yield* Condition.make({ ...options, latest })
  const startedAt = timeIn(yield* Clock.currentTimeMillis)

  const backlog = Effect.gen(function* () {
    const now = LedgerClock.timeOf(ledger, yield* Clock.Clock)
    const { deadLetters, due, oldestDueAt } = yield* ledger.backlog(now)
    return { due, oldestDueSeconds: Math.max(0, now - (oldestDueAt ?? now)) / 1000, deadLetters }
  })

  const respond = Effect.gen(function* (): Effect.fn.Return<Response> {
    const activity = latest && (yield* latest)
    return json({
      at: timeIn(yield* Clock.currentTimeMillis),
      startedAt,
      policy,
      condition: yield* read,
      backlog: yield* Effect.orElseSucceed(backlog, () => null),
      reads: worker === undefined ? null : reportOf(yield* worker.readUse),
      events:
        activity === undefined
          ? null
          : Object.fromEntries(
              Object.entries(activity.events).map(([name, { at, count }]) => [
                name,
                { count, lastAt: timeIn(at) }
              ])
            ),
      alarms: (activity?.alarms ?? []).map(({ at, count, method, reason, transactionId }) => ({
        reason,
        count,
        lastAt: timeIn(at),
        method: method ?? null,
        transactionId: transactionId ?? null,
        nextStep: Advice.nextStepFor(reason)
      })),
      failing: (activity?.failing ?? []).map(({ at, ...one }) => ({ ...one, lastAt: timeIn(at) })),
      secrets
    })
  })
  return { respond }
})

const timeIn = (at: number | undefined): string | null =>
  at === undefined ? null : DateTime.formatIso(DateTime.makeUnsafe(at))
