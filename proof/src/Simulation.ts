/**
 * The merchant's processes and the service under one seed: what goes wrong in years, in minutes.
 *
 * **Details**
 *
 * A shop, two receivers on one store, and the service with its courier run in one process, on the code that is deployed,
 * with nothing replaced but clocks, links and the store. A `Plan` says what happens to them: operations, faults of links, clocks
 * and store, crashes, forgeries. It is a plain list, drawn from a seed, so it can be kept in a file, and shrunk.
 *
 * First there is trouble, then quiet for 131 days, longer than the longest wait of the reconciler. Then it is judged
 * whether the invariants held; most are judged all the while.
 *
 * | | |
 * |---|---|
 * | S1, S2 | what was answered 200 is stored, before the answer and for ever |
 * | S3 | nothing is known but by a callback whose checksum holds, or from the service itself |
 * | S4 | ranks told never fall, and each change follows what was told before |
 * | S5 | what the handler does commits once |
 * | S6, S7 | in the end the handler was told what the service says, and where the evidence stands |
 * | S8 | two ends that were confirmed are told as a conflict |
 * | S9 | an end is told only after the service said so |
 * | S10 | a genuine end is told within a read and a second, whatever is forged, or fails beside it |
 * | C1, C2 | an operation is made once, under one requestId and with the same bytes; a change is sent once |
 * | C3, C4 | a token is asked for when it is needed; secrets go to the service alone |
 * | C5, C6, C7 | a call ends in time, by no defect, and never as failed where it was done |
 * | P1, P2 | the first read waits, and the last comes after months |
 * | L1 | an hour after the last fault nothing is left to do |
 * | R1 | no log line has a secret, a token, a checksum or a card number |
 * | X1 | the simulation itself came to its end |
 *
 * **Example** (Three bad days)
 *
 * ```ts
 * import * as NodeHmac from "@pawl/core/NodeHmac"
 * import * as Simulation from "./Simulation.ts"
 * import * as Effect from "effect/Effect"
 *
 * const plan = Simulation.draw(7, { days: 3, perDay: 4, faults: 2, forgeries: 1 })
 *
 * const program = Effect.map(Simulation.run(plan), ({ broken }) => broken)
 *
 * await Effect.runPromise(Effect.provide(program, NodeHmac.layer)) // => []
 * ```
 *
 * @since 0.1.0
 */
import type { Hmac } from "@pawl/core/Hmac"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Random from "effect/Random"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import * as Bugs from "./simulation/Bugs.ts"
import * as Client from "./simulation/Client.ts"
import * as Marks from "./simulation/Marks.ts"
import * as Plans from "./simulation/Plan.ts"
import * as Traces from "./simulation/Trace.ts"
import * as World from "./simulation/World.ts"
import { sleepUntil } from "../../packages/testkit/src/internal/Sleep.ts"

/**
 * A simulation, drawn: what is to happen, as plain lists.
 *
 * @category models
 * @since 0.1.0
 */
export type Plan = Plans.Plan

/**
 * How long a simulation is, and how dense.
 *
 * @category models
 * @since 0.1.0
 */
export type Size = Plans.Size

/**
 * Draws a simulation from a seed: the same seed, the same plan.
 *
 * @category constructors
 * @since 0.1.0
 */
export const draw: (seed: number, size: Size) => Plan = Plans.draw

/**
 * Something wrong with the merchant's code.
 *
 * @category models
 * @since 0.1.0
 */
export type Bug = Bugs.Bug

/**
 * Bugs to plant, by what is wrong: a simulation that does not find them proves nothing.
 *
 * @category constants
 * @since 0.1.0
 */
export const bugs: Readonly<Record<string, Bug>> = Bugs.bugs

/**
 * The marks that simulations are to meet, together.
 *
 * @category constants
 * @since 0.1.0
 */
export const marks: ReadonlyArray<string> = Marks.marks

/**
 * An invariant that did not hold, and when, in milliseconds from the start.
 *
 * @category models
 * @since 0.1.0
 */
export type Broken = Traces.Broken

/**
 * What may be said about a run.
 *
 * - `bug`: what is wrong with the code; nothing by default.
 * - `listen`: takes every line of the trace.
 * - `isBrief`: the run ends when something breaks.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  readonly bug?: Bug
  readonly listen?: (line: string) => void
  readonly isBrief?: boolean
}

/**
 * What came of a run.
 *
 * - `hash`: of all that was sent, answered and told, in order; the same for the same plan.
 * - `broken`: the invariants that did not hold, the first few of each.
 * - `marks`: how often each was met.
 * - `transactions`, `told`: how many there were, and how many changes of them were told.
 *
 * @category models
 * @since 0.1.0
 */
export interface Outcome {
  readonly hash: string
  readonly broken: ReadonlyArray<Broken>
  readonly marks: ReadonlyMap<string, number>
  readonly transactions: number
  readonly told: number
}

