/**
 * The read budget in SQL: one line with the state and its version.
 *
 * **Details**
 *
 * A change reads the state and writes it back if no other process changed it meanwhile, else it begins again. So no lock is
 * held between the two statements, and a process that is paused there stops no other one. The time of a change is that at
 * which the state was read, by the clock of the database on PostgreSQL.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as ReadBudget from "../../ReadBudget.ts"
import { now } from "./DatabaseClock.ts"
import type { BigInteger } from "./RowCodec.ts"

interface Line {
  readonly version: BigInteger
  readonly state: string | null
  readonly now: BigInteger
}

type Changed<A> = readonly [budget: ReadBudget.ReadBudget, result: A]

const change = Effect.fnUntraced(function* <A>(
  sql: SqlClient,
  at: number,
  by: (budget: ReadBudget.ReadBudget, now: number) => Changed<A>
): Effect.fn.Return<A, SqlError> {
  const time = sql.onDialectOrElse({ pg: () => sql.literal(now), orElse: () => sql`${at}` })
  for (;;) {
    const [line] = yield* sql<Line>`SELECT version, state, ${time} AS now FROM pawl_read_budget`
    const before = budgetOf(line?.state)
    const [after, result] = by(before, Number(line?.now ?? at))
    if (after === before) return result
    const written = yield* sql`UPDATE pawl_read_budget
      SET version = version + 1, state = ${JSON.stringify(after)}
      WHERE version = ${line?.version ?? 0} RETURNING version`
    if (written.length > 0) return result
  }
})

/** Reserves reads. Translates `ReadBudget.reserve`. */
export const reserve = (
  sql: SqlClient,
  wanted: ReadBudget.Wanted,
  at: number
): Effect.Effect<ReadBudget.Reservation, SqlError> =>
  change(sql, at, (before, now) => {
    const { budget, reservation } = ReadBudget.reserve(before, wanted, now)
    return [budget, reservation]
  })

/** Lowers the rate after a 429. Translates `ReadBudget.lower`. */
export const lower = (
  sql: SqlClient,
  by: Parameters<typeof ReadBudget.lower>[1],
  at: number
): Effect.Effect<void, SqlError> =>
  change(sql, at, (before, now) => [ReadBudget.lower(before, by, now), undefined])

const budgetOf = (state: string | null | undefined): ReadBudget.ReadBudget =>
  typeof state === "string"
    ? { ...ReadBudget.unused, ...(JSON.parse(state) as Partial<ReadBudget.ReadBudget>) }
    : ReadBudget.unused
