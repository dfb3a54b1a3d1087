/**
 * The model of a durable request: its row, two processes that send it, and the service.
 * `RequestRule` of the package changes the row.
 *
 * Times are relative to now: a step of five minutes moves them back. No rule reads `effects`,
 * `isAnswered` and `isCancelled`.
 */
import * as Evidence from "@pawl/core/Evidence"
import { blank, type Row } from "@pawl/webhook/internal/rule/Row"
import type { LeasedRequest, Outcome, RequestRow } from "@pawl/webhook/internal/rule/RequestRow"
import * as RequestRule from "@pawl/webhook/internal/rule/RequestRule"
import { fault, keyOf, type Machine, type Mutant, protocol, type Step } from "./Checker.ts"

/**
 * The state of everything.
 *
 * - `madeAt`: when the service made the transaction.
 * - `effects`: the transactions that the service made.
 * - `isOnItsWay`: a copy of the request may arrive.
 */
export interface State {
  readonly row: RequestRow | undefined
  readonly tasks: readonly [Task, Task]
  readonly madeAt: number | undefined
  readonly effects: number
  readonly isOnItsWay: boolean
  readonly isRegistered: boolean
  readonly isAnswered: boolean
  readonly isCancelled: boolean
  readonly faults: number
}

/** The work of a process; `leased` is the row when it was leased or begun. */
export interface Task {
  readonly stage:
    | "idle"
    | "leased"
    | "begun"
    | "sent"
    | "arrived"
    | "answered"
    | "registered"
    | "stored"
    | "refused"
    | "unsent"
    | "lost"
  readonly pace: "on time" | "stalled" | "late"
  readonly isAwaited: boolean
  readonly leased: LeasedRequest | undefined
}

/** The settings of a check; `refuses`: something before the service may refuse any attempt. */
export interface Scope {
  readonly isLimited: boolean
  readonly refuses: boolean
  readonly faults: number
}

export const scopes: ReadonlyArray<Scope> = [
  { isLimited: false, refuses: true, faults: 1 },
  { isLimited: true, refuses: true, faults: 1 },
  { isLimited: false, refuses: false, faults: 2 }
]

export const law = {
  once: "a request has at most one effect",
  none: "a request that is settled as not sent or refused has no effect",
  kept: "a stored answer stays",
  cancelled: "a cancelled request is not sent",
  registered: "the transaction of a stored answer is registered",
  alone: "one attempt at a time",
  due: "an open request is due",
  goal: "every request is settled, or left to a person"
} as const

interface Rules extends Pick<
  typeof RequestRule,
  | "begin"
  | "cancel"
  | "find"
  | "isClaimable"
  | "isExpired"
  | "isPastWindow"
  | "lease"
  | "park"
  | "redrive"
  | "release"
  | "sentUntil"
  | "settle"
> {
  readonly comparesVersions: boolean
  readonly keepsRequestId: boolean
  readonly registersFirst: boolean
}

const rules: Rules = {
  ...RequestRule,
  comparesVersions: true,
  keepsRequestId: true,
  registersFirst: true
}

const certain = <A extends RequestRow>(row: A): A =>
  row.lease === undefined ? row : { ...row, lease: { ...row.lease, inDoubt: false } }
const faults = (count: number): Scope => ({ isLimited: false, refuses: true, faults: count })