/** Longer than the reconciler waits in all: 12 hours, doubled to 64 days. */
const quietDays = 131
const hour = Duration.toMillis(Duration.hours(1))

/** Lets every fiber run until it sleeps; the test clock waits only for those it woke itself. */
const settled = Effect.replicateEffect(Effect.yieldNow, 50, { discard: true })

const passUntil = (trace: Traces.Trace, at: number) =>
  Effect.andThen(
    Effect.suspend(() => TestClock.adjust(at - trace.now())),
    settled
  )

/** What may stand in no log: the secret, the card, a token, a checksum. */
const canaries = [Client.secret, Client.card.number, "Bearer ", "eyJ"]
const checksum = /(?<![\w+/])[\w+/]{43}=/u

const logger = (trace: Traces.Trace) =>
  Logger.make((options) => {
    const line = Logger.formatLogFmt.log(options)
    trace.mark("a line was logged")
    if (canaries.some((each) => line.includes(each)) || checksum.test(line))
      trace.breaks("R1", line)
  })

const live = Effect.fnUntraced(function* (
  plan: Plan,
  { bug = {}, isBrief = false }: Options,
  trace: Traces.Trace
) {
  const { quietAt } = plan
  const world = yield* World.make(plan, trace, bug)
  yield* Effect.addFinalizer(() => world.stop)
  const rounds = Array.from({ length: 12 }, (_, round) => quietAt + round * 6 * hour)
  const events = [
    ...world.events,
    ...rounds.map((at) => ({ at, effect: world.operator }))
  ].toSorted((one, two) => one.at - two.at)
  let open = events.length
  const happen = (effect: Effect.Effect<void>) =>
    effect.pipe(
      Effect.tapCause((cause) => Effect.sync(() => trace.breaks("X1", Cause.pretty(cause)))),
      Effect.ensuring(Effect.sync(() => open--)),
      Effect.forkScoped({ startImmediately: true })
    )
  const all = Effect.gen(function* () {
    yield* passUntil(trace, quietAt + hour)
    const due = yield* world.backlog
    if (due > 0) trace.breaks("L1", `${due} rows are due an hour after the last fault`)
    yield* passUntil(trace, quietAt + quietDays * Plans.day)
    if (open > 0) trace.breaks("X1", `${open} events did not come to their end`)
    yield* world.stop
    yield* world.judge
  })

  yield* world.start
  yield* Effect.forkScoped(
    Effect.forEach(events, ({ at, effect }) => Effect.andThen(sleepUntil(at), happen(effect)), {
      discard: true
    })
  )
  yield* settled
  yield* isBrief ? Effect.raceFirst(all, trace.broke) : all
  return { ...trace.end(), transactions: world.transactions().length, told: world.told() }
})

/**
 * Runs a simulation, in virtual time.
 *
 * @category running
 * @since 0.1.0
 */
export const run = (plan: Plan, options: Options = {}): Effect.Effect<Outcome, never, Hmac> =>
  Effect.flatMap(Traces.make(marks, options.listen), (trace) =>
    Effect.provide(live(plan, options, trace), Logger.layer([logger(trace)]))
  ).pipe(
    Effect.scoped,
    Effect.provideServiceEffect(Random.Random, Random.withSeed(Random.Random, plan.seed)),
    // It never gives up on a fiber for being slow on the clock on the wall.
    Effect.provide(TestClock.layer({ warningDelay: Duration.hours(1) }))
  )

/**
 * Makes a plan that breaks an invariant shorter, for so many milliseconds, as long as it breaks the same one.
 *
 * @category running
 * @since 0.1.0
 */
export const shrink = Effect.fnUntraced(function* (
  plan: Plan,
  invariant: string,
  options: Options & { readonly millis: number }
): Effect.fn.Return<Plan, never, Hmac> {
  const runPromise = Effect.runPromiseWith(yield* Effect.context<Hmac>())
  const clock = yield* Clock.Clock
  const end = clock.currentTimeMillisUnsafe() + options.millis
  const holds = (shorter: Plan) =>
    clock.currentTimeMillisUnsafe() > end
      ? Promise.resolve(true)
      : runPromise(
          Effect.map(run(shorter, { ...options, isBrief: true }), ({ broken }) =>
            broken.every((each) => each.invariant !== invariant)
          )
        )
  type Lists = [Array<Plans.Operation>, Array<Plans.Fault>, Array<Plans.Forgery>]
  const all: Lists = [[...plan.operations], [...plan.faults], [...plan.forgeries]]
  const [operations, faults, forgeries] = all
  const part = fc.tuple(fc.subarray(operations), fc.subarray(faults), fc.subarray(forgeries))
  const of = ([operations, faults, forgeries]: Lists): Plan => ({
    ...plan,
    operations,
    faults,
    forgeries
  })
  const { counterexample } = yield* Effect.promise(() =>
    fc.check(
      fc.asyncProperty(part, (shorter) => holds(of(shorter))),
      { numRuns: 1, examples: [[all]] }
    )
  )
  return of(counterexample?.[0] ?? all)
})
