/**
 * Posts one callback many times: every response is 200, and there is one row and one call of the handler (R13).
 */
import * as Effect from "effect/Effect"
import * as Application from "./Application.ts"
import * as FakeService from "./FakeService.ts"
import { makePost, repeat } from "./LocalHttp.ts"
import * as ReceiverProcess from "./ReceiverProcess.ts"
import {
  collectMisses,
  inSequence,
  percentiles,
  type Run,
  type RunOptions,
  type StoreName
} from "./Run.ts"
import * as Stores from "./Stores.ts"

const connections = 64
const transactionId = "100001"

const onStore = (name: StoreName, { count, progress }: RunOptions) =>
  Effect.gen(function* () {
    const { miss, misses } = collectMisses()
    const store = yield* Stores.make(name)
    const { baseUrl, reads, statuses } = yield* FakeService.start
    const application = yield* Application.start(miss)
    const start = yield* ReceiverProcess.make
    const post = yield* makePost(connections)
    const receiver = start(baseUrl, ["--store", store.url, "--forward", application.url(1)])
    const port = yield* ReceiverProcess.waitForPort(receiver)
    const callback = FakeService.callback(transactionId, "SUCCEED")
    statuses.set(transactionId, "SUCCEED")
    const latencies: Array<number> = []
    const startedAt = performance.now()
    yield* Effect.promise(() =>
      repeat(count, connections, async (index) => {
        const sentAt = performance.now()
        const status = await post(port, callback)
        latencies.push(performance.now() - sentAt)
        if (status !== 200) miss(`repeat ${index} was answered ${String(status)}`)
        if (index % 20_000 === 19_999) progress(`${name}: ${index + 1} of ${count} repeats`)
      })
    )
    const seconds = (performance.now() - startedAt) / 1000
    const row = yield* Effect.promise(() =>
      ReceiverProcess.showTransaction(receiver, transactionId)
    )
    if (row?.callbacks !== count) miss(`${String(row?.callbacks)} callbacks were counted`)
    if (row?.told !== "SUCCEED") miss(`the handler was told ${String(row?.told)}`)
    if (application.calls() !== 1) miss(`the handler was called ${application.calls()} times`)
    return {
      figures: {
        repeats: count,
        handlerCalls: application.calls(),
        reads: reads(),
        perSecond: Math.round(count / seconds),
        ...percentiles(latencies),
        memoryMiB: receiver.memory()
      },
      misses: misses()
    }
  }).pipe(Effect.scoped)

export const dup: Run = {
  summary: "repeats of one callback: one handler call, all answered 200",
  unit: "repeats",
  count: { memory: 100_000, sqlite: 100_000, postgres: 100_000 },
  stores: ["memory", "sqlite", "postgres"],
  make: (options) =>
    inSequence(options.stores.map((name) => [name, onStore(name, options)] as const))
}
