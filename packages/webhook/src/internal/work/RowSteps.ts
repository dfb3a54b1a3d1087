import * as Evidence from "@pawl/core/Evidence"
import { isStatus } from "@pawl/core/Status"
import { BeforeRequest } from "@pawl/core/internal/BeforeRequest"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { Confirmer, type ReadResult, unsettledClaim } from "./Confirmer.ts"
import { Journal } from "../../Journal.ts"
import type { Ledger } from "../../Ledger.ts"
import * as Measures from "../journal/Measures.ts"
import type * as ReadBudget from "../rule/ReadBudget.ts"
import * as Reconciler from "./Reconciler.ts"
import type { Change, Leased, Row, Lane, PerLane } from "../rule/Row.ts"
import * as Teller from "./Teller.ts"
import * as Lease from "./Lease.ts"
import type { WorkLimits } from "../rule/WorkLimits.ts"
import * as NextWork from "./NextWork.ts"
import type * as Outage from "./Outage.ts"
import type * as ReadQueue from "./ReadQueue.ts"
import * as Latch from "effect/Latch"
import * as Context from "effect/Context"

/** The longest wait for the read budget. A new claim of the row waits as long. */
const budgetTimeout = Duration.seconds(1)
const denied =
  "the service refuses the merchant key or the merchant secret, so nothing can be confirmed"

interface Tools {
  readonly ledger: Ledger["Service"]
  readonly rules: Reconciler.Rules
  readonly slots: Effect.Success<ReturnType<typeof makeSlots>>
  readonly reads: Effect.Success<ReturnType<typeof ReadQueue.make>>
  readonly use: ReturnType<typeof ReadBudget.make>
  readonly outage: ReturnType<typeof Outage.make>
  readonly limits: WorkLimits
}

interface Hooks {
  readonly beforeTell: () => void
  readonly release: (row: Leased) => Effect.Effect<Required<Change>["release"]>
}

export const make = Effect.fnUntraced(function* ({
  limits,
  ledger,
  outage,
  reads,
  rules,
  slots,
  use
}: Tools) {
  const confirmer = yield* Confirmer
  const journal = yield* Journal
  const teller = yield* Teller.make(ledger, limits)

  /** The id may be one of the other method, perhaps in another shard. */
  const isReplay = (row: Row) =>
    row.registered
      ? Effect.succeed(false)
      : ledger
          .get(row.method === "card" ? "apm" : "card", row.transactionId)
          .pipe(Effect.map((other) => Evidence.confirmedStatuses(other?.evidence ?? 0).length > 0))

  const takeAnother = (row: Leased) =>
    Effect.asVoid(reads.take(NextWork.readLane(row, rules), Duration.infinity))

  const read = Effect.fnUntraced(function* (pending: NextWork.Pending) {
    const { row } = pending
    const result = yield* reads.isLimited()
      ? Effect.provideService(confirmer.read(row), BeforeRequest, takeAnother(row))
      : confirmer.read(row)
    if (result._tag === "NoAnswer" && result.limited !== undefined) {
      yield* reads.lower(result.limited.retryAfter)
    }
    yield* journal.record(row, { _tag: "Read", result: textOf(result) })
    if (result._tag === "NoAnswer" && result.isDenied === true) {
      journal.note("denied", yield* Clock.currentTimeMillis)
      yield* journal.raiseAlarm(denied)
    }
    const now = yield* Clock.currentTimeMillis
    const planned = Reconciler.afterRead(row, result, rules, now)
    const change =
      planned.deadLetter?.reason === "unknown-transaction"
        ? yield* isReplay(row).pipe(
            Effect.map((isReplay) => (isReplay ? Reconciler.asReplay(row, planned) : planned)),
            Effect.orElseSucceed(() =>
              Reconciler.afterRead(row, { ...result, _tag: "NoAnswer" }, rules, now)
            )
          )
        : planned
    const { deadLetter } = change
    const parked =
      deadLetter === undefined
        ? Effect.void
        : journal.record(row, { _tag: "DeadLettered", reason: deadLetter.reason })
    const next = NextWork.add(pending, change, parked)
    const reason = alarmOf(row, next.row, result, rules)
    return reason === undefined
      ? next
      : NextWork.add(next, {}, journal.record(row, { _tag: "Alarm", reason }))
  })

  const correctTimes = Effect.fnUntraced(function* (leased: Leased) {
    const now = yield* Clock.currentTimeMillis
    const change = NextWork.correction(leased, rules, now, limits)
    const row = change === undefined ? leased : yield* Lease.write(ledger, leased, change)
    const isPlannedLater = (Reconciler.readAt(row, rules) ?? 0) > now
    return isPlannedLater && outage.isMissed(row)
      ? yield* Lease.write(ledger, row, { pollAt: now })
      : row
  })

  const readInTurn = Effect.fnUntraced(function* (pending: NextWork.Pending) {
    const { row } = pending
    const lane = NextWork.readLane(row, rules)
    const isTaken = yield* reads.take(lane, budgetTimeout)
    const now = yield* Clock.currentTimeMillis
    const dueAt = Reconciler.readAt(row, rules) ?? now
    if (!isTaken) {
      Measures.putOffIn(lane).updateUnsafe(1, yield* Effect.context())
      use.putOff(lane, dueAt, now)
      return pending
    }
    use.send(dueAt)
    const lag = Math.max(0, now - dueAt) / 1000
    Measures.readLags[lane].updateUnsafe(lag, yield* Effect.context())
    return yield* read(pending)
  })

  const inSlot = <A, B>(
    pending: NextWork.Pending,
    laneOf: typeof NextWork.laneOfRead | typeof NextWork.laneOfCall,
    step: (pending: NextWork.Pending) => Effect.Effect<A>,
    otherwise: (pending: NextWork.Pending) => Effect.Effect<B>
  ): Effect.Effect<A | B> =>
    Effect.flatMap(Clock.currentTimeMillis, (now): Effect.Effect<A | B> => {
      const lane = laneOf(pending.row, rules, now)
      return lane === undefined || !slots.take(lane)
        ? otherwise(pending)
        : Effect.ensuring(
            step(pending),
            Effect.sync(() => slots.giveBack(lane))
          )
    })

  return Effect.fnUntraced(function* (leased: Leased, { beforeTell, release }: Hooks) {
    const finish = (pending: NextWork.Pending) =>
      Effect.flatMap(release(pending.row), (release) =>
        Effect.asVoid(NextWork.write(ledger, NextWork.add(pending, { release })))
      )
    /** The slot is held until the result is written: a crash repeats at most as many calls. */
    const tell = (pending: NextWork.Pending) => {
      beforeTell()
      return Effect.flatMap(teller(pending, release), (told) =>
        told === undefined ? Effect.void : finish(told)
      )
    }
    const row = yield* correctTimes(leased)
    const known = yield* inSlot(
      NextWork.none(row),
      NextWork.laneOfRead,
      readInTurn,
      Effect.succeed<NextWork.Pending>
    )
    yield* inSlot(known, NextWork.laneOfCall, tell, finish)
  })
})

