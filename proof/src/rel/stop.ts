/**
 * Ends receivers with SIGTERM while senders post; none of them is reset (R47).
 *
 * A request on an accepted connection must be answered 200. A connection in the instant in which
 * the port closes is counted as `resetAtOpening`. Each process ends with 0 within 10 seconds.
 */
import type { Status } from "@pawl/core/Status"
import * as Effect from "effect/Effect"
import { connect } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import * as FakeService from "./FakeService.ts"
import * as RawSender from "./RawSender.ts"
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
import * as Stores from "./Stores.ts"

const [keeping, opening] = [12, 4]
const gap = 20
const traffic = 400
const maxEndTime = 10_000

const onStore = (name: Exclude<StoreName, "memory">, { count, progress, seed }: RunOptions) =>
  Effect.gen(function* () {
    const { miss, misses } = collectMisses()
    const random = SeededRandom.make(seed, "stop")
    const store = yield* Stores.makeSql(name)
    const { baseUrl, statuses } = yield* FakeService.start
    const start = yield* ReceiverProcess.make
    const figures = { answered200: 0, saidClose: 0, closedIdle: 0, refused: 0, resetAtOpening: 0 }
    let callbacks = 0
    const next = (): Buffer => {
      const id = `${seed}${callbacks++}`
      statuses.set(id, "SUCCEED" satisfies Status)
      return RawSender.requestOf(FakeService.callback(id, "SUCCEED"))
    }

    /** Returns whether the sender goes on with another connection. */
    const post = (port: number, stop: number, most: number): Promise<boolean> =>
      new Promise((resolve) => {
        let [isConnected, isWaiting, goesOn] = [false, false, false]
        let posted = 0
        const write = () => {
          if (socket.destroyed) return
          isWaiting = true
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
          figures.answered200++
          if (/^connection: close/imu.test(response)) return void figures.saidClose++
          if (posted < most) return void setTimeout(write, random.below(gap))
          goesOn = true
          socket.end()
        })
        socket.on("error", (error: NodeJS.ErrnoException) => {
          if (error.code === "ECONNREFUSED") figures.refused++
          else if (most === 1 && error.code === "ECONNRESET") figures.resetAtOpening++
          else miss(`stop ${stop}: ${String(error.code)} before response ${posted}`)
          isWaiting = false
        })
        socket.on("close", () => {
          if (isWaiting) miss(`stop ${stop}: a connection was closed before the response`)
          else if (isConnected && !goesOn) figures.closedIdle++
          resolve(goesOn)
        })
      })

    const endTimes: Array<number> = []
    yield* Effect.promise(async () => {
      for (let stop = 1; stop <= count; stop++) {
        const receiver = start(baseUrl, ["--store", store.url])
        const port = await receiver.ready
        if (port === undefined) return miss(`a receiver did not start: ${receiver.errors()}`)
        const open = async () => {
          while (await post(port, stop, 1)) await sleep(random.below(gap))
        }
        const ended = Promise.all([
          ...Array.from({ length: keeping }, () => post(port, stop, Infinity)),
          ...Array.from({ length: opening }, open)
        ])
        await sleep(50 + random.below(traffic))
        const startedAt = performance.now()
        const code = await receiver.stop()
        const endTime = performance.now() - startedAt
        endTimes.push(endTime)
        if (code !== 0) miss(`a receiver ended with ${String(code)}: ${receiver.errors()}`)
        if (endTime > maxEndTime) miss(`a receiver ended ${endTime} ms after SIGTERM`)
        await ended
        progress(`${name}: ${stop} of ${count} stops, ${figures.answered200} answered 200`)
      }
    })
    return {
      figures: { ...figures, endTimeMaxMs: percentiles(endTimes).maxMs },
      misses: misses()
    }
  }).pipe(Effect.scoped)

export const stop: Run = {
  summary: "receivers end while twelve senders post: every request that was sent is answered",
  unit: "stops",
  count: { sqlite: 100, postgres: 100 },
  stores: ["sqlite", "postgres"],
  make: (options) => onDatabases(options, (name) => onStore(name, options))
}