export const mutants: ReadonlyArray<Mutant<Scope> & { readonly change: Partial<Rules> }> = [
  {
    mutant: "a request in doubt is sent again under a new requestId",
    change: { keepsRequestId: false },
    scope: faults(1),
    breaks: law.once
  },
  {
    mutant: "a request in doubt is sent again after the service may have forgotten it",
    change: {
      begin: (row, id, at) => RequestRule.begin(row, id, at, Infinity),
      isPastWindow: () => false,
      sentUntil: () => Infinity
    },
    scope: faults(1),
    breaks: law.once
  },
  {
    mutant: "a redrive sends a request again that is in doubt for longer than the window",
    change: {
      redrive: (row, options) => {
        const redriven = RequestRule.redrive(row, { ...options, window: Infinity })
        return redriven && { ...redriven, begunAt: redriven.begunAt && options.at }
      }
    },
    scope: faults(1),
    breaks: law.once
  },
  {
    mutant: "a redrive opens a request that is settled",
    change: {
      redrive: (row, options) =>
        RequestRule.redrive({ ...row, parked: { reason: "window", at: 0 } }, options)
    },
    scope: faults(0),
    breaks: law.cancelled
  },
  {
    mutant: "a change is written over another one that it did not see",
    change: { comparesVersions: false },
    scope: faults(1),
    breaks: law.cancelled
  },
  {
    mutant: "a cancellation does not look whether the request is sent",
    change: { cancel: (row, at) => RequestRule.cancel({ ...row, begunAt: undefined }, at) },
    scope: faults(0),
    breaks: law.cancelled
  },
  {
    mutant: "a lease forgets that the request was in doubt before it",
    change: {
      lease: (row, lease) => certain(RequestRule.lease(row, lease))
    },
    scope: faults(2),
    breaks: law.none
  },
  {
    mutant: "a refusal settles a request without its lease",
    change: {
      settle: (row, settlement) => {
        const { lease: id = 0 } = settlement
        return RequestRule.settle({ ...row, lease: { id, until: 0, inDoubt: false } }, settlement)
      }
    },
    scope: faults(2),
    breaks: law.none
  },
  {
    mutant: "a callback settles a request that is answered",
    change: { find: (row, found) => RequestRule.find({ ...row, outcome: undefined }, found) },
    scope: faults(0),
    breaks: law.kept
  },
  {
    mutant: "a request is sent beside an attempt that runs",
    change: { isClaimable: ({ outcome }) => outcome === undefined },
    scope: faults(0),
    breaks: law.alone
  },
  {
    mutant: "a request in doubt expires",
    change: {
      isExpired: (row, at, window) =>
        RequestRule.isExpired({ ...row, begunAt: undefined }, at, window),
      settle: (row, settlement) => RequestRule.settle(certain(row), settlement)
    },
    scope: { isLimited: true, refuses: true, faults: 1 },
    breaks: law.none
  },
  {
    mutant: "the outcome is written before the transaction is registered",
    change: { registersFirst: false },
    scope: faults(0),
    breaks: law.registered
  },
  {
    mutant: "an attempt that failed leaves the request without a time",
    change: {
      release: (row, id, options) => {
        const released = RequestRule.release(row, id, options)
        return released && { ...released, dueAt: undefined }
      }
    },
    scope: faults(1),
    breaks: law.due
  },
  {
    mutant: "a process begins without the lease",
    change: {
      begin: (row, id, at, window) =>
        RequestRule.begin({ ...row, lease: { id, until: 0, inDoubt: true } }, id, at, window)
    },
    scope: faults(1),
    breaks: law.cancelled
  },
  {
    mutant: "nothing ends the wait for a request that is in doubt for longer than the window",
    change: { park: () => undefined },
    scope: faults(0),
    breaks: law.goal
  }
]

/** A step of time in milliseconds. */
const tick = RequestRule.maxWait
export const leaseTime = 30_000
/** The time for which the service knows a requestId, and a request in doubt is sent again. */
export const window = 3 * tick
const horizon = -4 * tick

const request = (isLimited: boolean) => ({
  requestId: "r",
  kind: "apm-payment" as const,
  digest: "d",
  hasCardData: false,
  body: "b",
  ...(isLimited && { expiresAt: tick })
})

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

const idle: Task = { stage: "idle", pace: "on time", isAwaited: false, leased: undefined }

export const first = (faults: number): State => ({
  row: undefined,
  tasks: [idle, idle],
  madeAt: undefined,
  effects: 0,
  isOnItsWay: false,
  isRegistered: false,
  isAnswered: false,
  isCancelled: false,
  faults
})

type Steps = ReadonlyArray<Step<State>>

const move = (name: string, next: State): Step<State> => ({ name, kind: "move", next })

const rowEarlier = <A extends RequestRow>(row: A, time: number): A => {
  const earlier = <B extends number | undefined>(at: B): B =>
    (at === undefined ? at : at - time) as B
  return {
    ...row,
    retryFrom: earlier(row.retryFrom),
    expiresAt: earlier(row.expiresAt),
    begunAt: earlier(row.begunAt),
    dueAt: earlier(row.dueAt),
    refusals: row.refusals && { ...row.refusals, since: earlier(row.refusals.since) },
    lease: row.lease && { ...row.lease, until: earlier(row.lease.until) }
  }
}

