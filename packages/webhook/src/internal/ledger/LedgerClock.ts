/**
 * The clock of a ledger. On PostgreSQL it is that of the database, so that machines whose clocks
 * differ agree on leases and due times.
 */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Ledger } from "../../Ledger.ts"

/** The waits and durations follow the clock of the process. */
export const make = (
  { time }: Pick<Ledger["Service"], "time">,
  process: Clock.Clock
): Clock.Clock => {
  const millis = () => time(process)
  const nanos = () =>
    process.currentTimeNanosUnsafe() +
    BigInt(Math.round(millis() - process.currentTimeMillisUnsafe())) * 1_000_000n
  const own = {
    currentTimeMillisUnsafe: millis,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos)
  }
  // The rest is inherited, also that of a clock for tests.
  return Object.assign(Object.create(process) as Clock.Clock, own)
}
