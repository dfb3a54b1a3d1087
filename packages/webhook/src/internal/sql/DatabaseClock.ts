/**
 * The clock of the database, read without a query: its time was measured, and the time since then is that of the
 * monotonic clock of the process.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { BigInteger } from "../records/SqlStore.ts"

/** The clock of a database. `refresh` measures it again if the last measurement is older than 10 seconds. */
export interface DatabaseClock {
  readonly time: (clock: Clock.Clock) => number
  readonly refresh: Effect.Effect<void, SqlError>
}

const maxAge = 10_000_000_000n

/** The expression of the time in PostgreSQL, in milliseconds since the epoch. */
export const now = "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)"

/** Measures the clock of a PostgreSQL database. SQLite runs in the process and has no clock of its own. */
export const make = Effect.fnUntraced(function* (
  sql: SqlClient
): Effect.fn.Return<DatabaseClock | undefined, SqlError> {
  if (sql.onDialectOrElse({ pg: () => false, orElse: () => true })) return undefined
  const measure = Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const before = clock.monotonicTimeNanosUnsafe()
    const [line] = yield* sql<{ readonly millis: BigInteger }>`SELECT ${sql.literal(now)} AS millis`
    const after = clock.monotonicTimeNanosUnsafe()
    // The response was made between the two.
    return { millis: Number(line?.millis), nanos: (before + after) / 2n }
  })
  let measured = yield* measure
  return {
    time: (clock) =>
      measured.millis +
      Math.floor(Number(clock.monotonicTimeNanosUnsafe() - measured.nanos) / 1_000_000),
    refresh: Effect.flatMap(Clock.Clock, (clock) =>
      clock.monotonicTimeNanosUnsafe() - measured.nanos < maxAge
        ? Effect.void
        : Effect.map(measure, (next) => {
            measured = next
          })
    )
  }
})
