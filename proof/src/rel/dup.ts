/**
 * One callback, again and again: every time 200, one row, one call of the handler (R13).
 */
import * as Effect from "effect/Effect"
import * as Application from "./Application.ts"
import * as Places from "./Places.ts"
import * as Receivers from "./Receivers.ts"
import { type Run, spread, type StoreName, tally, inTurn, type Wanted } from "./Run.ts"
import * as Service from "./Service.ts"
import { each, poster } from "./Sockets.ts"

const connections = 64

const onStore = (store: StoreName, { count, say }: Wanted) =>
  Effect.gen(function* () {
    const { miss, misses } = tally()
    const place = yield* Places.make(store)
    const { baseUrl, reads, truth } = yield* Service.start
    const application = yield* Application.start(miss)
    const start = yield* Receivers.make
    const post = yield* poster(connections)
    const receiver = start(baseUrl, ["--store", place.store, "--forward", application.url(1)])
    const port = yield* Receivers.serving(receiver)
    const callback = Service.callback("100001", "SUCCEED")
    truth.set("100001", "SUCCEED")
    const latencies: Array<number> = []
    const began = performance.now()
    yield* Effect.promise(() =>
      each(count, connections, async (index) => {
        const sent = performance.now()
        const answer = await post(port, callback)
        latencies.push(performance.now() - sent)
        if (answer !== 200) miss(`repeat ${index} was answered ${String(answer)}`)
        if (index % 20_000 === 19_999) say(`${store}: ${index + 1} repeats`)
      })
    )
    const seconds = (performance.now() - began) / 1000
    const row = yield* Effect.promise(() => Receivers.believed(port, "100001"))
    if (row?.callbacks !== count) miss(`${String(row?.callbacks)} callbacks were counted`)
    if (row?.told !== "SUCCEED") miss(`the handler was told ${String(row?.told)}`)
    if (application.calls() !== 1) miss(`the handler was called ${application.calls()} times`)
    return {
      figures: {
        repeats: count,
        handlerCalls: application.calls(),
        reads: reads(),
        perSecond: Math.round(count / seconds),
        ...spread(latencies),
        memoryMiB: receiver.memory()
      },
      misses: misses()
    }
  }).pipe(Effect.scoped)

export const dup: Run = {
  what: "repeats of one callback: one handler call, all answered 200",
  unit: "repeats",
  count: { memory: 100_000, sqlite: 100_000, postgres: 100_000 },
  stores: ["memory", "sqlite", "postgres"],
  make: (wanted) => inTurn(wanted.stores.map((store) => [store, onStore(store, wanted)] as const))
}