export const passed = (state: State, time: number): State => {
  const [one, two] = state.tasks
  const later = (task: Task) => ({ ...task, leased: task.leased && rowEarlier(task.leased, time) })
  return {
    ...state,
    row: state.row && rowEarlier(state.row, time),
    tasks: [later(one), later(two)],
    madeAt: state.madeAt === undefined ? undefined : state.madeAt - time
  }
}

const essence = ({ refusals, ...row }: RequestRow) => {
  const clamped = (at: number | undefined) => at && Math.min(Math.max(at, horizon), 1)
  const { begunAt, dueAt, expiresAt, lease, outcome, parked, retryFrom, transaction } = row
  return [
    [retryFrom, expiresAt, begunAt, dueAt, lease?.until, refusals?.since].map(clamped),
    [lease?.id, lease?.inDoubt, outcome, parked?.reason, transaction, row.deniedTransactionId],
    [row.body, Math.min(refusals?.count ?? 0, RequestRule.maxRefusals)]
  ]
}

const withTask = (state: State, by: number, change: Partial<Task>): State => {
  const task = { ...state.tasks[by === 0 ? 0 : 1], ...change }
  const [one, two] = state.tasks
  return { ...state, tasks: by === 0 ? [task, two] : [one, task] }
}

/** Ends the work of a process, whose request may still arrive. */
const ended = (state: State, by: 0 | 1): State => ({
  ...withTask(state, by, idle),
  isOnItsWay: state.isOnItsWay || state.tasks[by].stage === "sent"
})

const hasLease = ({ row, tasks }: State, by: 0 | 1): boolean =>
  row?.lease !== undefined && row.lease.id === tasks[by].leased?.lease.id

const isHolding = (state: State, by: 0 | 1): boolean =>
  state.tasks[by].pace === "on time" && hasLease(state, by)

const isOut = ({ isOnItsWay, tasks }: State): boolean =>
  isOnItsWay || tasks.some(({ stage }) => stage === "sent")

const ofMerchant = (state: State, { isLimited }: Scope, rules: Rules): Steps => {
  const { effects, row, tasks } = state
  if (row === undefined) {
    const written = RequestRule.write(request(isLimited), 0)
    return [protocol("the request is enqueued", { ...state, row: written })]
  }
  const changes: ReadonlyArray<readonly [string, RequestRow | undefined]> = [
    ["a person redrives the request", rules.redrive(row, { at: 0, window })],
    [
      "the request is enqueued again",
      row.outcome && RequestRule.restart(row, request(isLimited), 0)
    ],
    [
      "a person states that nothing happened",
      effects > 0 || isOut(state) || tasks.some(({ stage }) => stage === "begun")
        ? undefined
        : rules.redrive(row, { at: 0, window, hadNoEffect: true })
    ]
  ]
  const steps = changes.flatMap(([name, after]) =>
    after === undefined ? [] : [move(name, { ...state, row: after })]
  )
  const cancelled = rules.cancel(row, 0)
  return cancelled === undefined
    ? steps
    : [...steps, move("the request is cancelled", { ...state, row: cancelled, isCancelled: true })]
}

const made = (state: State, rules: Rules): State =>
  state.madeAt !== undefined && rules.keepsRequestId
    ? state
    : { ...state, madeAt: 0, effects: state.effects + 1 }

const ofService = (state: State, rules: Rules): Steps => {
  const { effects, isOnItsWay, madeAt, row } = state
  const steps: Array<Step<State>> = []
  if (isOnItsWay) {
    const gone: State = { ...state, isOnItsWay: false }
    steps.push(protocol("a request without a process arrives", made(gone, rules)))
    steps.push(protocol("a request without a process is lost", gone))
  }
  if (madeAt !== undefined && madeAt <= -window && !isOut(state)) {
    steps.push(move("the service forgets the requestId", { ...state, madeAt: undefined }))
  }
  const settled = effects === 0 ? undefined : row && rules.find(row, found)
  if (settled !== undefined) {
    steps.push(move("a callback names the request", { ...state, row: settled }))
  }
  const later = passed(state, tick)
  const isHeld = isHolding(state, 0) || isHolding(state, 1)
  const lease = later.row?.lease
  const renewed: State =
    isHeld && lease && later.row
      ? { ...later, row: { ...later.row, lease: { ...lease, until: leaseTime } } }
      : later
  steps.push(protocol("five minutes pass", renewed))
  return steps
}

