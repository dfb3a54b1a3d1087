/**
 * Eight processes on one store take the same callbacks at the same instant: one effect each (R15, R24).
 */
import * as Effect from "effect/Effect"
import { setTimeout as sleep } from "node:timers/promises"
import * as Application from "./Application.ts"
import * as Places from "./Places.ts"
import * as Receivers from "./Receivers.ts"
import { type Run, type StoreName, tally, inTurn, type Wanted } from "./Run.ts"
import * as Service from "./Service.ts"
import { each, poster } from "./Sockets.ts"

const processes = 8
/** How many keys are under way at once, each at every process. */
const width = 16

const onStore = (store: Exclude<StoreName, "memory">, { count, say, seed }: Wanted) =>
  Effect.gen(function* () {
    const { miss, misses } = tally()
    const place = yield* Places.makeSql(store)
    const { baseUrl, truth } = yield* Service.start
    const application = yield* Application.start(miss)
    const start = yield* Receivers.make
    const post = yield* poster(processes * width)
    // All at once, so that their migrations meet as well.
    const started = Array.from({ length: processes }, (_, index) =>
      start(baseUrl, ["--store", place.store, "--forward", application.url(index)])
    )
    const ports = (yield* Effect.promise(() =>
      Promise.all(started.map(({ ready }) => ready))
    )).filter((port) => port !== undefined)
    for (const { complaints } of started.slice(ports.length)) {
      miss(`one of ${processes} did not start: ${complaints()}`)
    }
    say(`${store}: ${ports.length} processes serve`)

    let resent = 0
    const idOf = (key: number) => String(100_001 + key + seed * count)
    yield* Effect.promise(() =>
      each(count, width, async (key) => {
        const id = idOf(key)
        truth.set(id, "SUCCEED")
        const callback = Service.callback(id, "SUCCEED")
        await Promise.all(
          ports.map(async (port) => {
            for (let tries = 0; tries < 100; tries++) {
              const answer = await post(port, callback)
              if (answer === 200) return
              if (answer !== undefined && answer !== 503) break
              resent++
              await sleep(50)
            }
            miss(`${id} was not taken`)
          })
        )
        if (key % 250 === 249) say(`${store}: ${key + 1} keys`)
      })
    )
    const [port = 0] = ports
    yield* Effect.promise(async () => {
      for (let waits = 0; waits < 600 && application.told.size < count; waits++) await sleep(100)
      // A second call would come as soon as another process finds the row due.
      await sleep(1000)
      await each(count, width, async (key) => {
        const id = idOf(key)
        const row = await Receivers.believed(port, id)
        const { callbacks = 0 } = row ?? {}
        // One that was answered too late was stored as well.
        if (callbacks < ports.length) miss(`${id} has ${callbacks} callbacks`)
        if (row?.told !== "SUCCEED") miss(`${id} is told ${String(row?.told)}`)
        const calls = application.told.get(id)?.length ?? 0
        if (calls !== 1) miss(`${id} had ${calls} effects`)
      })
    })
    return {
      figures: {
        processes: ports.length,
        keys: count,
        accepts: count * ports.length,
        effects: application.calls(),
        resent
      },
      misses: misses()
    }
  }).pipe(Effect.scoped)

export const race: Run = {
  what: "8 processes, the same keys at once: one effect each",
  unit: "keys",
  count: { sqlite: 1000, postgres: 1000 },
  stores: ["sqlite", "postgres"],
  make: (wanted) =>
    inTurn(
      wanted.stores
        .filter((store) => store !== "memory")
        .map((store) => [store, onStore(store, wanted)] as const)
    )
}
