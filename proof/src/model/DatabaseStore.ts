/**
 * An empty ledger on a database, in virtual time, which stands still while a statement is under
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

export const make = Effect.fnUntraced(function* (name: "sqlite" | "postgres") {
  const store = yield* Stores.make(name)
  const { idle, setClock, watch } = yield* VirtualDatabase.make(store)
  const { clock, next } = noteWakes(yield* Clock.Clock)
  const built = yield* Effect.provideService(
    Layer.build(Stores.layerLedger(store)),
    Clock.Clock,
    clock
  )

  let moved = { at: 0, done: Promise.resolve() }
  const moveClock = Effect.promise(() => {
    const at = clock.currentTimeMillisUnsafe()
    if (at !== moved.at) moved = { at, done: setClock(at) }
    return moved.done
  })

  const pass = Effect.fnUntraced(function* (duration: number) {
    const until = clock.currentTimeMillisUnsafe() + duration
    for (;;) {
      yield* idle
      const now = clock.currentTimeMillisUnsafe()
      if (now >= until) return
      yield* TestClock.adjust(Math.min(next(now) ?? until, until) - now)
    }
  })
  // Both receivers share a connection, which wakes them.
  const ledger = { ...Context.get(built, Ledger), pollInterval: Duration.infinity }
  return { ledger: watch(ledger, moveClock), clock, pass, idle }
}, Effect.orDie)
