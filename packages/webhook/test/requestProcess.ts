import { StoreUnavailable } from "@pawl/core/CallbackError"
import type { RequestSender } from "@pawl/core/RequestSender"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Metric from "effect/Metric"
import { MinimumLogLevel } from "effect/References"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as Ledger from "../src/Ledger.ts"
import * as Requests from "../src/Requests.ts"
import type { Records } from "../src/internal/records/Records.ts"
import * as RequestStore from "../src/internal/ledger/RequestStore.ts"
import * as fake from "./requestService.ts"
import { secret } from "@pawl/test-support/Service"
import type { Steps } from "@pawl/test-support/Tests"
import { pass, run } from "@pawl/test-support/World"

export type Stores = Ledger.Ledger | Records | RequestStore.RequestStore

export const stores = Layer.build(
  Layer.provideMerge(RequestStore.layerMemory, Layer.fresh(Ledger.layerMemory))
)

/**
 * The options of a process. `built`: the stores of another one; `service`: that of another one;
 * `sender` and `plant` change the ports.
 */
export interface Options extends Requests.Options {
  readonly built?: Context.Context<Stores>
  readonly sender?: Partial<RequestSender["Service"]>
  readonly plant?: (
    store: RequestStore.RequestStore["Service"]
  ) => Partial<RequestStore.RequestStore["Service"]>
  readonly fates?: ReadonlyArray<fake.Fate>
  readonly service?: ReturnType<typeof fake.make>
  readonly key?: string
}

/** Starts a process. `kill` cuts it off from its store first, so it releases nothing. */
export const start = Effect.fnUntraced(function* ({
  built,
  fates = [],
  key = secret,
  plant = () => ({}),
  sender,
  service = fake.make(fates),
  ...options
}: Options = {}) {
  const opened = built ?? (yield* stores)
  const scope = yield* Scope.fork(yield* Effect.scope)
  const store = Context.get(opened, RequestStore.RequestStore)
  const planted = { ...store, ...plant(store) }
  let isDead = false
  const cutOff = Effect.sync(() => {
    isDead = true
  })
  const whileAlive = <A, E>(call: Effect.Effect<A, E>) =>
    Effect.suspend((): Effect.Effect<A, E | StoreUnavailable> =>
      isDead ? new StoreUnavailable({}) : call
    )
  const made = yield* Layer.buildWithScope(
    Layer.fresh(fake.layer({ ...service.sender, ...sender }, key, options)).pipe(
      Layer.provide(
        Layer.succeed(RequestStore.RequestStore, {
          ...planted,
          write: (...call) => whileAlive(planted.write(...call)),
          claim: (...call) => whileAlive(planted.claim(...call)),
          release: (...call) => whileAlive(planted.release(...call)),
          renew: (...call) => whileAlive(planted.renew(...call)),
          settle: (...call) => whileAlive(planted.settle(...call))
        })
      )
    ),
    scope
  )
  return {
    ...Context.get(made, Requests.Requests),
    built: opened,
    store,
    ledger: Context.get(opened, Ledger.Ledger),
    service,
    cutOff,
    kill: Effect.andThen(cutOff, Scope.close(scope, Exit.die("killed")))
  }
})

export const card = (requestId: string) => ({
  ...fake.payment(requestId),
  mid: "mid-1",
  card: { number: "4242424242424242", cvv: "737" }
})

/** Gives up the call when it has left. */
export const sendAndLeave = Effect.fnUntraced(function* (
  shop: Requests.Requests["Service"],
  requestId: string
) {
  const call = yield* Effect.forkChild(shop.send("card-payment", card(requestId)))
  yield* pass("1 second")
  yield* Fiber.interrupt(call)
  yield* pass("1 second")
})

export const watched = async (body: () => Steps<Scope.Scope>) => {
  const lines: Array<unknown> = []
  const logger = Logger.map(Logger.formatStructured, ({ annotations, message }) => {
    lines.push([message, annotations])
  })
  const counts = await run(
    Effect.gen(function* () {
      yield* Effect.scoped(Effect.gen(body))
      return (yield* Metric.snapshot).flatMap(({ attributes, id, state }) =>
        /requests|alarms/u.test(id) && "count" in state ? [[id, attributes, state.count]] : []
      )
    }).pipe(
      Effect.provideService(Metric.MetricRegistry, new Map()),
      Effect.provide(Logger.layer([logger])),
      Effect.provideService(MinimumLogLevel, "Warn")
    )
  )
  return { counts, lines }
}
