/** Records traces of the real pipeline: a day of traffic and faults, and the months after it. */
import type { Status } from "@pawl/core/Status"
import * as Ledger from "@pawl/webhook/Ledger"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { callback, incoming } from "../rel/FakeService.ts"
import * as SeededRandom from "../rel/SeededRandom.ts"
import { pass, settle, sleepUntil } from "../VirtualTime.ts"
import * as Pipeline from "./Pipeline.ts"
import type { Index } from "./State.ts"
import { labels } from "./Step.ts"
import * as Traces from "./Traces.ts"

const paths: ReadonlyArray<ReadonlyArray<Status>> = [
  ["NEW", "PENDING", "PROCESSING", "SUCCEED"],
  ["PENDING", "SUCCEED"],
  ["NEW", "PENDING", "FAILED"],
  ["PENDING", "PROCESSING", "CUSTOMER_VERIFICATION", "CANCELLED"],
  ["PENDING", "FAILED", "SUCCEED"],
  ["PENDING", "SUCCEED", "REFUNDED"],
  ["NEW", "PENDING", "PROCESSING", "SUCCEED", "REFUNDED", "CHARGEBACK"]
]
const forged: ReadonlyArray<Status> = ["PENDING", "PROCESSING", "SUCCEED", "FAILED", "CHARGEBACK"]

const trafficTime = Duration.toMillis(Duration.minutes(20))
const maxGap = Duration.toMillis(Duration.minutes(2))
const endGap = Duration.toMillis(Duration.minutes(1))
/** The time after the last move: longer than the reads of a lost REFUNDED or CHARGEBACK wait. */
const quietTime = Duration.days(20)

/** An empty ledger in virtual time; `idle` waits until no statement is under way. */
export interface Store {
  readonly ledger: Ledger.Ledger["Service"]
  readonly clock: Clock.Clock
  readonly pass: (duration: Duration.Duration) => Effect.Effect<void>
  readonly idle: Effect.Effect<void>
}

export type MakeStore = Effect.Effect<Store, unknown, Scope.Scope>

export const inProcess = (empty: Layer.Layer<Ledger.Ledger, unknown>): MakeStore =>
  Effect.gen(function* () {
    const built = yield* Layer.build(Layer.fresh(empty))
    const clock = yield* Clock.Clock
    return { ledger: Context.get(built, Ledger.Ledger), clock, pass, idle: Effect.void }
  })

export const record = Effect.fnUntraced(
  function* (
    seed: number,
    count: number,
    bug: Pipeline.Bug = {},
    makeStore: MakeStore = inProcess(Ledger.layerMemory)
  ) {
    const store = yield* Effect.orDie(makeStore)
    return yield* Effect.provideService(
      recordOn(store, { seed, count, bug }),
      Clock.Clock,
      store.clock
    )
  },
  Effect.scoped,
  Effect.provide(TestClock.layer({ warningDelay: Duration.hours(1) }))
)

const recordOn = Effect.fnUntraced(function* (
  store: Store,
  {
    bug,
    count,
    seed
  }: { readonly seed: number; readonly count: number; readonly bug: Pipeline.Bug }
) {
  const random = SeededRandom.make(seed, "traces")
  const traces = Traces.make()
  // Both share a connection, which wakes them.
  const opened = { ...store.ledger, pollInterval: Duration.infinity }
  const ledger = bug.ledger?.(opened) ?? opened
  const see = (id: string, event: string) => traces.write({ _tag: "Seen", id, event })
  const shared: Pipeline.Shared = {
    bug,
    ledger,
    random,
    write: traces.write,
    statusOf: (id) => traces.pathOf(id).at(-1)
  }
  const receivers: [Pipeline.Process | undefined, Pipeline.Process | undefined] = [
    undefined,
    undefined
  ]
  const start = (by: Index) =>
    Effect.map(Pipeline.start(by, shared), (process) => {
      receivers[by] = process
    })
  const at = (time: number, effect: Effect.Effect<unknown, unknown, Scope.Scope>) =>
    Effect.forkScoped(Effect.andThen(sleepUntil(time), Effect.orDie(effect)), {
      startImmediately: true
    })

  const post = (id: string, claim: Status, isVerifiable = true) =>
    Effect.suspend(() => {
      const receiver = receivers[random.below(2)] ?? receivers[0] ?? receivers[1]
      if (receiver === undefined) return Effect.void
      const request = incoming(callback(id, claim))
      if (isVerifiable) see(id, labels.arrived(claim))
      return Effect.map(
        receiver.receive(isVerifiable ? request : { ...request, checksum: "x".repeat(44) }),
        (status) => {
          if (status === 200) see(id, labels.answered(claim))
          else if (isVerifiable) see(id, labels.unanswered(claim))
        }
      )
    })

  const run = Effect.fnUntraced(function* (id: string) {
    const path = random.pick(paths)
    let time = random.below(trafficTime)
    const isRegistered = random.isTrue(0.5)
    for (const [index, status] of path.entries()) {
      yield* at(
        time,
        Effect.sync(() => traces.write({ _tag: "Moved", id, status }))
      )
      if (index === 0 && isRegistered) {
        yield* at(
          time + random.below(3000),
          Effect.andThen(
            Effect.sync(() => see(id, labels.registered(status))),
            ledger.register({ kind: "apm-payment", transactionId: id, status }, time)
          )
        )
      }
      const isLost = random.isTrue(0.2) && (index > 0 || isRegistered)
      const repeats = isLost ? 0 : random.pick([1, 1, 2, 3])
      for (let repeat = 0; repeat < repeats; repeat++) {
        const delay = 1 + random.below(random.isTrue(0.5) ? 100 : 90_000)
        yield* at(time + delay, post(id, status))
      }
      if (random.isTrue(0.2)) yield* at(time + random.below(60_000), post(id, random.pick(forged)))
      if (random.isTrue(0.1))
        yield* at(time + random.below(60_000), post(id, random.pick(forged), false))
      time += 1 + random.below(random.isTrue(0.5) ? 500 : maxGap)
    }
  })

  const restart = (by: Index) =>
    Effect.gen(function* () {
      const ended = receivers[by]
      if (ended === undefined) return
      receivers[by] = undefined
      yield* store.idle
      yield* ended.end(random.isTrue(0.5))
      yield* Effect.sleep(random.below(5000))
      yield* start(by)
    })

  yield* start(0)
  yield* start(1)
  for (let index = 0; index < count; index++) yield* run(String(100_001 + index))
  for (let time = endGap; time < trafficTime * 1.5; time += endGap) {
    yield* at(time + random.below(30_000), restart(random.pick([0, 1])))
  }
  yield* settle
  for (let part = 0; part < 20; part++) yield* store.pass(Duration.times(quietTime, 1 / 20))
  const all = traces.all()
  for (const receiver of receivers) yield* receiver?.end(true) ?? Effect.void
  return all
})
