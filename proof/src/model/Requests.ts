/**
 * The model of a durable request: its row, two processes that send it, and the service.
 * `RequestRule` of the package changes the row. No rule reads `effects`, `isAnswered` and
 * `isCancelled`.
 */
import * as Evidence from "@pawl/core/Evidence"
import type { LeasedRequest, Outcome, RequestRow } from "@pawl/webhook/internal/rule/RequestRow"
import * as RequestRule from "@pawl/webhook/internal/rule/RequestRule"
import { blank, type Row } from "@pawl/webhook/internal/rule/Row"
import { both, changed, type Index, keyOf, kinds, type Machine, type Pace } from "./Checker.ts"
import type { Step, Steps as StepsOf } from "./Checker.ts"
import * as Inclusion from "./Inclusion.ts"
import type { Rules, Scope } from "./RequestRules.ts"

/** The first state of everything, without faults. */
class State {
  /** In milliseconds. */
  readonly now: number = 0
  readonly row: RequestRow | undefined = undefined
  readonly tasks: readonly [Task, Task] = [idle, idle]
  /** When the service made the transaction. */
  readonly madeAt: number | undefined = undefined
  /** The transactions that the service made. */
  readonly effects: number = 0
  /** Whether a copy of the request may arrive. */
  readonly isOnItsWay: boolean = false
  readonly isRegistered: boolean = false
  readonly isAnswered: boolean = false
  readonly isCancelled: boolean = false
  readonly faults: number = 0
}

type Stage = "leased" | "begun" | "sent" | "arrived" | "answered" | "refused" | "unsent" | "lost"

/** The work of a process; `leased` is the row when it was leased or begun, if it has one. */
class Task {
  readonly stage: Stage = "leased"
  readonly pace: Pace = "on time"
  readonly isAwaited: boolean = false
  readonly leased: LeasedRequest | undefined = undefined
}

type Steps = StepsOf<State>
type Change = Partial<State>
type Kind = Step<State>["kind"]
const { fault, protocol, seen } = kinds<State>()

const idle = new Task()

/** In milliseconds. */
const tick = RequestRule.maxWait
const leaseTime = 30_000
/** The time for which the service knows a requestId, and a request in doubt is sent again. */
export const window = 3 * tick
const horizon = -4 * tick

const signed = { transactionId: "1", account: "4711", amount: "10.00", currency: "EUR" }

export const found: Row = {
  ...blank("apm-payment", "1", 0),
  ordered: { requestId: "r" },
  evidence: Evidence.confirmed("PENDING"),
  read: { status: "PENDING", askedAt: 0 },
  newestCallbacks: { PENDING: { at: 0, signed } }
}

/** Returns what an event says of a row, with times relative to `now`. */
export const textOf = (row: RequestRow | undefined, now: number): string => {
  if (row === undefined) return "nothing"
  const { begunAt, dueAt, lease, outcome, parked } = row
  const leased = lease && (lease.inDoubt ? "leased in doubt" : "leased")
  const due = dueAt === undefined ? "not due" : `due in ${dueAt - now}`
  const begun = begunAt === undefined ? "" : `, begun ${now - begunAt} ago`
  const settled = outcome?._tag === "NotSent" ? outcome.reason : outcome?._tag
  return `${settled ?? parked?.reason ?? leased ?? due}${begun}`
}

const renewed = ({ now, row }: State): Change =>
  row?.lease === undefined
    ? {}
    : { row: { ...row, lease: { ...row.lease, until: now + leaseTime } } }

const hasLease = ({ row, tasks }: State, by: Index): boolean =>
  row?.lease?.id === by && tasks[by].leased !== undefined

const isOut = ({ isOnItsWay, tasks }: State): boolean =>
  isOnItsWay || tasks.some(({ stage }) => stage === "sent")

