/**
 * The merchant's shop as a process: it orders, registers what it ordered, and takes up after a crash what it
 * had not finished.
 *
 * **Details**
 *
 * An order is in the shop's own database before anything is sent, with the requestId that every call for it
 * carries. A call that may be made again is, until it is known what became of the order.
 *
 * @since 0.1.0
 */
import { Hmac } from "@pawl/core/Hmac"
import type { Transport } from "@pawl/http/Transport"
import * as CallbackUrl from "@pawl/webhook/CallbackUrl"
import * as Ledger from "@pawl/webhook/Ledger"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import { sleepUntil } from "../../../packages/testkit/src/internal/Sleep.ts"
import type { Bug } from "./Bugs.ts"
import * as Client from "./Client.ts"
import type { ClientJudge } from "./ClientJudge.ts"
import type { CrashableStore } from "./CrashableStore.ts"
import type { Nemesis } from "./Nemesis.ts"
import * as Orders from "./Orders.ts"
import type { Operation } from "./Plan.ts"
import * as Process from "./Process.ts"
import type { Trace } from "./Trace.ts"

/**
 * What a shop is made of. `wasMade` says whether the service has what a requestId made.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  readonly seed: number
  readonly bug: Bug
  readonly store: CrashableStore
  readonly nemesis: Nemesis
  readonly client: ClientJudge
  readonly trace: Trace
  readonly transport: Transport["Service"]
  readonly wasMade: (requestId: string) => boolean
}

/**
 * The shop.
 *
 * - `order` has it order something, as soon as it runs.
 * - `registered` are the transactions it told the receivers of.
 * - `open` are the orders it has not finished.
 *
 * @category models
 * @since 0.1.0
 */
export interface Merchant {
  readonly process: Process.Process<(order: Order) => Effect.Effect<void>>
  readonly order: (operation: Operation) => Effect.Effect<void>
  readonly registered: ReadonlySet<string>
  readonly open: () => ReadonlyArray<number>
}

/** An order in the shop's database: what it made, the steps that are done, the calls made under each requestId. */
interface Order {
  readonly operation: Operation
  readonly tries: Map<string, number>
  made: Orders.Made | undefined
  steps: number
  isDone: boolean
}

/** From a minute to an hour. */
const patience = (tries: number) => Duration.minutes(Math.min(2 ** tries, 60))
const each = Schedule.spaced("1 second")