const textOf = (result: ReadResult) =>
  result._tag === "Answered" ? result.status : result._tag === "NotFound" ? "404" : "no answer"

/** The reads of a contradicted claim before an alarm. */
const readsBeforeAlarm = 3

const alarmOf = (
  before: Row,
  after: Row,
  result: ReadResult,
  { policy }: Reconciler.Rules
): string | undefined => {
  if (result._tag !== "Answered") return undefined
  if (!isStatus(result.status)) return "the service answered with an undocumented status"
  if (
    Evidence.wentBack(after.evidence, result.status) &&
    !Evidence.wentBack(before.evidence, before.read?.status)
  ) {
    return "the service went back to an earlier status"
  }
  const isInConflict = ({ evidence, read }: Row) =>
    Evidence.standing(evidence, read?.status, policy).conflict !== null
  if (isInConflict(after) && !isInConflict(before)) {
    return "several final statuses conflict"
  }
  const staysContradicted =
    unsettledClaim(after, policy) === "contradicted" &&
    after.polls === readsBeforeAlarm &&
    before.polls < readsBeforeAlarm
  return staysContradicted
    ? "a callback claims a final status that the service contradicts"
    : undefined
}

const countsOf = ({ calls, reads }: WorkLimits): PerLane => {
  const quarterOf = (all: number) => Math.max(1, Math.floor(all / 4))
  return {
    tell: Math.max(1, calls - quarterOf(calls)),
    ask: Math.max(1, reads - 2 * quarterOf(reads)),
    retry: quarterOf(calls),
    repeat: quarterOf(reads),
    watch: quarterOf(reads)
  }
}

export const makeSlots = Effect.fnUntraced(function* (limits: WorkLimits) {
  const free: Record<Lane, number> = { ...countsOf(limits) }
  const freed = yield* Latch.make()
  let isNewestNext = true
  return {
    free: (): PerLane => ({ ...free }),
    /** Half of the free slots for first reads take the newest rows. */
    newest: (): number => {
      const isOdd = free.ask % 2 === 1
      const count = Math.floor(free.ask / 2) + (isOdd && isNewestNext ? 1 : 0)
      if (isOdd) isNewestNext = !isNewestNext
      return count
    },
    take: (lane: Lane): boolean => {
      if (free[lane] === 0) return false
      free[lane]--
      return true
    },
    giveBack: (lane: Lane): void => {
      if (free[lane]++ === 0) freed.openUnsafe()
    },
    awaitFreed: Effect.andThen(freed.await, Effect.asVoid(freed.close))
  }
})

/**
 * Reference to the shortest poll interval of a worker; zero keeps the poll interval of the store.
 */
export const MinPollInterval: Context.Reference<Duration.Duration> =
  /* @__PURE__ */ Context.Reference("@pawl/webhook/internal/work/RowSteps/MinPollInterval", {
    defaultValue: () => Duration.zero
  })