const request = ({ now }: State, { isLimited }: Scope) => ({
  requestId: "r",
  kind: "apm-payment" as const,
  digest: "d",
  hasCardData: false,
  body: "b",
  ...(isLimited && { expiresAt: now + tick })
})

/** A call of the store, whose event says what became of the row; without `after` it stores nothing. */
const storing =
  ({ now, row }: State, by: Index) =>
  (call: string, after: RequestRow | undefined, change?: Change, kind?: Kind) =>
    seen(`${by} ${call}: ${textOf(after, now)}`, { row: after ?? row, ...change }, kind)

/** The calls of a process that begin no attempt. */
const ofMerchant = (state: State, by: Index, scope: Scope, rules: Rules): Steps => {
  const { effects, now, row, tasks } = state
  const stores = storing(state, by)
  const ordered = request(state, scope)
  const written = RequestRule.write(ordered, now)
  if (row === undefined) return [rules.without !== "writesFirst" && stores("write", written)]
  const decided = (call: string, after: RequestRow | undefined, change?: Change) =>
    after && stores(call, after, change, "move")
  const mayHaveAnEffect =
    effects > 0 || isOut(state) || tasks.some(({ stage }) => stage === "begun")
  return [
    decided("redrive", rules.redrive(row, { at: now, window })),
    !mayHaveAnEffect &&
      decided("redrive", rules.redrive(row, { at: now, window, hadNoEffect: true })),
    decided("restart", row.outcome && RequestRule.restart(row, ordered, now)),
    decided("cancel", rules.cancel(row, now), { isCancelled: true }),
    effects > 0 && decided("find", rules.find(row, found))
  ]
}

/** Without the written request another attempt has another requestId. */
const made = ({ effects, madeAt, now, row }: State, { without }: Rules): Change =>
  madeAt !== undefined && without !== "keepsRequestId" && row
    ? {}
    : { madeAt: now, effects: effects + 1 }

const ofService = (state: State, rules: Rules): Steps => {
  const { isOnItsWay, madeAt = Infinity, now } = state
  const gone = { isOnItsWay: false }
  return [
    isOnItsWay &&
      protocol("a request without a process arrives", { ...gone, ...made(state, rules) }),
    isOnItsWay && protocol("a request without a process is lost", gone),
    madeAt + window <= now &&
      !isOut(state) &&
      protocol("the service forgets the requestId", { madeAt: undefined }, "move")
  ]
}

/** The steps of a process that has no request. */
const ofIdle = (state: State, by: Index, scope: Scope, rules: Rules): Steps => {
  const { now, row, tasks } = state
  const stores = storing(state, by)
  const lease = { id: by, until: now + leaseTime }
  const ordered = request(state, scope)
  /** A call that returns the row with the lease; a caller awaits all but a claim. */
  const takes = (call: string, after: RequestRow | undefined, stage: Task["stage"]) => {
    const isAwaited = call !== "claim"
    const task = { stage, isAwaited, leased: after as LeasedRequest }
    const unwritten = rules.without === "writesFirst" && { row }
    const change = { ...unwritten, tasks: changed(tasks, by, task) }
    const kind = isAwaited ? "move" : "protocol"
    return after?.lease && stores(call, after, change, kind)
  }
  if (row === undefined) return [takes("write", RequestRule.write(ordered, now, lease), "begun")]
  const leased = rules.lease(row, lease)
  const isFree = row.outcome === undefined && row.parked === undefined
  return [
    rules.isClaimable(row, now) && takes("claim", leased, "leased"),
    takes("restart", row.outcome && RequestRule.restart(row, ordered, now, lease), "begun"),
    isFree && RequestRule.isIdle(row, now) && takes("take over", leased, "leased")
  ]
}

