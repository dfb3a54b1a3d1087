/**
 * Restarts receivers one after the other under load, as a rolling deploy does: the next one starts, and the one before it
 * gets SIGTERM while its calls of a slow application run (R25, R26).
 *
 * **Details**
 *
 * Callbacks go to all receivers that run, also to one that ends, and again until they are answered 200. Some calls take
 * seconds, and in a full run some take longer than the forward time-out. Each process ends with 0 within 20 seconds.
 */
import * as Effect from "effect/Effect"
import { setTimeout as sleep } from "node:timers/promises"
import * as FakeService from "./FakeService.ts"
import { traffic } from "./KillTraffic.ts"
import { makePost } from "./LocalHttp.ts"
import * as ReceiverProcess from "./ReceiverProcess.ts"
import {
  collectMisses,
  inSequence,
  percentiles,
  type Run,
  type RunOptions,
  type StoreName
} from "./Run.ts"
import * as SeededRandom from "./SeededRandom.ts"
import * as Stores from "./Stores.ts"
import * as TurnApplication from "./TurnApplication.ts"

/** The number of callbacks that are posted at once. */
const senders = 4
/** The callbacks that are answered 200 between two restarts. */
const answersPerRestart = 60
/** The longest time from SIGTERM to the end of a process, in milliseconds. */
const maxEndTime = 20_000
/** Ends the wait for the last calls, in milliseconds: some leases and the longest waits after time-outs. */
const settleTimeout = 240_000

/** Options that only the tests change: the time of a slow call, and of one beyond the forward time-out, in milliseconds. */
interface DeployOptions {
  readonly slow: number
  readonly tooSlow: number | undefined
}

const onStore = (
  name: Exclude<StoreName, "memory">,
  { count, log, seed }: RunOptions,
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
    const post = yield* makePost(senders * 2)
    const { add, close, histories, next, resend } = traffic(random, statuses)
    const figures = { answered200: 0, answeredWhileEnding: 0, resent: 0 }
    const ports = new Set<number>()
    const ending = new Set<number>()

    const send = async (signal: AbortSignal): Promise<void> => {
      while (!signal.aborted) {
        const to = random.pick([...ports, 0])
        const delivery = to === 0 ? undefined : next()
        if (delivery === undefined) {
          await sleep(5)
          continue
        }
        const isEnding = ending.has(to)
        const status = await post(to, FakeService.callback(delivery.id, delivery.status))
        if (status === 200) {
          figures.answered200++
          if (isEnding) figures.answeredWhileEnding++
          add(delivery)
        } else {
          if (status !== undefined && status !== 503) miss(`a callback was answered ${status}`)
          figures.resent++
          resend(delivery)
        }
        await sleep(random.below(8))
      }
    }
    yield* Effect.forkScoped(
      Effect.promise((signal) => Promise.all(Array.from({ length: senders }, () => send(signal))))
    )

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
        const end = figures.answered200 + answersPerRestart
        for (let waits = 0; figures.answered200 < end && waits < 12_000; waits++) await sleep(5)
        const before = current
        current = await startNext()
        stops.push(stop(before))
        if (restart % 20 === 19)
          log(`${name}: ${restart + 1} restarts, ${figures.answered200} answered 200`)
      }
      await Promise.all(stops)
      close()
      const isTold = () =>
        [...histories].every(([id, history]) => application.atEnd.get(id)?.to === history.at(-1))
      const startedAt = performance.now()
      while (!isTold() && performance.now() < startedAt + settleTimeout) await sleep(20)
      for (const [id, history] of histories) {
        for (const applied of [application.atBegin, application.atEnd]) {
          const last = applied.get(id)?.to
          if (last !== history.at(-1))
            miss(`${id} ended ${String(history.at(-1))}, and a consumer has ${String(last)}`)
        }
      }
    })
    return {
      figures: {
        ...figures,
        ...application.figures,
        transactions: histories.size,
        endTimeMaxMs: percentiles(endTimes).maxMs
      },
      misses: misses()
    }
  }).pipe(Effect.scoped)

/** Restarts receivers on each store. */
export const deployWith = (options: RunOptions, deployOptions: DeployOptions) =>
  inSequence(
    options.stores
      .filter((name) => name !== "memory")
      .map((name) => [name, onStore(name, options, deployOptions)] as const)
  )

export const deploy: Run = {
  summary:
    "rolling restarts under load with slow handlers: no two calls of a transaction at once, and none misleads",
  unit: "restarts",
  count: { sqlite: 60, postgres: 60 },
  stores: ["sqlite", "postgres"],
  make: (options) => deployWith(options, { slow: 6000, tooSlow: 12_000 })
}