/**
 * Makes a shop. It is down until its process is started.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = Effect.fnUntraced(function* (
  options: Options
): Effect.fn.Return<Merchant, never, Hmac> {
  const { bug, client: judge, nemesis, seed, store, trace } = options
  const hmac = yield* Hmac
  const orders: Array<Order> = []
  const registered = new Set<string>()

  /** Asks until it is known what became of it; undefined when it is refused for good. */
  const insist = <A>(order: Order, name: string, ask: Orders.Ask<A>) =>
    Effect.gen(function* () {
      const requestId = `order-${order.operation.id}-${name}`
      for (let refusals = 0; refusals < 3;) {
        const tries = order.tries.get(requestId) ?? 0
        order.tries.set(requestId, tries + 1)
        const sent = bug.requestId?.(requestId, tries) ?? requestId
        // What an earlier call left in doubt is not this one's to know.
        const wasMade = Effect.sync(() => tries === 0 && options.wasMade(sent))
        const exit = yield* judge.call(requestId, ask(sent), wasMade)
        if (Exit.isSuccess(exit)) {
          if (tries > 0) trace.mark("known by the same requestId")
          return exit.value
        }
        const error = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
        if (error?._tag === "Declined") return error.response
        if (error?._tag === "NotFound" || error?._tag === "ValidationFailed") refusals++
        yield* Effect.sleep(patience(tries))
      }
      return undefined
    })

  const boot = (life: Process.Life) =>
    Effect.gen(function* () {
      judge.started("client")
      const callbackUrls = Layer.orDie(CallbackUrl.layer(Redacted.make(Client.secret)))
      const layer = Layer.merge(Client.layer(options.transport), callbackUrls)
      const built = yield* Layer.build(Layer.fresh(layer))
      const calls = yield* Effect.provide(Orders.make, built)
      const ledger = store.seenBy(life)
      const fibers = yield* FiberSet.make<void>()

      const register = Effect.fnUntraced(function* (order: Order, made: Orders.Made) {
        const { kind: ordered } = order.operation
        const { refundId, transactionId, transactionStatus } = made
        const id = refundId ?? transactionId ?? undefined
        if (id === undefined || typeof transactionStatus !== "string") return
        const kind =
          refundId !== undefined ? "refund" : ordered === "subscription" ? "card-payment" : ordered
        // A card payment's amount may change.
        const { accountId, amount, currency, mid } = Orders.orderedOf(order.operation)
        const request = kind.startsWith("apm") ? { accountId, amount, currency } : { mid }
        yield* Ledger.register(kind, { transactionId: id, transactionStatus }, request).pipe(
          Effect.provideService(Ledger.Ledger, ledger),
          Effect.retry(each)
        )
        trace.note(`client registered ${kind} ${id}`)
        registered.add(id)
      })

      const step = Effect.fnUntraced(function* (
        order: Order,
        what: Operation["steps"][number]["what"]
      ) {
        const { subscriptionId = "", transactionId } = order.made ?? {}
        if (what === "refund") {
          const made = yield* insist(
            order,
            what,
            calls.refund(order.operation, transactionId ?? "")
          )
          if (made !== undefined) yield* register(order, made)
        } else if (what === "pause") {
          // It carries no requestId: what is in doubt stays so.
          yield* judge.call(what, calls.pause(subscriptionId)()).pipe(
            Effect.repeat({
              until: (exit) => Exit.isSuccess(exit) || bug.insists !== true,
              schedule: each
            })
          )
        } else if (what === "cancel") {
          yield* insist(order, what, calls.cancel(subscriptionId))
        }
      })

      const pursue = Effect.fnUntraced(function* (order: Order) {
        const { at, kind, steps } = order.operation
        if (order.made === undefined) {
          const kept =
            kind === "subscription" ? yield* insist(order, "card", calls.tokenize) : undefined
          const cardToken = kept === undefined ? "" : Redacted.value(kept.cardToken)
          const made = yield* insist(order, "create", calls.create(order.operation, cardToken))
          if (made === undefined)
            return trace.breaks("C6", `order ${order.operation.id} was refused`)
          yield* register(order, made)
          order.made = made
        }
        for (const { after, what } of steps.slice(order.steps)) {
          yield* sleepUntil(at + after)
          // Whether it was done is known no better after a crash, and a change is sent once.
          if (what === "pause") order.steps++
          yield* step(order, what)
          if (what !== "pause") order.steps++
        }
        order.isDone = true
      })

      const own = yield* Effect.context()
      const begin = (order: Order) =>
        Effect.asVoid(Effect.provide(FiberSet.run(fibers, pursue(order)), own))
      for (const order of orders) if (!order.isDone) yield* begin(order)
      return begin
    }).pipe(
      Effect.provideService(Hmac, hmac),
      Effect.provideService(Clock.Clock, nemesis.clock("client")),
      Effect.provideServiceEffect(
        Random.Random,
        Random.withSeed(Random.Random, `${seed} client ${life.number}`)
      )
    )

  const process = Process.make(boot)
  return {
    process,
    order: (operation) =>
      Effect.suspend(() => {
        const order = { operation, tries: new Map(), made: undefined, steps: 0, isDone: false }
        orders.push(order)
        return process.running()?.(order) ?? Effect.void
      }),
    registered,
    open: () => orders.filter(({ isDone }) => !isDone).map(({ operation }) => operation.id)
  }
})
