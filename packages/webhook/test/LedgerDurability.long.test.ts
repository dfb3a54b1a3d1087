import * as Evidence from "@pawl/core/Evidence"
import * as Program from "@pawl/test-support/Program"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { SqlClient } from "effect/sql/SqlClient"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Ledger } from "../src/Ledger.ts"
import type { Leased } from "../src/internal/rule/Row.ts"
import { client, empty, ledgerOf, type Place } from "@pawl/test-support/Places"
import { card, verified } from "@pawl/test-support/Service"
import { files, onPostgres } from "@pawl/test-support/Stores"

/** Milliseconds on a busy machine. */
const processTime = 120_000

const script = new URL("ledgerChild.ts", import.meta.url).pathname

const start = (place: Place, task: "endless" | "shared", first = 0) =>
  Effect.tap(
    Program.start(process.execPath, [script, JSON.stringify(place), task, String(first)]),
    ({ line }) => line(/^ready$/mu)
  )

const linesOf = ({ stdout }: Program.Program): ReadonlyArray<string> =>
  stdout().trimEnd().split("\n").slice(1)

/** Returns the ids printed before the kill. */
const killed = (place: Place, first: number, after: number) =>
  Effect.gen(function* () {
    const program = yield* start(place, "endless", first)
    program.child.stdin.write("go\n")
    yield* program.line(new RegExp(`^ready\n(?:.+\n){${after}}`, "u"))
    program.child.kill("SIGKILL")
    yield* program.exited
    return linesOf(program)
  }).pipe(Effect.scoped, Effect.runPromise)

const run = <A>(
  place: Place,
  effect: Effect.Effect<A, unknown, Ledger | SqlClient | Scope.Scope>
): Promise<A> => Effect.runPromise(Effect.scoped(Effect.provide(effect, ledgerOf(place))))

const survives = (place: Place, cycles: number, check: Effect.Effect<void, unknown, SqlClient>) =>
  it(
    `has every accepted callback after it was killed ${cycles} times (R01)`,
    async () => {
      await run(place, empty)
      const printed: Array<string> = []
      const deaths = fc.sample(fc.integer({ min: 1, max: 400 }), cycles)
      for (const [cycle, after] of deaths.entries()) {
        printed.push(...(await killed(place, cycle * 1_000_000, after)))
        const kept = await Effect.runPromise(
          Effect.provide(
            Effect.gen(function* () {
              yield* check
              const sql = yield* SqlClient
              return yield* sql<{ readonly id: string }>`
              SELECT transaction_id AS id FROM pawl_transactions_view
              JOIN pawl_transactions_texts ON key LIKE transaction_id || '%'
              WHERE evidence = ${Evidence.claimed("SUCCEED")} AND callbacks = 1`
            }),
            client(place)
          )
        )
        const ids = new Set(kept.map(({ id }) => id))
        expect(printed.filter((id) => !ids.has(id))).toEqual([])
      }
      expect(printed.length).toBeGreaterThanOrEqual(deaths.reduce((sum, after) => sum + after, 0))
    },
    processTime
  )

const shares = (place: Place) =>
  it(
    "is made by four processes at once, and has one row for each id that all of them accept (R15, R24)",
    async () => {
      const counts = await Effect.gen(function* () {
        const programs = yield* Effect.all(
          Array.from({ length: 4 }, () => start(place, "shared")),
          { concurrency: "unbounded" }
        )
        for (const { child } of programs) child.stdin.write("go\n")
        yield* Effect.all(programs.map(({ exited }) => exited))
        return programs.map((program) => Number(linesOf(program).at(-1)))
      }).pipe(Effect.scoped, Effect.runPromise)
      // Each callback was new to exactly one of the four.
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(200)

      const rows = await run(
        place,
        Effect.flatMap(Ledger, (ledger) => ledger.claim({ at: 1000, until: 2000, limit: 1000 }))
      )
      expect(
        rows.rows.map(({ transactionId }) => Number(transactionId)).toSorted((a, b) => a - b)
      ).toEqual(Array.from({ length: 200 }, (_, id) => id))
      expect(new Set(rows.rows.map(({ callbacks }) => callbacks))).toEqual(new Set([4]))
    },
    processTime
  )

const divides = (place: Place) =>
  it("leases each row to one of two ledgers that claim at the same time", () =>
    run(
      place,
      Effect.gen(function* () {
        yield* empty
        const one = yield* Ledger
        const other = Context.get(yield* Layer.build(Layer.fresh(ledgerOf(place))), Ledger)
        yield* Effect.forEach(
          Array.from({ length: 300 }, (_, id) =>
            verified("card", card({ transactionId: String(id) }))
          ),
          (each) => one.accept(each, 1000),
          { concurrency: "unbounded" }
        )
        const all = (ledger: Ledger["Service"]): Effect.Effect<ReadonlyArray<Leased>, unknown> =>
          Effect.flatMap(ledger.claim({ at: 1000, until: 9000, limit: 7 }), ({ dueAt, rows }) =>
            rows.length === 0 && dueAt === 9000
              ? Effect.succeed(rows)
              : Effect.map(all(ledger), (more) => [...rows, ...more])
          )
        const claimed = yield* Effect.all([all(one), all(other), all(one), all(other)], {
          concurrency: "unbounded"
        })
        const ids = claimed.flat().map(({ transactionId }) => transactionId)
        expect(ids.length).toBe(300)
        expect(new Set(ids).size).toBe(300)
        expect(new Set(claimed.flat().map(({ lease }) => lease)).size).toBe(300)
      })
    ))

const remembers = (place: Place) =>
  it("keeps a lease over a restart until the lease ends", async () => {
    const leased = await run(
      place,
      Effect.gen(function* () {
        yield* empty
        const ledger = yield* Ledger
        yield* ledger.accept(verified("card", card()), 1000)
        const { rows } = yield* ledger.claim({ at: 1000, until: 31_000, limit: 1 })
        yield* ledger.accept(verified("card", card({ transactionStatus: "REFUNDED" })), 2000)
        return rows[0] as Leased
      })
    )
    await run(
      place,
      Effect.gen(function* () {
        const ledger = yield* Ledger
        const early = yield* ledger.claim({ at: 30_999, until: 60_000, limit: 1 })
        expect(early).toEqual({ rows: [], dueAt: 31_000, unreadable: [] })
        expect(yield* ledger.write(leased, { sequence: 7 })).toMatchObject({
          sequence: 7,
          callbacks: 2
        })
        const late = yield* ledger.claim({ at: 31_000, until: 61_000, limit: 1 })
        expect(late.rows).toMatchObject([{ sequence: 7, callbacks: 2 }])
        expect(yield* ledger.write(leased, { sequence: 8 })).toBeUndefined()
      })
    )
  })

describe("in a SQLite file", () => {
  const file = files()
  const isSound = Effect.gen(function* () {
    const sql = yield* SqlClient
    expect(yield* sql`PRAGMA integrity_check`.values).toEqual([["ok"]])
  })
  survives(file(), 3, isSound)
  shares(file())
  divides(file())
  remembers(file())
})

await onPostgres((place) => {
  shares(place)
  divides(place)
  remembers(place)
  survives(place, 2, Effect.void)
})
