import type { Policy } from "@pawl/core/Evidence"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Record from "effect/Record"
import * as Activity from "@pawl/webhook/internal/journal/Activity"
import type { Journal } from "@pawl/webhook/Journal"
import type { Operations } from "@pawl/webhook/internal/ledger/LedgerOperations"
import type { Ledger } from "@pawl/webhook/Ledger"
import type { ReadUse } from "@pawl/webhook/internal/rule/ReadBudget"
import type { Worker } from "@pawl/webhook/internal/work/Worker"
import type * as Progress from "@pawl/webhook/internal/work/Progress"
import * as Condition from "@pawl/webhook/internal/work/Condition"
import * as Time from "../story/Time.ts"
import * as Advice from "./Advice.ts"

/** A secret of the receiver: whether it is set, never its value. */
export interface Secret {
  readonly name: string
  readonly isSet: boolean
  readonly use: string
}

/** Returns the use of the read budget as JSON, with null for no limit. */
const reportOf = ({ allowed, limit, oldestPutOff, putOff, sent }: ReadUse) => ({
  limit: limit === Infinity ? null : limit,
  allowed: allowed === Infinity ? null : allowed,
  sent,
  putOff,
  oldestPutOffSeconds: oldestPutOff === undefined ? null : oldestPutOff / 1000
})

const hour = 60 * Activity.minute

const ageOf = (oldestDueAt: number | undefined, now: number): number =>
  Math.max(0, now - (oldestDueAt ?? now)) / 1000

const maxRows = 50

const progressOf = ({ cause, rows }: Progress.State) => ({
  cause: cause ?? null,
  notWritten: rows.length,
  rows: rows.slice(-maxRows).map(({ at, since, ...row }) => ({
    ...row,
    since: Time.textOf(since),
    lastAt: Time.textOf(at)
  }))
})

/** Succeeds while the ledger is not available. */
export const make = Effect.fnUntraced(function* (options: {
  readonly ledger: Ledger["Service"]
  readonly journal: Journal["Service"] | undefined
  readonly worker: Worker["Service"] | undefined
  readonly policy: Policy
  readonly secrets: ReadonlyArray<Secret>
}) {
  const { journal, ledger, policy, secrets, worker } = options
  const latest = journal && Activity.observe(journal)
  const { read: condition } = yield* Condition.make({ ...options, latest })
  const startedAt = Time.textOf(yield* Clock.currentTimeMillis)

  /**
   * The greatest age in seconds of a due row in each of the last minutes, by the beginning of the
   * minute.
   */
  const ages = new Map<number, number>()
  /** The ledger, which keeps each backlog that a page or the scraper of the metrics reads. */
  const watched: Operations = {
    ...ledger,
    backlog: Effect.fnUntraced(function* (at) {
      const backlog = yield* ledger.backlog(at)
      const now = yield* Clock.currentTimeMillis
      const begin = now - (now % Activity.minute)
      ages.set(begin, Math.max(ages.get(begin) ?? 0, ageOf(backlog.oldestDueAt, at)))
      for (const old of ages.keys()) if (old <= begin - hour) ages.delete(old)
      return backlog
    })
  }

  const backlog = Effect.gen(function* () {
    const now = ledger.time(yield* Clock.Clock)
    const { deadLetters, due, oldestDueAt } = yield* watched.backlog(now)
    return { due, oldestDueSeconds: ageOf(oldestDueAt, now), deadLetters }
  })
  const state = Effect.all({ condition, backlog: Effect.orElseSucceed(backlog, () => null) })

  const report = Effect.gen(function* () {
    const activity = latest && (yield* latest)
    return {
      at: Time.textOf(yield* Clock.currentTimeMillis),
      startedAt,
      policy,
      ...(yield* state),
      progress: worker === undefined ? null : progressOf(yield* worker.progress),
      reads: worker === undefined ? null : reportOf(yield* worker.readUse),
      notStored: activity?.notStored?.cause ?? null,
      events:
        activity === undefined
          ? null
          : Record.map(activity.events, ({ at, count }) => ({
              count,
              lastAt: Time.textOrNull(at)
            })),
      alarms: (activity?.alarms ?? []).map(({ at, count, method, reason, transactionId }) => ({
        reason,
        count,
        lastAt: Time.textOf(at),
        method: method ?? null,
        transactionId: transactionId ?? null,
        nextStep: Advice.nextStepFor(reason)
      })),
      failing: (activity?.failing ?? []).map(({ at, ...one }) => ({
        ...one,
        lastAt: Time.textOf(at)
      })),
      minutes: (activity?.minutes ?? []).map(({ at, counts }) => ({ at: Time.textOf(at), counts })),
      oldestDue: Array.from(ages, ([at, seconds]) => ({ at: Time.textOf(at), seconds })),
      secrets
    }
  })
  return {
    condition,
    report,
    state,
    watched,
    recent: Effect.map(latest ?? Effect.undefined, (activity) => activity?.recent ?? [])
  }
})

export type Overview = Effect.Success<Effect.Success<ReturnType<typeof make>>["report"]>
