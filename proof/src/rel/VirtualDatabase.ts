/** Virtual time for a receiver with a real store: it stands still while the store works. */
import type { Ledger } from "@pawl/webhook/Ledger"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import { everyCall } from "../EveryCall.ts"
import { pass as passAlone, settle } from "../VirtualTime.ts"
import * as SteppedDatabase from "./SteppedDatabase.ts"
import * as Stores from "./Stores.ts"

/** The most milliseconds that pass at once: less than `ReadBudget.lookahead`, so no read misses its time. */
const step = 100

export const make = Effect.fnUntraced(function* (store: Stores.SqlStore) {
  let calls = 0
  const ended = Latch.makeUnsafe(true)
  const query = store._tag === "postgres" ? yield* Stores.queryOf(store) : undefined
  if (store._tag === "postgres")
    yield* SteppedDatabase.install(store, "timestamptz", "to_timestamp(0)", "value")

  /** SQLite has the clock of the process. */
  const setClock = async (at: number): Promise<void> => {
    await query?.(`UPDATE clock SET value = to_timestamp(${at / 1000})`)
  }

  const idle = Effect.gen(function* () {
    for (;;) {
      yield* settle
      if (calls === 0) return
      yield* ended.await
    }
  })

  return {
    setClock,
    idle,
    watch: (
      ledger: Ledger["Service"],
      before: Effect.Effect<void> = Effect.void
    ): Ledger["Service"] => {
      return everyCall(ledger, (call) =>
        Effect.suspend(() => {
          calls++
          ended.closeUnsafe()
          return Effect.ensuring(
            Effect.andThen(before, call),
            Effect.sync(() => {
              if (--calls === 0) ended.openUnsafe()
            })
          )
        })
      )
    },
    pass: Effect.fnUntraced(function* (time: number) {
      const until = (yield* Clock.currentTimeMillis) + time
      for (;;) {
        yield* idle
        const now = yield* Clock.currentTimeMillis
        if (now >= until) return
        const next = Math.min(now + step, until)
        yield* Effect.promise(() => setClock(next))
        yield* passAlone(next - now)
      }
    })
  }
})
