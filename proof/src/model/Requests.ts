/**
 * The model of a durable request: its row, two processes that send it, and the service.
 * `RequestRule` of the package changes the row.
 *
 * Times are relative to now: a step of five minutes moves them back. No rule reads `effects`,
 * `isAnswered` and `isCancelled`.
 */
import * as Evidence from "@pawl/core/Evidence"
import type { LeasedRequest, Outcome, RequestRow } from "@pawl/webhook/internal/rule/RequestRow"
import * as RequestRule from "@pawl/webhook/internal/rule/RequestRule"
import { blank, type Row } from "@pawl/webhook/internal/rule/Row"
import { both, changed, type Index, keyOf, kinds, type Machine } from "./Checker.ts"
import type { Steps as StepsOf } from "./Checker.ts"
import * as Inclusion from "./Inclusion.ts"
import { law, rules, type Rules, type Scope } from "./RequestRules.ts"
import { labels } from "./Traces.ts"

/** The first state of everything, without faults. */
export class State {
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

type Stage =
  | "idle"
  | "leased"
  | "begun"
  | "sent"
  | "arrived"
  | "answered"
  | "refused"
  | "unsent"
  | "lost"

/** The work of a process; `leased` is the row when it was leased or begun. */
interface Task {
  readonly stage: Stage
  readonly pace: "on time" | "stalled" | "late"
  readonly isAwaited: boolean
  readonly leased: LeasedRequest | undefined
}

type Steps = StepsOf<State>
type Change = Partial<State>
const { fault, move, protocol, seen } = kinds<State>()

const idle: Task = { stage: "idle", pace: "on time", isAwaited: false, leased: undefined }

/** A step of time in milliseconds. */
const tick = RequestRule.maxWait
const leaseTime = 30_000
/** The time for which the service knows a requestId, and a request in doubt is sent again. */
export const window = 3 * tick
const horizon = -4 * tick

export const found: Row = {
  ...blank("apm-payment", "1", 0),
  ordered: { requestId: "r" },
  evidence: Evidence.confirmed("PENDING"),
  read: { status: "PENDING", askedAt: 0 },
  newestCallbacks: {
    PENDING: {
      at: 0,
      signed: { transactionId: "1", account: "4711", amount: "10.00", currency: "EUR" }
    }
  }
}

/** Returns what an event says of a row, with times relative to `at`. */
export const textOf = (row: RequestRow | undefined, at = 0): string => {
  if (row === undefined) return "nothing"
  const { begunAt, dueAt, lease, outcome, parked } = row
  const leased = lease && (lease.inDoubt ? "leased in doubt" : "leased")
  const due = dueAt === undefined ? "not due" : `due in ${dueAt - at}`
  const begun = begunAt === undefined ? "" : `, begun ${at - begunAt} ago`
  const settled = outcome?._tag === "NotSent" ? outcome.reason : outcome?._tag
  return `${settled ?? parked?.reason ?? leased ?? due}${begun}`
}

const changeTimes = <A extends RequestRow>(row: A, change: (at: number) => number): A => {
  const { refusals } = row
  const changed = <B extends number | undefined>(at: B): B =>
    (at === undefined ? at : change(at)) as B
  return {
    ...row,
    retryFrom: change(row.retryFrom),
    expiresAt: changed(row.expiresAt),
    begunAt: changed(row.begunAt),
    dueAt: changed(row.dueAt),
    refusals: refusals && { ...refusals, since: change(refusals.since) },
    lease: row.lease && { ...row.lease, until: change(row.lease.until) }
  }
}

const passed = ({ madeAt, row, tasks }: State, time: number): Change => {
  const later = <A extends RequestRow>(row: A) => changeTimes(row, (at) => at - time)
  const work = (task: Task) => ({ ...task, leased: task.leased && later(task.leased) })
  return {
    row: row && later(row),
    tasks: [work(tasks[0]), work(tasks[1])],
    madeAt: madeAt === undefined ? undefined : madeAt - time
  }
}

const renewed = (row: RequestRow | undefined): Change =>
  row?.lease === undefined ? {} : { row: { ...row, lease: { ...row.lease, until: leaseTime } } }

const hasLease = ({ row, tasks }: State, by: Index): boolean =>
  row?.lease !== undefined && row.lease.id === tasks[by].leased?.lease.id

const isOut = ({ isOnItsWay, tasks }: State): boolean =>
  isOnItsWay || tasks.some(({ stage }) => stage === "sent")

const request = (isLimited: boolean) => ({
  requestId: "r",
  kind: "apm-payment" as const,
  digest: "d",
  hasCardData: false,
  body: "b",
  ...(isLimited && { expiresAt: tick })
})

const ofMerchant = (state: State, { isLimited }: Scope, rules: Rules): Steps => {
  const { effects, row, tasks } = state
  const decided = (call: string, after: RequestRow | undefined, more?: Change) => {
    const event = `${call}: ${textOf(after)}`
    return after !== undefined && move(event, { row: after, ...more }, event)
  }
  if (row === undefined) {
    const written = RequestRule.write(request(isLimited), 0)
    return [seen(`write: ${textOf(written)}`, { row: written })]
  }
  const mayHaveAnEffect =
    effects > 0 || isOut(state) || tasks.some(({ stage }) => stage === "begun")
  return [
    decided("redrive", rules.redrive(row, { at: 0, window })),
    !mayHaveAnEffect &&
      decided("redrive", rules.redrive(row, { at: 0, window, hadNoEffect: true })),
    decided("restart", row.outcome && RequestRule.restart(row, request(isLimited), 0)),
    decided("cancel", rules.cancel(row, 0), { isCancelled: true }),
    effects > 0 && decided("find", rules.find(row, found))
  ]
}

const made = ({ effects, madeAt }: State, { keepsRequestId }: Rules): Change =>
  madeAt !== undefined && keepsRequestId ? {} : { madeAt: 0, effects: effects + 1 }

const ofService = (state: State, rules: Rules): Steps => {
  const { isOnItsWay, madeAt } = state
  const gone = { isOnItsWay: false }
  return [
    isOnItsWay &&
      protocol("a request without a process arrives", { ...gone, ...made(state, rules) }),
    isOnItsWay && protocol("a request without a process is lost", gone),
    madeAt !== undefined &&
      madeAt <= -window &&
      !isOut(state) &&
      move("the service forgets the requestId", { madeAt: undefined })
  ]
}

const ofTime = (state: State): Steps => {
  const isHeld = both.some((by) => state.tasks[by].pace === "on time" && hasLease(state, by))
  const later = passed(state, tick)
  return [protocol("five minutes pass", { ...later, ...(isHeld && renewed(later.row)) })]
}

/** The steps of a process that has no request. */
const ofIdle = (state: State, by: Index, { isLimited }: Scope, rules: Rules): Steps => {
  const { row, tasks } = state
  const used = [row?.lease?.id, ...tasks.map(({ leased }) => leased?.lease.id)]
  const id = [0, 1, 2].find((each) => !used.includes(each)) ?? 3
  const lease = { id, until: leaseTime }
  /** A call of the store that returns the row with the lease; a caller awaits all but a claim. */
  const takes = (call: string, after: RequestRow | undefined, stage: Stage) => {
    if (after?.lease === undefined) return false
    const isAwaited = call !== "claim"
    const task = { stage, isAwaited, leased: after as LeasedRequest }
    const event = `${by} ${call}: ${textOf(after)}`
    const change = { row: after, tasks: changed(tasks, by, task) }
    return (isAwaited ? move : protocol)(event, change, event)
  }
  if (row === undefined) {
    const written = RequestRule.write(request(isLimited), 0, lease)
    return [takes("write", written, "begun")]
  }
  const again = row.outcome && RequestRule.restart(row, request(isLimited), 0, lease)
  const leased = rules.lease(row, lease)
  const isFree = row.outcome === undefined && row.parked === undefined
  return [
    rules.isClaimable(row, 0) && takes("claim", leased, "leased"),
    takes("restart", again, "begun"),
    isFree && RequestRule.isIdle(row, 0) && takes("take over", leased, "leased")
  ]
}

const ofProcess = (state: State, by: Index, scope: Scope, rules: Rules): Steps => {
  const { row, tasks } = state
  const { isAwaited, leased, pace, stage } = tasks[by]
  if (leased === undefined || row === undefined) return ofIdle(state, by, scope, rules)
  const { id, inDoubt } = leased.lease
  const isOwner = hasLease(state, by)
  /** Whether the caller is told what became of this attempt alone. */
  const isDefinite = isAwaited && !inDoubt
  const go = (change: Partial<Task>): Change => ({ tasks: changed(tasks, by, change) })
  if (pace === "stalled") {
    return [
      protocol("a stalled process goes on", {
        row: RequestRule.renew(row, id, leaseTime) ?? row,
        ...go({ pace: isOwner ? "on time" : "late" })
      })
    ]
  }
  /** Ends the work, but the request may still arrive. */
  const ended = { ...go(idle), isOnItsWay: state.isOnItsWay || stage === "sent" }
  const sends = (name: string, to: Stage, kind = protocol) =>
    kind(name, go({ stage: to }), `${by} ${name}`)
  /** A call of the store; without a row nothing was stored. */
  const stores = (call: string, after: RequestRow | undefined, change = go(idle)) =>
    seen(`${by} ${call}: ${textOf(after)}`, {
      ...change,
      ...(after !== undefined && { row: after })
    })
  const stored = rules.comparesVersions ? row : leased
  const settles = (outcome: Outcome) => {
    const after = rules.settle(stored, { at: 0, outcome, lease: id })
    const isAnswered = state.isAnswered || (after !== undefined && outcome._tag === "Answered")
    return stores("settle", after, { ...go(idle), isAnswered })
  }
  const releases = (hadNoEffect: boolean) => {
    const dueAt = RequestRule.waitAfter(leased.attempts)
    const refusal = stage === "refused" && { refusal: "no" }
    const after = rules.release(stored, id, { at: 0, dueAt, hadNoEffect, ...refusal })
    return stores("release", after)
  }

  const ofWork = (): Steps => {
    switch (stage) {
      case "idle":
        return []
      case "leased": {
        if (!isAwaited && rules.isExpired(leased, 0, window))
          return [settles({ _tag: "NotSent", reason: "expired" })]
        if (!isAwaited && rules.isPastWindow(leased, 0, window))
          return [stores("park", rules.park(stored, id, "window", 0))]
        const begun = rules.begin(stored, id, 0, window)
        if (begun === undefined) return [stores("begin", begun)]
        const change = go({ stage: "begun", leased: begun as LeasedRequest })
        return [stores("begin", begun, change)]
      }
      case "begun":
        // The client sends nothing after this time.
        if (rules.sentUntil(leased, 0, window) <= 0)
          return [protocol("an attempt comes too late", go({ stage: "lost" }))]
        return [
          sends("the request is sent", "sent"),
          sends("there is no connection", "unsent", fault)
        ]
      case "sent":
        return [
          protocol("the request arrives", { ...go({ stage: "arrived" }), ...made(state, rules) }),
          sends("the request is lost", "lost", fault),
          scope.refuses && sends("the request is refused", "refused", move)
        ]
      case "arrived":
        return [
          sends("the service answers", "answered"),
          sends("the response is lost", "lost", fault)
        ]
      case "answered":
        return [
          rules.registersFirst && !state.isRegistered
            ? protocol("the transaction is registered", { isRegistered: true })
            : settles({ _tag: "Answered", text: "t" })
        ]
      case "lost":
        return [releases(false)]
      case "refused":
        return isDefinite ? [settles({ _tag: "Refused", text: "t" })] : [releases(true)]
      case "unsent":
        return isDefinite ? [settles({ _tag: "NotSent", reason: "no-effect" })] : [releases(true)]
    }
  }

  const isSending = ["begun", "sent", "arrived"].includes(stage)
  const left = rules.release(row, id, { at: 0, dueAt: 0 })
  return [
    ...ofWork(),
    fault("a process stalls", go({ pace: "stalled" })),
    fault("a process is killed", ended, `${by} a process is killed`),
    isAwaited && isSending && { ...stores("release", left, ended), kind: "fault" },
    !isAwaited && isSending && !isOwner && stores("release", undefined, ended)
  ]
}

const steps = (state: State, scope: Scope, change: Partial<Rules> = {}): Steps => {
  const all = { ...rules, ...change }
  return [
    ...ofMerchant(state, scope, all),
    ...ofService(state, all),
    ...both.flatMap((by) => ofProcess(state, by, scope, all))
  ]
}

/** Returns a row without what changes no step. */
const essence = (row: RequestRow) => {
  const clamped = changeTimes(row, (at) => Math.min(Math.max(at, horizon), 1))
  const count = Math.min(row.refusals?.count ?? 0, RequestRule.maxRefusals)
  const { parked, refusals } = clamped
  const times = { createdAt: 0, settledAt: 0, attempts: 0 }
  return { ...clamped, ...times, parked: parked?.reason, refusals: [count, refusals?.since] }
}

const canonical = (state: State) => {
  const { madeAt = Infinity, row } = state
  const tasks = state.tasks
    .map(({ leased, ...task }) => [task, leased && essence(leased)])
    .toSorted((one, two) => (keyOf(one) < keyOf(two) ? -1 : 1))
  return { ...state, row: row && essence(row), madeAt: Math.max(madeAt, horizon), tasks }
}

const isSettled = ({ row }: State): boolean => (row?.outcome ?? row?.parked) !== undefined

export const machine = (scope: Scope, change: Partial<Rules> = {}): Machine<State> => ({
  first: { ...new State(), faults: scope.faults },
  steps: (state) => [...steps(state, scope, change), ...ofTime(state)],
  invariants: {
    [law.once]: ({ effects }) => effects <= 1,
    [law.kept]: ({ isAnswered, row }) => !isAnswered || row?.outcome?._tag === "Answered",
    [law.cancelled]: (state) => !state.isCancelled || (state.effects === 0 && !isOut(state)),
    [law.none]: ({ effects, row }) =>
      effects === 0 || (row?.outcome?._tag !== "NotSent" && row?.outcome?._tag !== "Refused"),
    [law.registered]: ({ isRegistered, row }) => row?.outcome?._tag !== "Answered" || isRegistered,
    [law.alone]: ({ tasks }) =>
      tasks.filter(
        ({ pace, stage }) => pace === "on time" && (stage === "sent" || stage === "arrived")
      ).length <= 1,
    [law.due]: (state) =>
      state.row === undefined ||
      isSettled(state) ||
      RequestRule.claimableAt(state.row) !== undefined
  },
  goal: law.goal,
  isAtGoal: isSettled,
  canonical
})

const inTraces: Scope = { isLimited: false, refuses: true, faults: Infinity }

/** The longest time without a running process or a free slot, in milliseconds. */
const slack = 15_000

/** Returns the reason why the events of a request are not those of the model. */
export const missOf = Inclusion.make<State>({
  first: { ...new State(), faults: Infinity },
  steps: (state) => steps(state, inTraces),
  ofEvent: (state, event, isPossible) => {
    const { effects, row } = state
    const [, time] = /^(\d+) ms pass$/u.exec(event) ?? []
    const killed = /^\d a process is killed$/u.test(event)
    const later = passed(state, Number(time ?? 0))
    const isOverdue = later.row !== undefined && (RequestRule.claimableAt(later.row) ?? 0) < -slack
    return [
      // A process claims a request that is due.
      time !== undefined && !isOverdue && seen(event, later),
      killed && !isPossible && seen(event, {}),
      ...both.map((by) => hasLease(state, by) && seen(`${by} renew: ${textOf(row)}`, renewed(row))),
      isSettled(state) && seen(endOf(effects), {})
    ]
  }
})

/** The last event of a trace, with the transactions that the service made. */
export const endOf = (effects: number): string => `${labels.end}, ${effects} transactions`