const ofIdle = (state: State, by: 0 | 1, { isLimited }: Scope, rules: Rules): Steps => {
  const { row, tasks } = state
  const used = [row?.lease?.id, ...tasks.map(({ leased }) => leased?.lease.id)]
  const id = [0, 1, 2].find((each) => !used.includes(each)) ?? 3
  const lease = { id, until: leaseTime }
  const leased = (from: RequestRow, stage: Task["stage"], isAwaited: boolean): State => {
    const next = from as LeasedRequest
    return withTask({ ...state, row: next }, by, { stage, isAwaited, leased: next })
  }
  if (row === undefined) {
    const written = RequestRule.write(request(isLimited), 0, lease)
    return [move("a caller sends the request", leased(written, "begun", true))]
  }
  const claim = rules.isClaimable(row, 0)
    ? [protocol("a process claims the request", leased(rules.lease(row, lease), "leased", false))]
    : []
  if (row.outcome !== undefined) {
    const again = RequestRule.restart(row, request(isLimited), 0, lease)
    return again?.lease === undefined
      ? claim
      : [...claim, move("a caller sends the request again", leased(again, "begun", true))]
  }
  return row.parked === undefined && RequestRule.isIdle(row, 0)
    ? [
        ...claim,
        move("a caller takes the request over", leased(rules.lease(row, lease), "leased", true))
      ]
    : claim
}

const ofTask = (state: State, by: 0 | 1, { refuses }: Scope, rules: Rules): Steps => {
  const { isAwaited, leased, stage } = state.tasks[by]
  if (leased === undefined || state.row === undefined) return []
  const { lease } = leased
  const stored = rules.comparesVersions ? state.row : leased
  const go = (next: Partial<Task>, from = state): State => withTask(from, by, next)
  const write = (after: RequestRow | undefined): State =>
    go(idle, after === undefined ? state : { ...state, row: after })
  const settle = (outcome: Outcome) =>
    write(rules.settle(stored, { at: 0, outcome, lease: lease.id }))
  const release = (hadNoEffect: boolean) =>
    rules.release(stored, lease.id, {
      at: 0,
      dueAt: RequestRule.waitAfter(leased.attempts),
      hadNoEffect,
      ...(stage === "refused" && { refusal: "no" })
    })
  switch (stage) {
    case "idle":
      return []
    case "leased": {
      if (!isAwaited && rules.isExpired(leased, 0, window)) {
        const next = settle({ _tag: "NotSent", reason: "expired" })
        return [protocol("the request expires", next)]
      }
      if (!isAwaited && rules.isPastWindow(leased, 0, window)) {
        const parked = rules.park(stored, lease.id, "window", 0)
        return [protocol("the request is parked", write(parked))]
      }
      const begun = rules.begin(stored, lease.id, 0, window)
      if (begun === undefined) return [protocol("an attempt does not begin", go(idle))]
      const next = begun as LeasedRequest
      return [
        protocol("an attempt begins", go({ stage: "begun", leased: next }, { ...state, row: next }))
      ]
    }
    case "begun":
      // The client sends nothing after this time.
      if (rules.sentUntil(leased, 0, window) <= 0) {
        return [protocol("an attempt comes too late", go({ stage: "lost" }))]
      }
      return [
        protocol("the request is sent", go({ stage: "sent" })),
        ...fault("there is no connection", state, go({ stage: "unsent" }))
      ]
    case "sent":
      return [
        protocol("the request arrives", go({ stage: "arrived" }, made(state, rules))),
        ...fault("the request is lost", state, go({ stage: "lost" })),
        ...(refuses ? [move("the request is refused", go({ stage: "refused" }))] : [])
      ]
    case "arrived":
      return [
        protocol("the service answers", go({ stage: "answered" })),
        ...fault("the response is lost", state, go({ stage: "lost" }))
      ]
    case "answered":
    case "registered": {
      if (stage === "answered" && rules.registersFirst) {
        const next: State = { ...state, isRegistered: true }
        return [protocol("the transaction is registered", go({ stage: "registered" }, next))]
      }
      const outcome = { _tag: "Answered", text: "t" } as const
      const after = rules.settle(stored, { at: 0, outcome })
      const end = rules.registersFirst ? idle : { stage: "stored" as const }
      const next: State = after === undefined ? state : { ...state, row: after, isAnswered: true }
      return [protocol("the answer is stored", go(end, next))]
    }
    case "stored":
      return [protocol("the transaction is registered", go(idle, { ...state, isRegistered: true }))]
    case "lost":
      return [protocol("the request is released", write(release(false)))]
    case "refused":
    case "unsent": {
      const isDefinite = isAwaited && !lease.inDoubt
      if (!isDefinite) return [protocol("the request is released", write(release(true)))]
      return [
        stage === "refused"
          ? protocol("the refusal is stored", settle({ _tag: "Refused", text: "t" }))
          : protocol("nothing was sent", settle({ _tag: "NotSent", reason: "no-effect" }))
      ]
    }
  }
}

