/**
 * The clock of a ledger. On PostgreSQL it is that of the database, so that machines whose clocks
 * differ agree on leases and due times.
 */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Method } from "@pawl/core/Kind"
import type { Ledger } from "../../Ledger.ts"

type Time = Pick<Ledger["Service"], "time">

export const timeOf = (
  { time }: Time,
  process: Clock.Clock,
  key?: { readonly method: Method; readonly transactionId: string }
): number => time?.(process, key) ?? process.currentTimeMillisUnsafe()

/** The waits and durations follow the clock of the process. */
export const make = (ledger: Time, process: Clock.Clock): Clock.Clock => {
  if (ledger.time === undefined) return process
  const millis = () => timeOf(ledger, process)
  const nanos = () => BigInt(millis()) * 1_000_000n
  return {
    currentTimeMillisUnsafe: millis,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: () => process.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: process.monotonicTimeNanos,
    sleep: (duration) => process.sleep(duration)
  }
}
