/**
 * Restarts receivers under load, as a rolling deploy does: the next one starts, and the one before
 * it gets SIGTERM while its calls of a slow application run (R25, R26). Each process ends with 0
 * within 20 seconds.
 */
import * as Effect from "effect/Effect"
import * as ReceiverProcess from "./ReceiverProcess.ts"
import { type Changed, type DatabasePart, onDatabases, percentiles, type Run } from "./Run.ts"
import * as SeededRandom from "./SeededRandom.ts"
import * as Senders from "./Senders.ts"
import * as StoredCallbacks from "./StoredCallbacks.ts"
import * as TurnApplication from "./TurnApplication.ts"

const answersPerRestart = 60
const maxEndTime = 20_000

/** Milliseconds that only tests change. */
const usual = { slow: 6000, tooSlow: 12_000 }

const onStore = Effect.fnUntraced(function* (part: DatabasePart<typeof usual>) {
  const { count, miss, progress, seed, slow, store, tooSlow } = part
  const random = SeededRandom.make(seed, "deploy")
  const service = yield* ReceiverProcess.make(store.url)
  const application = yield* TurnApplication.start(miss, () => {
    if (random.isTrue(0.01)) return tooSlow
    return random.isTrue(0.15) ? random.below(slow) : random.below(10)
  })
  const ports = new Set<number>()
  const ending = new Set<number>()
  let answeredWhileEnding = 0
  const senders = yield* Senders.start({
    ...service,
    random,
    miss,
    ports: () => [...ports],
    gap: 8,
    onAnswered: (port) => {
      if (ending.has(port)) answeredWhileEnding++
    }
  })

  const startNext = async () => {
    const receiver = service.start({ forward: application.url })
    const port = await receiver.ready
    if (port === undefined) miss(`a receiver did not start: ${receiver.errors()}`)
    else ports.add(port)
    return { receiver, port: port ?? 0 }
  }
  const endTimes: Array<number> = []
  const stop = async ({ port, receiver }: Awaited<ReturnType<typeof startNext>>) => {
    ending.add(port)
    endTimes.push(await ReceiverProcess.stopWithin(maxEndTime, receiver, miss))
    ports.delete(port)
  }

  yield* Effect.promise(async () => {
    let current = await startNext()
    const stops: Array<Promise<void>> = []
    for (let restart = 0; restart < count; restart++) {
      await senders.waitForAnswers(answersPerRestart)
      const before = current
      current = await startNext()
      stops.push(stop(before))
      progress(`${restart + 1} of ${count} restarts, ${senders.figures.answered200} answered 200`)
    }
    await Promise.all(stops)
    senders.close()
    progress("waiting for the last calls")
    await application.settle(senders.histories)
  })
  yield* StoredCallbacks.check(store, senders, miss)
  return {
    ...senders.figures,
    answeredWhileEnding,
    ...application.figures,
    transactions: senders.histories.size,
    endTimeMaxMs: percentiles(endTimes).maxMs
  }
})

export const deploy = {
  summary:
    "rolling restarts under load with slow handlers: no two calls of a transaction at once, and none misleads",
  unit: "restarts",
  count: { sqlite: 60, postgres: 60 },
  make: (options: Changed<typeof usual>) => onDatabases({ ...usual, ...options }, onStore)
} satisfies Run
