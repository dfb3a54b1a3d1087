/** A ledger on a real store in virtual time, which stands still while a statement is under way. */
import * as World from "@pawl/test-support/World"
import { Ledger } from "@pawl/webhook/Ledger"
import * as NodePostgres from "@pawl/webhook/NodePostgres"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { everyCall } from "../EveryCall.ts"
import * as SteppedDatabase from "./SteppedDatabase.ts"
import * as Stores from "./Stores.ts"

const noteWakes = (clock: Clock.Clock) => {
  const wakes: Array<number> = []
  const add = (at: number) => {
    const place = wakes.findLastIndex((other) => other >= at) + 1
    if (Number.isFinite(at) && wakes[place - 1] !== at) wakes.splice(place, 0, at)
  }
  const noted: Clock.Clock = {
    ...clock,
    sleep: (duration) =>
      Effect.suspend(() => {
        add(Math.ceil(clock.currentTimeMillisUnsafe() + Duration.toMillis(duration)))
        return clock.sleep(duration)
      })
  }
  return {
    clock: noted,
    /** Returns the earliest wake-up after `now`, perhaps of an interrupted fiber. */
    next: (now: number): number | undefined => {
      while ((wakes.at(-1) ?? Infinity) <= now) wakes.pop()
      return wakes.at(-1)
    }
  }
}

/** Opens an empty store. `clock` is for all that waits; `pass` wakes each fiber at its time. */
export const make = Effect.fnUntraced(function* (store: Stores.SqlStore) {
  const { clock, next } = noteWakes(yield* Clock.Clock)
  const now = () => clock.currentTimeMillisUnsafe()
  let calls = 0
  const ended = Latch.makeUnsafe(true)
  const query = store._tag === "postgres" ? yield* Stores.queryOf(store) : undefined
  if (store._tag === "postgres")
    yield* SteppedDatabase.install(store, "timestamptz", "to_timestamp(0)", "value")

  /** SQLite has the clock of the process. */
  let set = { at: 0, done: Promise.resolve<unknown>(undefined) }
  const setClock = Effect.promise(() => {
    const at = now()
    if (at !== set.at)
      set = {
        at,
        done: Promise.resolve(query?.(`UPDATE clock SET value = to_timestamp(${at / 1000})`))
      }
    return set.done
  })

  // A pool that looks for idle connections would wake every minute of the virtual time.
  const layer: Layer.Layer<Ledger, unknown> =
    store._tag === "postgres"
      ? NodePostgres.layerLedger({ url: Redacted.make(store.url), idleTimeout: Duration.infinity })
      : Stores.layerLedger(store)
  const ledger = Context.get(
    yield* Effect.provideService(Layer.build(layer), Clock.Clock, clock),
    Ledger
  )
  const watched = everyCall(ledger, (call) =>
    Effect.suspend(() => {
      calls++
      ended.closeUnsafe()
      return Effect.ensuring(
        Effect.andThen(setClock, call),
        Effect.sync(() => {
          if (--calls === 0) ended.openUnsafe()
        })
      )
    })
  )

  const idle = Effect.gen(function* () {
    for (;;) {
      yield* World.settled
      if (calls === 0) return
      yield* ended.await
    }
  })
  const pass = Effect.fnUntraced(function* (time: number) {
    const until = now() + time
    for (;;) {
      yield* idle
      if (now() >= until) return
      yield* TestClock.adjust(Math.min(next(now()) ?? until, until) - now())
    }
  })
  // Its one process wakes its own workers.
  return { ledger: { ...watched, pollInterval: Duration.infinity }, clock, pass, idle }
})

export type VirtualDatabase = Effect.Success<ReturnType<typeof make>>
