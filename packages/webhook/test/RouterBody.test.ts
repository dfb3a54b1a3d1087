import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Receiver from "../src/Receiver.ts"
import { callbackRequest, makeReceiver } from "./doors.ts"
import { bytes } from "@pawl/test-support/Service"

const { body, headers, search } = callbackRequest()

const send = async (length: number, chunks: Iterable<Uint8Array>) => {
  const { callbacks, layer } = makeReceiver()
  const { dispose, handler } = HttpRouter.toWebHandler(
    Receiver.route("/callback").pipe(Layer.provide(layer)),
    { disableLogger: true }
  )
  const iterator = chunks[Symbol.iterator]()
  let read = 0
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      const { done, value } = iterator.next()
      if (done === true) return controller.close()
      read += value.length
      controller.enqueue(value)
    }
  })
  const init = { duplex: "half", headers: { ...headers, "content-length": String(length) } }
  const { status } = await handler(
    new Request(`http://x/callback${search}`, { ...init, method: "POST", body: stream })
  )
  await dispose()
  return { status, read, callbacks: await callbacks() }
}

it("a body that is longer than its content-length is read only a little further", async () => {
  const endless = function* () {
    for (let sent = 0; sent < 1600; sent++) yield new Uint8Array(65_536)
  }
  const { callbacks, read, status } = await send(10, endless())
  expect({ callbacks, status }).toEqual({ callbacks: 0, status: 400 })
  expect(read).toBeLessThan(1_000_000)
  // With its end the body would be a valid callback: 200.
  const genuine = await send(10, [bytes(body)])
  expect({ ...genuine, read: 0 }).toEqual({ callbacks: 0, status: 400, read: 0 })
})

it("a body of its content-length is accepted, up to the limit of short bodies and beyond", async () => {
  for (const length of [body.length, 4096, 4097, 65_536]) {
    const padded = bytes(body + " ".repeat(length - body.length))
    const chunks = [padded.subarray(0, 100), padded.subarray(100)]
    expect(await send(length, chunks)).toEqual({ status: 200, read: length, callbacks: 1 })
  }
})

it("A26: a body of more than 4,096 chunks is refused", async () => {
  const padded = bytes(body + " ".repeat(4097 - body.length))
  const chunks = Array.from(padded, (_, at) => padded.subarray(at, at + 1))
  expect(await send(4097, chunks)).toMatchObject({ status: 413, callbacks: 0 })
})

it("A26: beyond 32 MiB of bodies the oldest unfinished one is responded to with 503, and counted", async () => {
  const { layer } = makeReceiver()
  const watch = Layer.succeed(Metric.MetricRegistry, new Map<string, never>())
  const { dispose, handler } = HttpRouter.toWebHandler(
    Receiver.route("/callback").pipe(Layer.provide(layer), Layer.provideMerge(watch)),
    { disableLogger: true }
  )
  const post = (stream: ReadableStream<Uint8Array> | string) => {
    const init = { method: "POST", headers, body: stream, duplex: "half" }
    return handler(new Request(`http://x/callback${search}`, init))
  }
  const open = Array.from({ length: 525 }, () => {
    const { promise: read, resolve } = Promise.withResolvers<void>()
    const { promise: more, resolve: finish } = Promise.withResolvers<void>()
    let sent = 0
    const stream = new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          if (++sent === 1) return controller.enqueue(new Uint8Array(64_000))
          resolve()
          await more
          controller.close()
        }
      },
      { highWaterMark: 0 }
    )
    return { read, finish, response: () => post(stream) }
  })
  const responses = []
  for (const { read, response } of open) {
    responses.push(response())
    await read
  }
  expect((await post(body)).status).toBe(200)
  for (const { finish } of open) finish()
  const statuses = (await Promise.all(responses)).map(({ status }) => status)
  expect(statuses).toEqual([503, ...Array.from({ length: 524 }, () => 400)])
  expect(Effect.runSync(Effect.provide(Metric.snapshot, watch))).toContainEqual(
    expect.objectContaining({
      id: "pawl.webhook.bodies.given_up",
      state: { count: 1, incremental: true }
    })
  )
  await dispose()
})
