/**
 * Tests whose bodies are generators, as that of `Effect.gen`. They have a scope and metrics of their
 * own, and print no log.
 */
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import { MinimumLogLevel } from "effect/References"
import type * as Scope from "effect/Scope"
import * as vitest from "vitest"
import { emptied, type Place } from "./Places.ts"
import { makeForAll } from "./Properties.ts"
import { run } from "./World.ts"

export type Steps<Services> = Generator<Effect.Effect<unknown, unknown, Services>, unknown, never>

type Run = (test: Effect.Effect<unknown, unknown, Scope.Scope>) => Promise<unknown>

/** The arguments of a case: the elements of a tuple, else the value itself. */
type Arguments<Case> = Case extends readonly [...infer Values] ? Values : [value: Case]

/**
 * Makes tests that run so. `each` makes one for each case, whose values its name has like those of
 * `it.each`; `with` makes tests that have services of their own. `forAll` checks a property.
 */
const makeTests = (run: Run) => {
  const runOnce = (test: Effect.Effect<unknown, unknown, Scope.Scope>) =>
    run(Effect.provideService(test, Metric.MetricRegistry, new Map()))
  return Object.assign(
    (name: string, body: () => Steps<Scope.Scope>): void =>
      vitest.it(name, () => runOnce(Effect.gen(body))),
    {
      each:
        <const Case>(cases: ReadonlyArray<Case>) =>
        (name: string, body: (...values: Arguments<Case>) => Steps<Scope.Scope>): void =>
          vitest.it.each(cases as ReadonlyArray<ReadonlyArray<unknown>>)(
            name,
            async (...values) => {
              await runOnce(Effect.gen(() => body(...(values as Arguments<Case>))))
            }
          ),
      forAll: makeForAll<Steps<Scope.Scope>>(async (body) => {
        await runOnce(Effect.gen(body))
      }),
      with:
        <Services>(layer: () => Layer.Layer<Services, unknown>) =>
        (name: string, body: () => Steps<Services | Scope.Scope>): void =>
          // A test releases what it made before its services end.
          vitest.it(name, () =>
            runOnce(Effect.provide(Effect.scoped(Effect.gen(body)), layer(), { local: true }))
          )
    }
  )
}

/** Makes tests in virtual time, which starts at the epoch. */
export const test = makeTests(run)

export const live = makeTests((test) =>
  test.pipe(Effect.scoped, Effect.provideService(MinimumLogLevel, "None"), Effect.runPromise)
)

export const testIn = (place: Place) => live.with(() => emptied(place))
