/**
 * Restarts receivers under load, as a rolling deploy does: the next one starts, and the one before
 * it gets SIGTERM while its calls of a slow application run (R25, R26). Each process ends with 0
 * within 20 seconds.
 */
import * as Effect from "effect/Effect"
import * as FakeService from "./FakeService.ts"
import * as ReceiverProcess from "./ReceiverProcess.ts"
import {
  collectMisses,
  onDatabases,
  percentiles,
  type Run,
  type RunOptions,
  type StoreName
} from "./Run.ts"
import * as SeededRandom from "./SeededRandom.ts"
import * as Senders from "./Senders.ts"
import * as StoredCallbacks from "./StoredCallbacks.ts"
import * as Stores from "./Stores.ts"
import * as TurnApplication from "./TurnApplication.ts"

const answersPerRestart = 60
const maxEndTime = 20_000
/** Ends the wait for the last calls, in milliseconds. */
const settleTimeout = 240_000

/** Options in milliseconds that only tests change. */
interface DeployOptions {
  readonly slow: number
  readonly tooSlow: number | undefined
}

const onStore = (
  name: Exclude<StoreName, "memory">,
  { count, progress, seed }: RunOptions,
  { slow, tooSlow }: DeployOptions
) =>
  Effect.gen(function* () {
    const { miss, misses } = collectMisses()
    const random = SeededRandom.make(seed, "deploy")
    const store = yield* Stores.makeSql(name)
    const { baseUrl, statuses } = yield* FakeService.start
    const application = yield* TurnApplication.start(miss, () => {
      if (tooSlow !== undefined && random.isTrue(0.01)) return tooSlow
      return random.isTrue(0.15) ? random.below(slow) : random.below(10)
    })
    const start = yield* ReceiverProcess.make
    const ports = new Set<number>()
    const ending = new Set<number>()
    let answeredWhileEnding = 0
    const senders = yield* Senders.start({
      random,
      statuses,
      miss,
      ports: () => ports,
      gap: 8,
      onAnswered: (port) => {
        if (ending.has(port)) answeredWhileEnding++
      }
    })

    const startNext = async () => {
      const receiver = start(baseUrl, ["--store", store.url, "--forward", application.url])
      const port = await receiver.ready
      if (port === undefined) miss(`a receiver did not start: ${receiver.errors()}`)
      else ports.add(port)
      return { receiver, port: port ?? 0 }
    }
    const endTimes: Array<number> = []
    const stop = async ({ port, receiver }: Awaited<ReturnType<typeof startNext>>) => {
      ending.add(port)
      const startedAt = performance.now()
      const code = await receiver.stop()
      ports.delete(port)
      const endTime = performance.now() - startedAt
      endTimes.push(endTime)
      if (code !== 0) miss(`a receiver ended with ${String(code)}: ${receiver.errors()}`)
      if (endTime > maxEndTime) miss(`a receiver ended ${endTime} ms after SIGTERM`)
    }

    yield* Effect.promise(async () => {
      let current = await startNext()
      const stops: Array<Promise<void>> = []
      for (let restart = 0; restart < count; restart++) {
        if (!(await senders.waitForAnswers(answersPerRestart)))
          miss(`fewer than ${answersPerRestart} callbacks were answered before restart ${restart}`)
        const before = current
        current = await startNext()
        stops.push(stop(before))
        progress(
          `${name}: ${restart + 1} of ${count} restarts, ${senders.figures.answered200} answered 200`
        )
      }
      await Promise.all(stops)
      senders.close()
      progress(`${name}: waiting for the last calls`)
      await application.settle(senders.histories, settleTimeout)
    })
    yield* StoredCallbacks.check(store, senders, miss)
    return {
      figures: {
        ...senders.figures,
        answeredWhileEnding,
        ...application.figures,
        transactions: senders.histories.size,
        endTimeMaxMs: percentiles(endTimes).maxMs
      },
      misses: misses()
    }
  }).pipe(Effect.scoped)

export const deployWith = (options: RunOptions, deployOptions: DeployOptions) =>
  onDatabases(options, (name) => onStore(name, options, deployOptions))

export const deploy: Run = {
  summary:
    "rolling restarts under load with slow handlers: no two calls of a transaction at once, and none misleads",
  unit: "restarts",
  count: { sqlite: 60, postgres: 60 },
  stores: ["sqlite", "postgres"],
  make: (options) => deployWith(options, { slow: 6000, tooSlow: 12_000 })
}
