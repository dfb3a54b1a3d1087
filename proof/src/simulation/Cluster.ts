/**
 * The processes of a simulation, their links, the store and the checkers.
 */
import type { Transaction } from "@pawl/testkit/Gateway"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Bug } from "./Bugs.ts"
import * as ClientChecker from "./ClientChecker.ts"
import * as CrashableStore from "./CrashableStore.ts"
import * as Forger from "./Forger.ts"
import * as Merchant from "./Merchant.ts"
import * as Nemesis from "./Nemesis.ts"
import * as Network from "./Network.ts"
import type { Observer, ReceiverName } from "./Observer.ts"
import type * as Plan from "./Plan.ts"
import type * as Process from "./Process.ts"
import * as ReceiverChecker from "./ReceiverChecker.ts"
import * as Receivers from "./Receivers.ts"
import * as Service from "./Service.ts"
import type { Trace } from "./Trace.ts"

const movesFrom = {
  REFUNDED: ["SUCCEED"],
  CHARGEBACK: ["SUCCEED", "REFUNDED"],
  SUCCEED: ["CHARGEBACK"]
}

const isMove = (event: string): event is keyof typeof movesFrom => event in movesFrom

const repairTime = Duration.toMillis(Duration.hours(2))
/** The receivers watch for outages from a fault on until all is read again, half an hour after one. */
const watched = ({ faults, outages }: Plan.Plan): ReadonlyArray<CrashableStore.Span> | undefined =>
  outages &&
  [...faults, ...outages].map(({ at, duration }) => ({
    from: at - Duration.toMillis(Duration.minutes(5)),
    to: at + duration + Duration.toMillis(Duration.hours(2))
  }))