const ofProcess = (state: State, by: Index, scope: Scope, rules: Rules): Steps => {
  const { now, tasks } = state
  const { isAwaited, leased, pace, stage } = tasks[by]
  if (leased === undefined) return ofIdle(state, by, scope, rules)
  const { row = leased } = state
  const stores = storing(state, by)
  const isOwner = hasLease(state, by)
  /** Whether the caller is told what became of this attempt alone. */
  const isDefinite = isAwaited && !leased.lease.inDoubt
  const go = (change: Partial<Task>): Change => ({ tasks: changed(tasks, by, change) })
  if (pace === "stalled") {
    const on = go({ pace: isOwner ? "on time" : "late" })
    return [protocol("a stalled process goes on", { ...(isOwner && renewed(state)), ...on })]
  }
  /** Ends the work, but the request may still arrive. */
  const ended = { ...go(idle), isOnItsWay: state.isOnItsWay || stage === "sent" }
  const sends = (name: string, stage: Task["stage"], kind: Kind = "protocol") =>
    seen(`${by} ${name}`, go({ stage }), kind)
  const stored = rules.without === "comparesVersions" ? leased : row
  const settles = (outcome: Outcome) => {
    const after = rules.settle(stored, { at: now, outcome, lease: by })
    const isAnswered = state.isAnswered || (after !== undefined && outcome._tag === "Answered")
    return stores("settle", after, { ...go(idle), isAnswered })
  }
  const releases = (hadNoEffect: boolean) => {
    const dueAt = now + RequestRule.waitAfter(leased.attempts)
    const refusal = stage === "refused" && { refusal: "no" }
    const after = rules.release(stored, by, { at: now, dueAt, hadNoEffect, ...refusal })
    return stores("release", after, go(idle))
  }
  /** An attempt without an effect. */
  const fails = (outcome: Outcome) => [isDefinite ? settles(outcome) : releases(true)]

  const ofWork = (): Steps => {
    switch (stage) {
      case "leased": {
        if (rules.isExpired(leased, now, window))
          return [settles({ _tag: "NotSent", reason: "expired" })]
        if (rules.isPastWindow(leased, now, window))
          return [stores("park", rules.park(stored, by, "window", now), go(idle))]
        const begun = rules.begin(stored, by, now, window) as LeasedRequest | undefined
        return [stores("begin", begun, go(begun ? { stage: "begun", leased: begun } : idle))]
      }
      case "begun":
        // The client sends nothing after this time.
        if (rules.sentUntil(leased, now, window) <= now)
          return [protocol("an attempt comes too late", go({ stage: "lost" }))]
        return [
          sends("the request is sent", "sent"),
          sends("there is no connection", "unsent", "fault")
        ]
      case "sent":
        return [
          protocol("the request arrives", { ...go({ stage: "arrived" }), ...made(state, rules) }),
          sends("the request is lost", "lost", "fault"),
          scope.refuses && sends("the request is refused", "refused", "move")
        ]
      case "arrived":
        return [
          sends("the service answers", "answered"),
          sends("the response is lost", "lost", "fault")
        ]
      case "answered":
        return [
          rules.without !== "registersFirst" && !state.isRegistered
            ? protocol("the transaction is registered", { isRegistered: true })
            : settles({ _tag: "Answered", text: "t" })
        ]
      case "lost":
        return [releases(false)]
      case "refused":
        return fails({ _tag: "Refused", text: "t" })
      case "unsent":
        return fails({ _tag: "NotSent", reason: "no-effect" })
    }
  }

  const isSending = ["begun", "sent", "arrived"].includes(stage)
  const left = rules.release(row, by, { at: now, dueAt: now })
  return [
    ...ofWork(),
    fault("a process stalls", go({ pace: "stalled" })),
    seen(`${by} a process is killed`, ended, "fault"),
    isAwaited && isSending && stores("release", left, ended, "fault"),
    !isAwaited && isSending && !isOwner && stores("release", undefined, ended)
  ]
}

