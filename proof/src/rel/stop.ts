/**
 * Ends receivers with SIGTERM while senders post; none of them is reset (R47).
 *
 * A request on an accepted connection must be answered 200. A connection that the port's close finds
 * unaccepted is counted as `resetAtOpening`, and one that was closed for its silence as
 * `closedStalled`, if the senders stood still for 50 ms. Each process ends with 0 within 10 seconds.
 */
import type { Status } from "@pawl/core/Status"
import * as Effect from "effect/Effect"
import { connect } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import * as FakeService from "./FakeService.ts"
import * as RawSender from "./RawSender.ts"
import * as ReceiverProcess from "./ReceiverProcess.ts"
import { type DatabasePart, onDatabases, percentiles, type Run } from "./Run.ts"
import * as SeededRandom from "./SeededRandom.ts"

const [keeping, opening] = [12, 4]
const gap = 20
const traffic = 400
const maxEndTime = 10_000
/** How long an ending receiver keeps a connection on which nothing comes, in milliseconds. */
const quiet = 100

const onStore = Effect.fnUntraced(function* ({ count, miss, progress, seed, store }: DatabasePart) {
  const random = SeededRandom.make(seed, "stop")
  const { start, statuses } = yield* ReceiverProcess.make(store.url)
  const figures = {
    answered200: 0,
    saidClose: 0,
    closedIdle: 0,
    closedStalled: 0,
    refused: 0,
    resetAtOpening: 0
  }
  let callbacks = 0
  const next = (): Buffer => {
    const id = `${seed}${callbacks++}`
    statuses.set(id, "SUCCEED" satisfies Status)
    return RawSender.requestOf(FakeService.callback(id, "SUCCEED"))
  }

  /** Returns whether the sender goes on with another connection. */
  const post = (port: number, stop: number, most: number, onFirst = () => {}): Promise<boolean> =>
    new Promise((resolve) => {
      let [isConnected, isWaiting, isLate, goesOn] = [false, false, false, false]
      let posted = 0
      const write = () => {
        if (socket.destroyed) return
        isWaiting = true
        isLate = performance.now() - stalledAt < 2 * quiet
        posted++
        socket.write(next())
      }
      const socket = connect(port, "127.0.0.1", () => {
        isConnected = true
        write()
      })
      socket.on("data", (data: Buffer) => {
        const response = data.toString("latin1")
        if (!response.startsWith("HTTP/1.1 200 ")) miss(`stop ${stop}: ${response.slice(0, 40)}`)
        isWaiting = false
        onFirst()
        figures.answered200++
        if (/^connection: close/imu.test(response)) return void figures.saidClose++
        if (posted < most) return void setTimeout(write, random.below(gap))
        goesOn = true
        socket.end()
      })
      socket.on("error", (error: NodeJS.ErrnoException) => {
        if (error.code === "ECONNREFUSED") figures.refused++
        else if (most === 1 && error.code === "ECONNRESET") figures.resetAtOpening++
        else if (isLate) figures.closedStalled++
        else miss(`stop ${stop}: ${String(error.code)} before response ${posted}`)
        isWaiting = false
      })
      socket.on("close", () => {
        if (isWaiting && isLate) figures.closedStalled++
        else if (isWaiting) miss(`stop ${stop}: a connection was closed before the response`)
        else if (isConnected && !goesOn) figures.closedIdle++
        onFirst()
        resolve(goesOn)
      })
    })

  let [tickedAt, stalledAt] = [performance.now(), -Infinity]
  const tick = () => {
    const now = performance.now()
    if (now - tickedAt > quiet / 2) stalledAt = now
    tickedAt = now
  }
  yield* Effect.acquireRelease(
    Effect.sync(() => setInterval(tick, 10)),
    (ticker) => Effect.sync(() => clearInterval(ticker))
  )

  const endTimes: Array<number> = []
  yield* Effect.promise(async () => {
    for (let stop = 1; stop <= count; stop++) {
      const receiver = start()
      const port = await receiver.ready
      if (port === undefined) return miss(`a receiver did not start: ${receiver.errors()}`)
      const open = async () => {
        while (await post(port, stop, 1)) await sleep(random.below(gap))
      }
      const kept = Array.from({ length: keeping }, () => {
        const first = Promise.withResolvers<void>()
        return { first: first.promise, ended: post(port, stop, Infinity, first.resolve) }
      })
      const ended = [
        ...kept.map((sender) => sender.ended),
        ...Array.from({ length: opening }, open)
      ]
      // A busy receiver accepts late, and the system resets what waits when the port closes.
      await Promise.all(kept.map((sender) => sender.first))
      await sleep(random.below(traffic))
      endTimes.push(await ReceiverProcess.stopWithin(maxEndTime, receiver, miss))
      await Promise.all(ended)
      progress(`${stop} of ${count} stops, ${figures.answered200} answered 200`)
    }
  })
  return { ...figures, endTimeMaxMs: percentiles(endTimes).maxMs }
})

export const stop: Run = {
  summary: "receivers end while twelve senders post: every request that was sent is answered",
  unit: "stops",
  count: { sqlite: 100, postgres: 100 },
  make: (options) => onDatabases(options, onStore)
}
