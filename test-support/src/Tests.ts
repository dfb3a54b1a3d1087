/** Tests whose bodies are generators, as that of `Effect.gen`. They have a scope, and print no log. */
import * as Effect from "effect/Effect"
import { MinimumLogLevel } from "effect/References"
import type * as Scope from "effect/Scope"
import type { SqlClient } from "effect/sql/SqlClient"
import * as vitest from "vitest"
import type { Ledger } from "@pawl/webhook/Ledger"
import { emptied, type Place } from "./Places.ts"
import { run } from "./World.ts"

type Steps<Services> = Generator<Effect.Effect<unknown, unknown, Services>, unknown, never>

/** The arguments of a case: the elements of a tuple, else the value itself. */
type Arguments<Case> = Case extends readonly [...infer Values] ? Values : [value: Case]

/** Makes a test for each case, whose values its name has like those of `it.each`. */
const each =
  <const Case>(cases: ReadonlyArray<Case>) =>
  (name: string, body: (...values: Arguments<Case>) => Steps<Scope.Scope>): void =>
    vitest.it.each(cases as ReadonlyArray<ReadonlyArray<unknown>>)(name, async (...values) => {
      await run(Effect.gen(() => body(...(values as Arguments<Case>))))
    })

/** Makes a test in virtual time, which starts at the epoch. */
export const test = Object.assign(
  (name: string, body: () => Steps<Scope.Scope>): void =>
    vitest.it(name, () => run(Effect.gen(body))),
  { each }
)

/** Makes a test in real time. */
export const live = (name: string, body: () => Steps<Scope.Scope>): void =>
  vitest.it(name, () =>
    Effect.gen(body).pipe(
      Effect.scoped,
      Effect.provideService(MinimumLogLevel, "None"),
      Effect.runPromise
    )
  )

/** Makes tests in virtual time that have an empty ledger in a place. */
export const testIn =
  (place: Place) =>
  (name: string, body: () => Steps<Ledger | SqlClient | Scope.Scope>): void =>
    vitest.it(name, () => run(Effect.provide(Effect.gen(body), emptied(place), { local: true })))
