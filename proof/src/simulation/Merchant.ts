/**
 * The merchant's shop: it makes operations, registers them, and continues open orders after a
 * crash. A call with a requestId is repeated as durable requests are.
 */
import { Hmac } from "@pawl/core/Hmac"
import type { CreateError } from "@pawl/core/PaymentsError"
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
import { sleepUntil } from "@pawl/testkit/internal/Sleep"
import * as Client from "./Client.ts"
import type { Parts } from "./Network.ts"
import * as Orders from "./Orders.ts"
import type { Operation } from "./Plan.ts"
import * as Process from "./Process.ts"

interface Options extends Parts {
  readonly transport: Transport["Service"]
  readonly wasMade: (requestId: string) => boolean
}

interface Order {
  readonly operation: Operation
  readonly attempts: Map<string, number>
  readonly refusals: Map<string, { readonly count: number; readonly since: number }>
  created: Orders.Created | undefined
  steps: number
  isDone: boolean
}

const maxRefusals = 3
const refusalTime = Duration.toMillis(Duration.minutes(10))

const isRefusal = (error: CreateError): boolean => {
  const last = error._tag === "OutcomeUnknown" ? (error.refusal ?? error.cause) : error
  return last._tag === "NotFound" || last._tag === "ValidationFailed"
}

const retryDelay = (attempts: number) => Duration.minutes(Math.min(2 ** attempts, 60))
const everySecond = Schedule.spaced("1 second")

export const make = Effect.fnUntraced(function* (options: Options) {
  const { bug, clientChecker: checker, nemesis, plan, store, trace } = options
  const hmac = yield* Hmac
  const orders: Array<Order> = []
  const registered = new Set<string>()

  const callUntilKnown = <A>(order: Order, name: string, call: Orders.Call<A>) =>
    Effect.gen(function* () {
      const requestId = `order-${order.operation.id}-${name}`
      for (;;) {
        const attempts = order.attempts.get(requestId) ?? 0
        order.attempts.set(requestId, attempts + 1)
        const sent = bug.requestId?.(requestId, attempts) ?? requestId
        // An earlier attempt may have made the operation.
        const wasMade = Effect.sync(() => attempts === 0 && options.wasMade(sent))
        const exit = yield* checker.call(requestId, call(sent), wasMade)
        if (Exit.isSuccess(exit)) {
          if (attempts > 0) trace.mark("the same requestId returned the outcome")
          return exit.value
        }
        const error = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
        if (error?._tag === "Declined") return error.response
        if (error !== undefined && isRefusal(error)) {
          const now = yield* Clock.currentTimeMillis
          const { count, since } = order.refusals.get(requestId) ?? { count: 0, since: now }
          order.refusals.set(requestId, { count: count + 1, since })
          if (count + 1 >= maxRefusals && now - since >= refusalTime) {
            trace.mark("a request was refused again and again")
            return undefined
          }
        }
        yield* Effect.sleep(retryDelay(attempts))
      }
    })

  const boot = (instance: Process.Instance) =>
    Effect.gen(function* () {
      checker.started("client")
      const callbackUrls = Layer.orDie(CallbackUrl.layer(Redacted.make(Client.secret)))
      const layer = Layer.merge(Client.layer(options.transport), callbackUrls)
      const services = yield* Layer.build(Layer.fresh(layer))
      const calls = yield* Effect.provide(Orders.make, services)
      const ledger = store.connect(instance)
      const fibers = yield* FiberSet.make<void>()

      const register = Effect.fnUntraced(function* (order: Order, created: Orders.Created) {
        const { kind: orderedKind } = order.operation
        const { refundId, transactionId, transactionStatus } = created
        const id = refundId ?? transactionId ?? undefined
        if (id === undefined || typeof transactionStatus !== "string") return
        const kind =
          refundId !== undefined
            ? "refund"
            : orderedKind === "subscription"
              ? "card-payment"
              : orderedKind
        // The amount of a card payment may change.
        const { accountId, amount, currency, mid } = Orders.orderedOf(order.operation)
        const request = kind.startsWith("apm") ? { accountId, amount, currency } : { mid }
        yield* Ledger.register(kind, { transactionId: id, transactionStatus }, request).pipe(
          Effect.provideService(Ledger.Ledger, ledger),
          Effect.retry(everySecond)
        )
        trace.note(`client registered ${kind} ${id}`)
        registered.add(id)
      })

      const step = Effect.fnUntraced(function* (
        order: Order,
        event: Operation["steps"][number]["event"]
      ) {
        const { subscriptionId = "", transactionId } = order.created ?? {}
        if (event === "refund") {
          const created = yield* callUntilKnown(
            order,
            event,
            calls.refund(order.operation, transactionId ?? "")
          )
          if (created !== undefined) yield* register(order, created)
        } else if (event === "pause") {
          // Without a requestId a lost response leaves the outcome unknown.
          yield* checker.call(event, calls.pause(subscriptionId)()).pipe(
            Effect.repeat({
              until: (exit) => Exit.isSuccess(exit) || bug.repeatsChanges !== true,
              schedule: everySecond
            })
          )
        } else if (event === "cancel") {
          yield* callUntilKnown(order, event, calls.cancel(subscriptionId))
        }
      })

      const runOrder = Effect.fnUntraced(function* (order: Order) {
        const { at, kind, steps } = order.operation
        if (order.created === undefined) {
          const card =
            kind === "subscription"
              ? yield* callUntilKnown(order, "card", calls.tokenize)
              : undefined
          const cardToken = card === undefined ? "" : Redacted.value(card.cardToken)
          const created = yield* callUntilKnown(
            order,
            "create",
            calls.create(order.operation, cardToken)
          )
          if (created === undefined)
            return trace.violation("C6", `order ${order.operation.id} was refused`)
          yield* register(order, created)
          order.created = created
        }
        for (const { after, event } of steps.slice(order.steps)) {
          yield* sleepUntil(at + after)
          // A pause may be sent only once.
          if (event === "pause") order.steps++
          yield* step(order, event)
          if (event !== "pause") order.steps++
        }
        order.isDone = true
      })

      const context = yield* Effect.context()
      const startOrder = (order: Order) =>
        Effect.asVoid(Effect.provide(FiberSet.run(fibers, runOrder(order)), context))
      for (const order of orders) if (!order.isDone) yield* startOrder(order)
      return startOrder
    }).pipe(
      Effect.provideService(Hmac, hmac),
      Effect.provideService(Clock.Clock, nemesis.clock("client")),
      Effect.provideServiceEffect(
        Random.Random,
        Random.withSeed(Random.Random, `${plan.seed} client ${instance.number}`)
      )
    )

  const process = Process.make(boot)
  return {
    process,
    order: (operation: Operation) =>
      Effect.suspend(() => {
        const order: Order = {
          operation,
          attempts: new Map(),
          refusals: new Map(),
          created: undefined,
          steps: 0,
          isDone: false
        }
        orders.push(order)
        return process.running()?.(order) ?? Effect.void
      }),
    registered,
    openOrders: () => orders.filter(({ isDone }) => !isDone).map(({ operation }) => operation.id)
  }
})
