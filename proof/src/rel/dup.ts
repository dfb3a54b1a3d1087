/**
 * Posts one callback many times: every response is 200, and there is one row and one call of the handler (R13).
 */
import * as Effect from "effect/Effect"
import * as Application from "./Application.ts"
import { repeat } from "./LocalHttp.ts"
import * as ReceiverProcess from "./ReceiverProcess.ts"
import { onStores, percentiles, type Run, type StorePart } from "./Run.ts"
import * as Wait from "./Wait.ts"

const connections = 64
const transactionId = "100001"

const onStore = Effect.fnUntraced(function* ({ count, miss, progress, store }: StorePart) {
  const { post, reads, serve, statuses } = yield* ReceiverProcess.make(store.url)
  const application = yield* Application.start(miss)
  const receiver = yield* serve({ forward: application.url(1) })
  statuses.set(transactionId, "SUCCEED")
  const latencies: Array<number> = []
  const startedAt = performance.now()
  yield* Effect.promise(() =>
    repeat(count, connections, async (index) => {
      const sentAt = performance.now()
      const status = await post(receiver.port, transactionId, "SUCCEED")
      latencies.push(performance.now() - sentAt)
      if (status !== 200) miss(`repeat ${index} was answered ${String(status)}`)
      if (index % 20_000 === 19_999) progress(`${index + 1} of ${count} repeats`)
    })
  )
  const seconds = (performance.now() - startedAt) / 1000
  const row = yield* Effect.promise(async () => {
    const show = () => ReceiverProcess.showTransaction(receiver, transactionId)
    await Wait.until(async () => (await show())?.told === "SUCCEED")
    return show()
  })
  if (row?.callbacks !== count) miss(`${String(row?.callbacks)} callbacks were counted`)
  if (row?.told !== "SUCCEED") miss(`the handler was told ${String(row?.told)}`)
  if (application.calls() !== 1) miss(`the handler was called ${application.calls()} times`)
  return {
    repeats: count,
    handlerCalls: application.calls(),
    reads: reads.length,
    perSecond: Math.round(count / seconds),
    ...percentiles(latencies),
    memoryMiB: receiver.memory()
  }
})

export const dup: Run = {
  summary: "repeats of one callback: one handler call, all answered 200",
  unit: "repeats",
  count: { memory: 100_000, sqlite: 100_000, postgres: 100_000 },
  make: (options) => onStores(options, onStore)
}
