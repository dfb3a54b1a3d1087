/**
 * Processes that register and accept at the same time, on PostgreSQL. The law of every ledger is in
 * `@pawl/testkit/Laws/Ledger`.
 */
import type { KnownKind } from "@pawl/core/Kind"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import { expect, it } from "@effect/vitest"
import { Ledger } from "../src/Ledger.ts"
import { empty, ledgerOf } from "./places.ts"
import { card, verified } from "./service.ts"
import { onPostgres } from "./stores.ts"

const pairs = 500
const kinds: ReadonlyArray<KnownKind> = ["card-payment", "card-payout", "refund"]

await onPostgres((place) => {
  it.live(
    "makes one row of each of 500 transactions that are registered and called back at once (R37)",
    () =>
      Effect.gen(function* () {
        const open = Layer.build(Layer.fresh(ledgerOf(place)))
        const [shop, receiver] = yield* Effect.all([open, open])
        const sql = Context.get(shop, SqlClient)
        yield* Effect.provideService(empty, SqlClient, sql)
        const register = (n: number) => {
          const kind = kinds[n % kinds.length] ?? "refund"
          return Context.get(shop, Ledger).register({ kind, transactionId: `r${n}` }, 1000)
        }
        const accept = (n: number) =>
          Context.get(receiver, Ledger).accept(
            verified("card", card({ transactionId: `r${n}` })),
            1000
          )
        yield* Effect.forEach(
          Array.from({ length: pairs }, (_, n) => n),
          (n) => Effect.all([register(n), accept(n)], { concurrency: "unbounded" }),
          { concurrency: 16 }
        )
        const [counts] =
          yield* sql`SELECT count(*)::INT AS rows, sum(registered)::INT AS registered,
        sum(callbacks)::INT AS callbacks FROM pawl_transactions`
        expect(counts).toEqual({ rows: pairs, registered: pairs, callbacks: pairs })
      }).pipe(Effect.scoped)
  )

  it.live(
    "holds a registration back while a callback that found no row is being stored (R37)",
    () =>
      Effect.gen(function* () {
        const open = Layer.build(Layer.fresh(ledgerOf(place)))
        const [shop, receiver, other] = yield* Effect.all([open, open, open])
        const sql = Context.get(other, SqlClient)
        yield* Effect.provideService(empty, SqlClient, sql)
        const fibers: Array<Fiber.Fiber<unknown, unknown>> = []
        const undone = yield* sql
          .withTransaction(
            Effect.gen(function* () {
              // An uncommitted row stops the callback between its look-up and its upsert.
              yield* sql`INSERT INTO pawl_transactions
            (transaction_id, scope, method, kind, retry_at, created_at, new_status_at)
            VALUES ('1', 'card', 'card', 'card', 1, 1, 1)`
              const accepted = yield* Effect.forkDetach(
                Context.get(receiver, Ledger).accept(
                  verified("card", card({ transactionId: "1" })),
                  1000
                ),
                { startImmediately: true }
              )
              const watch = Context.get(shop, SqlClient)
              // Other tests wait for locks in databases of their own.
              const waitsFor = (lock: string) => watch`SELECT 1 FROM pg_locks
                JOIN pg_stat_activity USING (pid)
                WHERE datname = current_database() AND locktype = ${lock} AND NOT granted`
              yield* Effect.repeat(waitsFor("transactionid"), { until: ({ length }) => length > 0 })
              const registered = yield* Effect.forkDetach(
                Context.get(shop, Ledger).register(
                  { kind: "card-payment", transactionId: "1" },
                  1000
                ),
                { startImmediately: true }
              )
              yield* Effect.repeat(waitsFor("advisory"), {
                until: ({ length }) => length > 0 || registered.pollUnsafe() !== undefined
              })
              fibers.push(accepted, registered)
              return yield* Effect.fail("undone")
            })
          )
          .pipe(Effect.flip)
        expect(undone).toBe("undone")
        yield* Fiber.joinAll(fibers)
        expect(yield* sql`SELECT scope, kind, registered FROM pawl_transactions`).toEqual([
          { scope: "card", kind: "card-payment", registered: 1 }
        ])
      }).pipe(Effect.scoped)
  )
})