const ofTime = (state: State): Steps => {
  const later = { ...state, now: state.now + tick }
  const isHeld = both.some((by) => state.tasks[by].pace === "on time" && hasLease(state, by))
  return [seen(`${tick} ms pass`, { now: later.now, ...(isHeld && renewed(later)) })]
}

/** Returns what of a row changes a step, with times relative to `now`. */
const essence = (row: RequestRow, now: number) => {
  const { begunAt, body, deniedTransactionId, dueAt, expiresAt, retryFrom } = row
  const { lease, outcome, parked, refusals, transaction } = row
  const times = [retryFrom, expiresAt, begunAt, dueAt, refusals?.since, lease?.until].map((at) =>
    at === undefined ? at : Math.min(Math.max(at - now, horizon), 1)
  )
  const refused = Math.min(refusals?.count ?? 0, RequestRule.maxRefusals)
  const parts = [body, deniedTransactionId, outcome, transaction, lease?.inDoubt, parked?.reason]
  return [times, refused, parts]
}

const canonical = (state: State) => {
  const { madeAt = Infinity, now, row } = state
  const keyOfTask = (by: Index) => {
    const { leased, ...task } = state.tasks[by]
    return keyOf([task, leased && essence(leased, now), hasLease(state, by)])
  }
  const times = { now: 0, madeAt: Math.max(madeAt - now, horizon) }
  const tasks = both.map(keyOfTask).toSorted()
  return { ...state, ...times, row: row && essence(row, now), tasks }
}

const isSettled = ({ row }: State): boolean => (row?.outcome ?? row?.parked) !== undefined

/** The longest time from due to claim: without a running process or a free slot, in milliseconds. */
const slack = 15_000

const ofEvent = (state: State, event: string, isPossible: boolean): Steps => {
  const { effects, now, row } = state
  const [, time] = /^(\d+) ms pass$/u.exec(event) ?? []
  const later = now + Number(time)
  const isOverdue = row !== undefined && (RequestRule.claimableAt(row) ?? later) + slack < later
  return [
    // A process claims a request that is due.
    time !== undefined && !isOverdue && seen(event, { now: later }),
    ...both.flatMap((by) => [
      !isPossible && seen(`${by} a process is killed`, {}),
      hasLease(state, by) && seen(`${by} renew: ${textOf(row, now)}`, renewed(state))
    ]),
    seen(`${effects} transactions`, {}),
    isSettled(state) && seen("the end", {})
  ]
}

export const machine = (scope: Scope, change?: Partial<Rules>): Machine<State> => {
  const rules: Rules = { ...RequestRule, ...change }
  return {
    first: { ...new State(), faults: scope.faults },
    steps: (state) => [
      ...ofService(state, rules),
      ...both.flatMap((by) => [
        ...ofMerchant(state, by, scope, rules),
        ...ofProcess(state, by, scope, rules)
      ]),
      ...ofTime(state)
    ],
    invariants: {
      once: ({ effects }) => effects <= 1,
      kept: ({ isAnswered, row }) => !isAnswered || row?.outcome?._tag === "Answered",
      cancelled: (state) => !state.isCancelled || (state.effects === 0 && !isOut(state)),
      noEffect: ({ effects, row }) =>
        effects === 0 || (row?.outcome?._tag !== "NotSent" && row?.outcome?._tag !== "Refused"),
      registered: ({ isRegistered, row }) => row?.outcome?._tag !== "Answered" || isRegistered,
      alone: ({ tasks }) =>
        tasks.some(({ pace, stage }) => pace !== "on time" || !["sent", "arrived"].includes(stage)),
      due: (state) =>
        isSettled(state) || !state.row || RequestRule.claimableAt(state.row) !== undefined
    },
    isAtGoal: isSettled,
    canonical,
    ofEvent
  }
}

/** Returns the reason why the events of a request are not those of the model. */
export const missOf = (events: ReadonlyArray<string>): string | undefined =>
  Inclusion.missOf(machine({ isLimited: false, refuses: true, faults: Infinity }), events)
