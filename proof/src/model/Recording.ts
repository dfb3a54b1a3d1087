/**
 * Records traces of the real pipeline in virtual time: two receivers on one store, a day of traffic
 * and faults, and the months after it.
 */
import * as Handler from "@pawl/core/Handler"
import * as NodeHmac from "@pawl/core/NodeHmac"
import { NotFound, Unreachable } from "@pawl/core/PaymentsError"
import { Profile } from "@pawl/core/Profile"
import type { Status } from "@pawl/core/Status"
import { StatusReader } from "@pawl/core/StatusReader"
import { StoreUnavailable } from "@pawl/core/CallbackError"
import * as Journal from "@pawl/webhook/Journal"
import * as Ledger from "@pawl/webhook/Ledger"
import * as Receiver from "@pawl/webhook/Receiver"
import * as Verifier from "@pawl/webhook/Verifier"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { MinimumLogLevel } from "effect/References"
import type * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { callback, incoming, secret } from "../rel/FakeService.ts"
import * as SeededRandom from "../rel/SeededRandom.ts"
import type { Bug } from "../simulation/Bugs.ts"
import type * as Process from "../simulation/Process.ts"
import { watching } from "../simulation/Receivers.ts"
import { pass, settle } from "../VirtualTime.ts"
import * as Recorder from "./Recorder.ts"
import type { Index } from "./Checker.ts"
import * as Traces from "./Traces.ts"
import * as TwoProcesses from "./TwoProcesses.ts"

const { labels } = Traces

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

interface Shared {
  readonly bug: Bug
  readonly ledger: Ledger.Ledger["Service"]
  readonly random: SeededRandom.SeededRandom
  readonly traces: ReturnType<typeof Traces.make>
}

/** Starts a receiver, and returns its function that receives a callback. */
const boot = (
  by: Index,
  { isDead, run }: Process.Instance,
  { bug, ledger, random, traces }: Shared
) =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const now = () => clock.currentTimeMillisUnsafe()
    const recorder = Recorder.make({ by, write: traces.write, isOpen: () => !isDead(), now })
    // Added first, so the instance does it last.
    yield* Effect.addFinalizer(() => Effect.sync(recorder.ended))
    const execute = <A, E>(statement: Effect.Effect<A, E | StoreUnavailable>) =>
      Effect.suspend(() => (isDead() ? Effect.fail(new StoreUnavailable({})) : statement))
    const { ledger: connected, releaseAll } = watching({
      ...ledger,
      accept: (verified, at) => execute(ledger.accept(verified, at)),
      claim: (options) => execute(ledger.claim(options)),
      write: (leased, change) => execute(ledger.write(leased, change))
    })
    const commitsApart = bug.commitsApart === true
    const handler: Handler.Handler["Service"] = {
      handle: Effect.fnUntraced(function* (transition) {
        recorder.called(transition)
        if (commitsApart) {
          yield* Effect.sleep(random.below(3000))
          recorder.committed(transition)
        }
        yield* Effect.sleep(random.isTrue(0.2) ? 40_000 : random.below(4000))
        if (random.isTrue(0.15)) return yield* Effect.fail("not now")
      }),
      ...(!commitsApart && {
        commit: (transition, markTold) =>
          Effect.tap(markTold, () => Effect.sync(() => recorder.committed(transition)))
      })
    }
    const reader = StatusReader.of({
      read: Effect.fnUntraced(function* (kind, id) {
        yield* Effect.sleep(random.below(400))
        if (random.isTrue(0.1))
          return yield* new Unreachable({ reason: "reset", sent: true, attempts: 1 })
        const status = traces.pathOf(id).at(-1)
        if (status === undefined) return yield* new NotFound({})
        return { kind: kind === "apm" ? ("apm-payment" as const) : kind, status }
      })
    })
    const layer = Receiver.layer({ policy: bug.policy ?? "final" }).pipe(
      Layer.provide(Verifier.layer({ current: Redacted.make(secret) })),
      Layer.provide([
        Layer.succeed(Ledger.Ledger, recorder.ledger(connected)),
        Layer.succeed(Handler.Handler, handler),
        Layer.succeed(StatusReader, reader),
        NodeHmac.layer
      ])
    )
    const services = yield* Layer.build(Layer.fresh(layer))
    if (bug.releasesRunning === true) {
      yield* Effect.addFinalizer((exit) => (Exit.isSuccess(exit) ? releaseAll : Effect.void))
    }
    recorder.observe(Context.get(services, Journal.Journal))
    const { receive } = Context.get(services, Receiver.Receiver)
    const context = yield* Effect.context()
    const received = bug.receive?.(receive) ?? receive
    return (incoming: Verifier.Incoming) => run(Effect.provide(received(incoming), context))
  }).pipe(
    Effect.provideService(MinimumLogLevel, "None"),
    Effect.updateService(Profile, (switches) => ({ ...switches, ...bug.profile }))
  )

const recordOn = Effect.fnUntraced(function* (
  store: Store,
  { bug, count, seed }: { readonly seed: number; readonly count: number; readonly bug: Bug }
) {
  const random = SeededRandom.make(seed, "traces")
  const traces = Traces.make()
  const { see } = traces
  // Both share a connection, which wakes them.
  const opened = { ...store.ledger, pollInterval: Duration.infinity }
  const ledger = bug.ledger?.(opened) ?? opened
  const { at, kill, restart, running } = yield* TwoProcesses.start(random, (by, instance) =>
    boot(by, instance, { bug, ledger, random, traces })
  )

  const post = (id: string, claim: Status, isVerifiable = true) =>
    Effect.gen(function* () {
      const receive = running()
      if (receive === undefined) return
      const request = incoming(callback(id, claim))
      if (isVerifiable) see(id, labels.arrived(claim))
      const status = yield* receive(
        isVerifiable ? request : { ...request, checksum: "x".repeat(44) }
      )
      if (status === 200) see(id, labels.answered(claim))
      else if (isVerifiable) see(id, labels.unanswered(claim))
    })

  const run = Effect.fnUntraced(function* (id: string) {
    const isRegistered = random.isTrue(0.5)
    let time = random.below(trafficTime)
    for (const [index, status] of random.pick(paths).entries()) {
      yield* at(
        time,
        Effect.sync(() => traces.write({ _tag: "Moved", id, status }))
      )
      if (index === 0 && isRegistered) {
        const registration = { kind: "apm-payment", transactionId: id, status } as const
        const note = Effect.sync(() => see(id, labels.registered(status)))
        const registered = Effect.andThen(note, ledger.register(registration, time))
        yield* at(time + random.below(3000), registered)
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

  for (let index = 0; index < count; index++) yield* run(String(100_001 + index))
  yield* restart(trafficTime * 1.5, 0.5, store.idle)
  yield* settle
  for (let part = 0; part < 20; part++) yield* store.pass(Duration.times(quietTime, 1 / 20))
  const all = traces.all()
  yield* kill
  return all
})

export const record = Effect.fnUntraced(
  function* (
    seed: number,
    count: number,
    bug: Bug = {},
    makeStore: MakeStore = inProcess(Ledger.layerMemory)
  ) {
    const store = yield* Effect.orDie(makeStore)
    const recorded = recordOn(store, { seed, count, bug })
    return yield* Effect.provideService(recorded, Clock.Clock, store.clock)
  },
  Effect.scoped,
  Effect.provide(TestClock.layer({ warningDelay: Duration.hours(1) }))
)
