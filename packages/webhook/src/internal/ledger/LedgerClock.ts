/**
 * The clock of a ledger. On PostgreSQL it is that of the database, so that machines whose clocks
 * differ agree on leases and due times.
 */
import type * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Ledger } from "../../Ledger.ts"

/** The waits and durations follow the clock of the process. */
export const make = (
  { time }: Pick<Ledger["Service"], "time">,
  process: Clock.Clock
): Clock.Clock => {
  const millis = () => time(process)
  let ahead = 0
  const nanos = () => {
    const now = Math.round(millis() - process.currentTimeMillisUnsafe())
    // The milliseconds of both begin at different times, so the difference alternates.
    if (Math.abs(now - ahead) > 1) ahead = now
    return process.currentTimeNanosUnsafe() + BigInt(ahead) * 1_000_000n
  }
  const own = {
    currentTimeMillisUnsafe: millis,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: () => process.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: Effect.suspend(() => process.monotonicTimeNanos),
    sleep: (duration: Duration.Duration) => process.sleep(duration)
  }
  // The functions of a clock for tests are inherited.
  return Object.create(process, Object.getOwnPropertyDescriptors(own)) as Clock.Clock
}