export const make = Effect.fnUntraced(function* (
  plan: Plan.Plan,
  trace: Trace,
  {
    bug,
    observer,
    store: { idle, ledger }
  }: {
    readonly bug: Bug
    readonly observer: Observer | undefined
    readonly store: CrashableStore.Store
  }
) {
  const repairedAt = plan.quietAt + repairTime
  const nemesis = yield* Nemesis.make(plan, trace)
  const clientChecker = ClientChecker.make(trace)
  const store = yield* CrashableStore.make(nemesis, trace, {
    direct: ledger,
    plant: bug.ledger,
    watched: watched(plan),
    isUnreadable: (id) => trace.now() < repairedAt && operationOfId(id)?.isUnreadable === true,
    registered: observer?.registered
  })
  const base: Network.Parts = {
    plan,
    bug,
    store,
    nemesis,
    clientChecker,
    checker: ReceiverChecker.make(trace, clientChecker, plan, ledger, (id) => operationOfId(id)),
    observer,
    trace
  }
  const { checker } = base
  const receivers: Array<Process.Process<Network.Receive>> = []
  const runningReceivers = () => receivers.flatMap((receiver) => receiver.running() ?? [])
  const callbacks = yield* Network.callbacks(runningReceivers, base)
  const service = yield* Service.make(plan.seed, callbacks.client)
  const { transactions } = service
  observer?.begin({ now: trace.now, transaction: service.transaction, transactions })

  const operations = new Map(plan.operations.map((operation) => [String(operation.id), operation]))
  const operationOf = (transaction: Transaction | undefined): Plan.Operation | undefined =>
    operations.get(transaction?.metadata?.["order"] ?? "")
  const operationOfId = (id: string) => operationOf(service.transaction(id))

  const transport = (from: Plan.Process) =>
    Network.transport(from, () => service.process.running()?.handle, base)
  const merchant = yield* Merchant.make({
    ...base,
    transport: transport("client"),
    wasMade: (requestId) => transactions().some((each) => each.requestId === requestId)
  })
  const receiver = Effect.fnUntraced(function* (name: ReceiverName) {
    const handlerActionsOf = (id: string) => operationOfId(id)?.handlerActions ?? []
    const own = { name, transport: transport(name), handlerActionsOf }
    const process = yield* Receivers.make({ ...base, ...own })
    receivers.push(process)
    return process
  })
  const processes = {
    service: service.process,
    client: merchant.process,
    "receiver 1": yield* receiver("receiver 1"),
    "receiver 2": yield* receiver("receiver 2")
  }

  const move = (operation: Plan.Operation, to: keyof typeof movesFrom) =>
    Effect.suspend(() => {
      const gateway = service.process.running()?.gateway
      const transaction = transactions().find(
        (each) => each.kind === operation.kind && operationOf(each) === operation
      )
      if (
        gateway === undefined ||
        transaction === undefined ||
        !movesFrom[to].includes(transaction.status)
      ) {
        return Effect.void
      }
      trace.mark(`moved to ${to}`)
      trace.note(`the service moves ${transaction.transactionId} to ${to}`)
      return Effect.asVoid(gateway.move(transaction.transactionId, to))
    })

  /** Ends a process, and starts it again. */
  const end = Effect.fnUntraced(function* (
    { duration, kind }: Plan.Fault,
    name: keyof typeof processes
  ) {
    const isCrash = kind === "crash"
    if (isCrash) yield* idle
    trace.mark(isCrash ? `crash: ${name}` : "restart")
    trace.note(`${name} ${isCrash ? "is killed" : "stops"}`)
    yield* processes[name][isCrash ? "kill" : "stop"]
    yield* Effect.sleep(duration)
    trace.note(`${name} starts`)
    yield* processes[name].start
  })

  const receiverNames = ["receiver 1", "receiver 2"] as const
  const outage = Effect.fnUntraced(function* ({ duration }: Plan.Outage) {
    trace.note("no receiver runs")
    yield* Effect.forEach(receiverNames, (name) => processes[name].kill, { discard: true })
    const from = trace.now()
    yield* Effect.sleep(duration)
    yield* Effect.forEach(receiverNames, (name) => processes[name].start, { discard: true })
    trace.note("the receivers start")
    checker.outage(from, trace.now())
  })

  return {
    events: [
      ...(plan.outages ?? []).map((each) => ({ at: each.at, effect: outage(each) })),
      ...plan.operations.flatMap((operation) => [
        { at: operation.at, effect: merchant.order(operation) },
        ...operation.steps.flatMap(({ after, event }) =>
          isMove(event) ? { at: operation.at + after, effect: move(operation, event) } : []
        )
      ]),
      ...plan.forgeries.map((forgery) => ({
        at: forgery.at,
        effect: Forger.forge(forgery, callbacks, trace)
      })),
      ...plan.faults.flatMap((fault) =>
        fault.kind === "crash" || fault.kind === "restart"
          ? { at: fault.at, effect: end(fault, fault.target) }
          : []
      )
    ],
    redrive: Effect.gen(function* () {
      const parked = yield* Effect.orDie(store.direct.deadLetters({ limit: 10_000 }))
      for (const row of parked) {
        const { method, transactionId } = row
        trace.mark("a dead letter was redriven")
        observer?.redriven(row)
        yield* Effect.orDie(store.direct.redrive({ method, transactionId }, trace.now()))
      }
    }),
    start: Effect.forEach(Object.values(processes), ({ start }) => start, { discard: true }),
    stop: Effect.forEach(Object.values(processes), ({ kill }) => kill, { discard: true }),
    backlog: Effect.suspend(() =>
      Effect.map(Effect.orDie(store.direct.backlog(trace.now())), ({ due }) => due)
    ),
    checkUnreadable: Effect.gen(function* () {
      for (const { kind, transactionId } of transactions()) {
        if (operationOfId(transactionId)?.isUnreadable !== true) continue
        const method = kind.startsWith("apm") ? "apm" : "card"
        const row = yield* Effect.orDie(store.direct.get(method, transactionId))
        if (row === undefined) continue
        trace.mark("an unreadable row was parked")
        if (row.deadLetter?.reason !== "unreadable")
          trace.violation("S15", `${kind} ${transactionId} cannot be read, and is not parked`)
      }
    }),
    check: Effect.gen(function* () {
      for (const transaction of transactions()) {
        yield* checker.end(transaction, merchant.registered.has(transaction.transactionId))
      }
      clientChecker.end(transactions())
      const openOrders = merchant.openOrders()
      if (openOrders.length > 0) trace.violation("X1", `orders are open: ${openOrders.join()}`)
    }),
    transactions,
    told: checker.told
  }
})
