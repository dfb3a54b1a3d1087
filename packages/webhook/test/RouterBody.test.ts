import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Receiver from "../src/Receiver.ts"
import { callbackRequest, makeReceiver } from "./doors.ts"
import { bytes } from "@pawl/test-support/Service"

const { body, headers, search } = callbackRequest()

const send = async (
  length: number,
  chunks: Iterable<Uint8Array>,
  watch: Layer.Layer<never> = Layer.empty
) => {
  const { callbacks, layer } = makeReceiver()
  const { dispose, handler } = HttpRouter.toWebHandler(
    Receiver.route("/callback").pipe(Layer.provide(layer), Layer.provideMerge(watch)),
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

it("a body over the limit is counted as a refused callback", async () => {
  const registry = new Map<string, never>()
  const watch = Layer.succeed(Metric.MetricRegistry, registry)
  await send(70_000, [new Uint8Array(70_000)], watch)
  const counted = Effect.runSync(Effect.provide(Metric.snapshot, watch))
  const refused = counted.filter(({ id }) => id === "pawl.webhook.callbacks.refused")
  expect(
    refused.map(({ attributes, state }) => [attributes?.["http.response.status_code"], state])
  ).toContainEqual(["413", { count: 1, incremental: true }])
})
