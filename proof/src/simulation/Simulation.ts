/**
 * Runs a merchant's processes and the payments service under one seed, in virtual time. The code is
 * the deployed one; only clocks, links and the store are replaced. Every fault of the `Plan` ends
 * before `quietAt`.
 */
import type { Hmac } from "@pawl/core/Hmac"
import * as World from "@pawl/test-support/World"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Random from "effect/Random"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { sleepUntil } from "@pawl/testkit/internal/Sleep"
import type { Bug } from "./Bugs.ts"
import * as Client from "./Client.ts"
import * as Cluster from "./Cluster.ts"
import * as CrashableStore from "./CrashableStore.ts"
import type { Observer } from "./Observer.ts"
import * as Plan from "./Plan.ts"
import * as Trace from "./Trace.ts"

/** Options of a run; `store` makes the store. */
export interface Options {
  readonly bug?: Bug
  readonly observer?: Observer
  readonly stopsAtViolation?: boolean
  readonly store?: CrashableStore.MakeStore
}

/** The last move of the service after a create, and the longest gap between two reads, in days. */
export const quietDays = 75
const hour = Duration.toMillis(Duration.hours(1))

const canaries = [Client.secret, Client.card.number, "Bearer ", "eyJ"]
const checksum = /(?<![\w+/])[\w+/]{43}=/u

const logger = (trace: Trace.Trace) =>
  Logger.make((options) => {
    const line = Logger.formatLogFmt.log(options)
    trace.mark("a line was logged")
    if (canaries.some((canary) => line.includes(canary)) || checksum.test(line))
      trace.violation("R1", line)
  })

const simulate = Effect.fnUntraced(function* (
  plan: Plan.Plan,
  { bug = {}, observer, stopsAtViolation = false }: Options,
  trace: Trace.Trace,
  store: CrashableStore.Store
) {
  const { quietAt } = plan
  const cluster = yield* Cluster.make(plan, trace, { bug, observer, store })
  yield* Effect.addFinalizer(() => cluster.stop)
  const redrives = Array.from({ length: 12 }, (_, index) => ({
    at: quietAt + index * 6 * hour,
    effect: cluster.redrive
  }))
  const events = [...cluster.events, ...redrives].toSorted((one, two) => one.at - two.at)
  let openEvents = events.length
  const start = (effect: Effect.Effect<void>) =>
    effect.pipe(
      Effect.tapCause((cause) => Effect.sync(() => trace.violation("X1", Cause.pretty(cause)))),
      Effect.ensuring(Effect.sync(() => openEvents--)),
      Effect.forkScoped({ startImmediately: true })
    )
  const passUntil = (at: number) =>
    Effect.andThen(
      Effect.suspend(() => store.pass(at - trace.now())),
      World.settled
    )
  const untilEnd = Effect.gen(function* () {
    yield* passUntil(quietAt + hour)
    const due = yield* cluster.backlog
    if (due > 0) trace.violation("L1", `${due} rows are due an hour after the last fault`)
    yield* cluster.checkUnreadable
    yield* passUntil(quietAt + quietDays * Plan.day)
    if (openEvents > 0) trace.violation("X1", `${openEvents} events did not end`)
    yield* cluster.stop
    yield* cluster.check
  })

  yield* cluster.start
  yield* Effect.forkScoped(
    Effect.forEach(events, ({ at, effect }) => Effect.andThen(sleepUntil(at), start(effect)), {
      discard: true
    })
  )
  yield* World.settled
  yield* stopsAtViolation ? Effect.raceFirst(untilEnd, trace.violated) : untilEnd
  return { ...trace.end(), transactions: cluster.transactions().length, told: cluster.told() }
})

export const run = (plan: Plan.Plan, options: Options = {}) =>
  Effect.gen(function* () {
    const trace = yield* Trace.make
    const store = yield* options.store ?? CrashableStore.memory
    return yield* simulate(plan, options, trace, store).pipe(
      Effect.provideService(Clock.Clock, store.clock),
      Effect.provide(Logger.layer([logger(trace)]))
    )
  }).pipe(
    Effect.scoped,
    Effect.provideServiceEffect(Random.Random, Random.withSeed(Random.Random, plan.seed)),
    // A warning on a slow machine would break the trace.
    Effect.provide(TestClock.layer({ warningDelay: Duration.hours(1) }))
  )

export const shrink = Effect.fnUntraced(function* (
  plan: Plan.Plan,
  invariant: string,
  options: Options & { readonly maxRuns: number; readonly timeout?: number }
) {
  const runPromise = Effect.runPromiseWith(yield* Effect.context<Hmac>())
  const clock = yield* Clock.Clock
  const end = clock.currentTimeMillisUnsafe() + (options.timeout ?? Infinity)
  let runs = 0
  const holds = (shorter: Plan.Plan) =>
    runs++ >= options.maxRuns || clock.currentTimeMillisUnsafe() > end
      ? Promise.resolve(true)
      : runPromise(
          Effect.map(run(shorter, { ...options, stopsAtViolation: true }), ({ violations }) =>
            violations.every((violation) => violation.invariant !== invariant)
          )
        )
  const all = {
    operations: [...plan.operations],
    faults: [...plan.faults],
    forgeries: [...plan.forgeries],
    outages: [...(plan.outages ?? [])]
  }
  const parts = fc.record({
    operations: fc.subarray(all.operations),
    faults: fc.subarray(all.faults),
    forgeries: fc.subarray(all.forgeries),
    outages: fc.subarray(all.outages)
  })
  const planOf = ({ outages, ...lists }: typeof all): Plan.Plan => ({
    ...plan,
    ...lists,
    ...(plan.outages && { outages })
  })
  const { counterexample } = yield* Effect.promise(() =>
    fc.check(
      fc.asyncProperty(parts, (lists) => holds(planOf(lists))),
      { numRuns: 1, examples: [[all]] }
    )
  )
  return planOf(counterexample?.[0] ?? all)
})
