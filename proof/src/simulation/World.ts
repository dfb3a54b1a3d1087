/**
 * The processes, the links between them, the store, and who judges them: everything that a plan happens to.
 *
 * @since 0.1.0
 */
import type { Hmac } from "@pawl/core/Hmac"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Transaction } from "@pawl/testkit/Gateway"
import type { Bug } from "./Bugs.ts"
import * as ClientJudge from "./ClientJudge.ts"
import * as CrashableStore from "./CrashableStore.ts"
import * as Forger from "./Forger.ts"
import * as Merchant from "./Merchant.ts"
import * as Nemesis from "./Nemesis.ts"
import * as Network from "./Network.ts"
import type { Fault, Operation, Plan, Process as Name } from "./Plan.ts"
import type * as Process from "./Process.ts"
import * as ReceiverJudge from "./ReceiverJudge.ts"
import * as Receivers from "./Receivers.ts"
import * as Service from "./Service.ts"
import type { Trace } from "./Trace.ts"

/**
 * A world.
 *
 * - `events`: what the plan has happen, and when.
 * - `operator`: re-drives the dead letters, as a person does who is told of them.
 * - `start`, `stop`: all processes.
 * - `backlog`: how many rows are due and nobody works on.
 * - `judge`: judges what is there in the end.
 *
 * @category models
 * @since 0.1.0
 */
export interface World {
  readonly events: ReadonlyArray<{ readonly at: number; readonly effect: Effect.Effect<void> }>
  readonly operator: Effect.Effect<void>
  readonly start: Effect.Effect<void>
  readonly stop: Effect.Effect<void>
  readonly backlog: Effect.Effect<number>
  readonly judge: Effect.Effect<void>
  readonly transactions: () => ReadonlyArray<Transaction>
  readonly told: () => number
}

/** What a transaction is before the service moves it. */
const before = {
  REFUNDED: ["SUCCEED"],
  CHARGEBACK: ["SUCCEED", "REFUNDED"],
  SUCCEED: ["CHARGEBACK"]
}

/**
 * Makes the world of a plan, in which nothing runs yet.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = Effect.fnUntraced(function* (
  plan: Plan,
  trace: Trace,
  bug: Bug
): Effect.fn.Return<World, never, Hmac | Scope.Scope> {
  const { seed } = plan
  const nemesis = yield* Nemesis.make(plan, trace)
  const store = yield* CrashableStore.make(nemesis, trace, bug.ledger)
  const client = ClientJudge.make(trace)
  const judge = ReceiverJudge.make(trace, client, plan, (method, id) =>
    Effect.orDie(store.asItIs.get(method, id))
  )

  const receivers: Array<Process.Process<Network.Receive>> = []
  const there = () => receivers.flatMap((each) => each.running() ?? [])
  const callbacks = yield* Network.callbacks(there, { judge, nemesis, trace })
  const service = yield* Service.make(seed, callbacks.client)
  const { transactions } = service

  const orders = new Map(plan.operations.map((each) => [String(each.id), each]))
  const orderOf = (transaction: Transaction | undefined): Operation | undefined =>
    orders.get(transaction?.metadata?.["order"] ?? "")

  const base = { bug, nemesis, seed, store, trace, client, judge, quietAt: plan.quietAt }
  const transport = (from: Name) =>
    Network.transport(from, () => service.process.running()?.handle, {
      judge: client,
      nemesis,
      trace
    })
  const merchant = yield* Merchant.make({
    ...base,
    transport: transport("client"),
    wasMade: (requestId) => transactions().some((each) => each.requestId === requestId)
  })
  const receiver = Effect.fnUntraced(function* (name: Receivers.Options["name"]) {
    const deedsOf = (id: string) => orderOf(service.transaction(id))?.deeds ?? []
    const made = yield* Receivers.make({ ...base, name, transport: transport(name), deedsOf })
    receivers.push(made)
    return made
  })
  const processes = {
    service: service.process,
    client: merchant.process,
    "receiver 1": yield* receiver("receiver 1"),
    "receiver 2": yield* receiver("receiver 2")
  }

  const move = (order: Operation, to: keyof typeof before) =>
    Effect.suspend(() => {
      const gateway = service.process.running()?.gateway
      const moved = transactions().find(
        (each) => each.kind === order.kind && orderOf(each) === order
      )
      if (gateway === undefined || moved === undefined || !before[to].includes(moved.status)) {
        return Effect.void
      }
      trace.mark(`moved to ${to}`)
      trace.note(`the service moves ${moved.transactionId} to ${to}`)
      return Effect.asVoid(gateway.move(moved.transactionId, to))
    })

  const crash = Effect.fnUntraced(function* ({ lasts }: Fault, name: keyof typeof processes) {
    trace.mark(`crash: ${name}`)
    trace.note(`${name} is killed`)
    yield* processes[name].kill
    yield* Effect.sleep(lasts)
    trace.note(`${name} starts`)
    yield* processes[name].start
  })

  return {
    events: [
      ...plan.operations.flatMap((order) => [
        { at: order.at, effect: merchant.order(order) },
        ...order.steps.flatMap(({ after, what }) =>
          what in before
            ? [{ at: order.at + after, effect: move(order, what as keyof typeof before) }]
            : []
        )
      ]),
      ...plan.forgeries.map((forgery) => ({
        at: forgery.at,
        effect: Forger.forge(forgery, callbacks, trace)
      })),
      ...plan.faults.flatMap((fault) =>
        fault.what === "crash" ? [{ at: fault.at, effect: crash(fault, fault.on) }] : []
      )
    ],
    operator: Effect.gen(function* () {
      for (const { method, transactionId } of yield* Effect.orDie(store.asItIs.deadLetters)) {
        trace.mark("a dead letter was re-driven")
        yield* Effect.orDie(store.asItIs.redrive({ method, transactionId }, trace.now()))
      }
    }),
    start: Effect.forEach(Object.values(processes), ({ start }) => start, { discard: true }),
    stop: Effect.forEach(Object.values(processes), ({ kill }) => kill, { discard: true }),
    backlog: Effect.map(Effect.orDie(store.asItIs.backlog(trace.now())), ({ due }) => due),
    judge: Effect.gen(function* () {
      for (const each of transactions()) {
        yield* judge.end(each, merchant.registered.has(each.transactionId))
      }
      client.end(transactions())
      const open = merchant.open()
      if (open.length > 0) trace.breaks("X1", `orders are open: ${open.join()}`)
    }),
    transactions,
    told: judge.told
  }
})