const ofPace = (state: State, by: 0 | 1, rules: Rules): Steps => {
  const { isAwaited, leased, pace, stage } = state.tasks[by]
  if (leased === undefined) return []
  if (pace === "stalled") {
    const isOwner = hasLease(state, by)
    const row = state.row && RequestRule.renew(state.row, leased.lease.id, leaseTime)
    const renewed: State = row === undefined ? state : { ...state, row }
    const next = withTask(renewed, by, { pace: isOwner ? "on time" : "late" })
    return [protocol("a stalled process goes on", next)]
  }
  const isSending = ["begun", "sent", "arrived"].includes(stage)
  const released = state.row && rules.release(state.row, leased.lease.id, { at: 0, dueAt: 0 })
  const left: State = { ...state, row: released === undefined ? state.row : released }
  return [
    ...fault("a process stalls", state, withTask(state, by, { pace: "stalled" })),
    ...fault("a process is killed", state, ended(state, by)),
    ...(isAwaited && isSending ? fault("a caller gives up", state, ended(left, by)) : []),
    ...(!isAwaited && isSending && !hasLease(state, by)
      ? [protocol("a process that lost its lease stops", ended(state, by))]
      : [])
  ]
}

export const steps = (state: State, scope: Scope, change: Partial<Rules> = {}): Steps => {
  const changed = { ...rules, ...change }
  const ofProcess = (by: 0 | 1): Steps => [
    ...(state.tasks[by].stage === "idle" ? ofIdle(state, by, scope, changed) : []),
    ...(state.tasks[by].pace === "stalled" ? [] : ofTask(state, by, scope, changed)),
    ...ofPace(state, by, changed)
  ]
  const named = (by: 0 | 1): Steps =>
    ofProcess(by).map((step) => ({ ...step, label: `${by} ${step.name}` }))
  return [
    ...ofMerchant(state, scope, changed),
    ...ofService(state, changed),
    ...named(0),
    ...named(1)
  ]
}

const canonical = (state: State) => {
  const { madeAt = Infinity, row } = state
  const tasks = state.tasks
    .map(({ leased, ...task }) => [task, leased && essence(leased)])
    .toSorted((one, two) => (keyOf(one) < keyOf(two) ? -1 : 1))
  return { ...state, row: row && essence(row), madeAt: Math.max(madeAt, horizon), tasks }
}

export const machine = (scope: Scope, change: Partial<Rules> = {}): Machine<State> => ({
  first: first(scope.faults),
  steps: (state) => steps(state, scope, change),
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
    [law.due]: ({ row }) =>
      row === undefined ||
      row.outcome !== undefined ||
      row.parked !== undefined ||
      RequestRule.claimableAt(row) !== undefined
  },
  goal: law.goal,
  isAtGoal: ({ row }) => (row?.outcome ?? row?.parked) !== undefined,
  canonical
})
