/**
 * An empty ledger on PostgreSQL, in virtual time, which stands still while a statement is under
 * way.
 */
import { Ledger } from "@pawl/webhook/Ledger"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import * as Stores from "../rel/Stores.ts"
import * as VirtualDatabase from "../rel/VirtualDatabase.ts"
import { noteWakes } from "../VirtualTime.ts"
import type { MakeStore } from "./Recording.ts"

export const make: MakeStore = Effect.gen(function* () {
  const sql = yield* Stores.make("postgres")
  const database = yield* VirtualDatabase.make(sql)
  const { clock, next } = noteWakes(yield* Clock.Clock)
  const built = yield* Effect.provideService(
    Layer.build(Stores.layerLedger(sql)),
    Clock.Clock,
    clock
  )

  let moved = { at: 0, done: Promise.resolve() }
  const moveClock = Effect.promise(() => {
    const at = clock.currentTimeMillisUnsafe()
    if (at !== moved.at) moved = { at, done: database.setClock(at) }
    return moved.done
  })

  const pass = Effect.fnUntraced(function* (duration: Duration.Duration) {
    const until = clock.currentTimeMillisUnsafe() + Duration.toMillis(duration)
    for (;;) {
      yield* database.idle
      const now = clock.currentTimeMillisUnsafe()
      if (now >= until) return
      yield* TestClock.adjust(Math.min(next(now) ?? until, until) - now)
    }
  })
  const ledger = Context.get(built, Ledger)
  return {
    ledger: database.watch(ledger, moveClock),
    clock,
    pass: (duration) => Effect.provideService(pass(duration), Clock.Clock, clock),
    idle: database.idle
  }
})
