import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Cause from "effect/Cause"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Door from "../src/internal/doors/Door.ts"
import * as Receiver from "../src/Receiver.ts"
import * as WebReceiver from "../src/WebReceiver.ts"
import { callbackRequest, makeReceiver } from "./doors.ts"
import { bytes } from "@pawl/test-support/Service"
import { live } from "@pawl/test-support/Tests"

const { body, headers, search } = callbackRequest()

const callback = (changes?: RequestInit, url = `https://shop.example/callback${search}`) =>
  new Request(url, {
    method: "POST",
    headers,
    body,
    ...changes,
    ...(changes?.body instanceof ReadableStream && { duplex: "half" })
  })

const test = (
  name: string,
  body: (door: WebReceiver.WebReceiver, receiver: ReturnType<typeof makeReceiver>) => Promise<void>
) =>
  live(name, function* () {
    const receiver = makeReceiver()
    const door = WebReceiver.toHandler(receiver.layer)
    yield* Effect.addFinalizer(() => Effect.promise(door.dispose))
    yield* Effect.promise(() => body(door, receiver))
  })

const stream = (chunks: Iterable<Uint8Array>, onCancel = () => {}) => {
  const iterator = chunks[Symbol.iterator]()
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      const { done, value } = iterator.next()
      if (done === true) controller.close()
      else controller.enqueue(value)
    },
    cancel: onCancel
  })
}

const padded = (length: number) => body + " ".repeat(length - body.length)

test("responds like every door, without a body", async ({ handler }, { callbacks }) => {
  const requests: ReadonlyArray<readonly [status: number, request: Request]> = [
    [405, new Request(`https://shop.example/callback${search}`)],
    [405, callback({ method: "PUT" })],
    [415, callback({ headers: { ...headers, "content-type": "text/plain" } })],
    [415, callback({ headers: { ...headers, "content-encoding": "gzip" } })],
    [400, callback({ body: "{" })],
    [400, callback({ body: null })],
    [400, callback({}, "https://shop.example/callback")],
    [401, callback({ headers: { "content-type": "application/json" } })],
    [413, callback({ body: padded(65_537) })],
    [200, callback({ body: padded(65_536) })],
    [200, callback()]
  ]
  for (const [status, request] of requests) {
    const response = await handler(request)
    expect(response.status).toBe(status)
    expect(await response.text()).toBe("")
    expect(response.headers.get("allow")).toBe(status === 405 ? "POST" : null)
  }
  expect(await callbacks()).toBe(2)
})

test("accepts a body in chunks like a whole body", async ({ handler }, { callbacks }) => {
  const pieces = Array.from(bytes(body), (byte) => Uint8Array.of(byte))
  expect((await handler(callback({ body: stream(pieces) }))).status).toBe(200)
  expect(await callbacks()).toBe(1)
})

test("A17: reads an endless body only up to the limit, and responds 413", async ({ handler }) => {
  let pulled = 0
  const endless = function* () {
    for (;;) {
      pulled++
      yield new Uint8Array(16_384)
    }
  }
  const cancelled = Promise.withResolvers<void>()
  const { status } = await handler(callback({ body: stream(endless(), cancelled.resolve) }))
  expect(status).toBe(413)
  await cancelled.promise
  expect(pulled).toBeLessThan(10)
})

test("responds 400 when the body breaks off", async ({ handler }, { callbacks }) => {
  const broken = new ReadableStream({
    start: (controller) => {
      controller.enqueue(bytes(body))
      controller.error(new Error("the sender went away"))
    }
  })
  expect((await handler(callback({ body: broken }))).status).toBe(400)
  expect(await callbacks()).toBe(0)
})

it("a defect is answered with 503, a body that was read with 500, and both are logged", async () => {
  const logs: Array<unknown> = []
  const logger = Logger.make(({ cause, message }) => void logs.push([message, Cause.squash(cause)]))
  const broken = Layer.succeed(Receiver.Receiver, { receive: () => Effect.die("broken") })
  const layer = Layer.provideMerge(broken, Logger.layer([logger]))
  const { dispose, handler } = WebReceiver.toHandler(layer)
  expect((await handler(callback())).status).toBe(503)
  const used = callback()
  await used.text()
  expect((await handler(used)).status).toBe(500)
  const locked = callback()
  locked.body?.getReader()
  expect((await handler(locked)).status).toBe(500)
  expect(logs).toEqual([
    [["A callback was answered with 503, because the receiver ended with a defect"], "broken"],
    [[Door.bodyAlreadyRead], expect.anything()],
    [[Door.bodyAlreadyRead], expect.anything()]
  ])
  await dispose()
})

test("passes on the path of a callback, which may name its kind, and not the host", async ({
  handler
}, { namesPayout }) => {
  for (const url of ["https://payouts/callback", "https://payouts", "https://x.example/payouts"]) {
    expect((await handler(callback({}, url + search))).status).toBe(200)
    expect(await namesPayout()).toBe(url.endsWith("example/payouts"))
  }
})
