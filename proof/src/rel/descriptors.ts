/**
 * Holds thousands of connections that send one byte each, under few file descriptors, and posts
 * genuine callbacks (A40). Each is answered 200 within five seconds.
 */
import * as Effect from "effect/Effect"
import { connect } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { Worker } from "node:worker_threads"
import * as FakeService from "./FakeService.ts"
import { repeat } from "./LocalHttp.ts"
import * as RawSender from "./RawSender.ts"
import * as ReceiverProcess from "./ReceiverProcess.ts"
import * as Run from "./Run.ts"

const maxAnswerMs = 5000
const senders = 8

/** `end` returns how many connections the other side closed. */
const hold = (port: number, count: number) => {
  const closed = new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(new URL("./connectionHolder.ts", import.meta.url), {
    workerData: { port, count, closed }
  })
  return { end: () => worker.terminate().then(() => Atomics.load(closed, 0)) }
}

/** Returns the status code, or the error's code. */
const post = (port: number, bytes: Buffer): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes))
    const timer = setTimeout(() => end("no response"), maxAnswerMs)
    const end = (result: string) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(result)
    }
    socket.on("data", (data: Buffer) => end(data.toString("latin1", 9, 12)))
    socket.on("error", ({ code }: NodeJS.ErrnoException) => end(String(code)))
    socket.on("close", () => end("closed"))
  })

const under = Effect.fnUntraced(function* (
  limit: number,
  holders: number,
  { count, log, miss, store }: Run.StorePart<Run.RunOptions, "sqlite">
) {
  const { serve, statuses } = yield* ReceiverProcess.make(store.url)
  const receiver = yield* serve({ descriptors: limit })
  const times: Array<number> = []
  let closed = 0
  const held = hold(receiver.port, holders)
  yield* Effect.promise(async () => {
    await sleep(500)
    await repeat(count, senders, async (index) => {
      const id = `${limit}${index}`
      statuses.set(id, "SUCCEED")
      const startedAt = performance.now()
      const request = RawSender.requestOf(FakeService.callback(id, "SUCCEED"))
      const result = await post(receiver.port, request)
      times.push(performance.now() - startedAt)
      if (result !== "200") miss(`a genuine callback got ${result}`)
    })
    closed = await held.end()
    log(`${limit} descriptors: ${times.length} callbacks`)
    const overview = await receiver.get("/overview").then((response) => response.text())
    if (
      !/a port has too many connections.*file descriptor limit"/u.test(overview) &&
      holders > limit
    )
      miss("no alarm with a next step says that a port has too many connections")
  })
  const { maxMs, p99Ms } = Run.percentiles(times)
  return { callbacks: times.length, closed, p99Ms, maxMs }
})

export const descriptors = {
  summary:
    "4,640 connections of one byte under 512, 1,024 and 8,192 descriptors: every callback is answered",
  unit: "callbacks under each limit",
  count: { sqlite: 3400 },
  make: (options: Run.RunOptions, limits = [512, 1024, 8192], holders = 4640) =>
    Run.inSequence(
      limits.map((limit) => [
        String(limit),
        Run.onStore("sqlite", options, (part) => under(limit, holders, part))
      ])
    )
} satisfies Run.Run
