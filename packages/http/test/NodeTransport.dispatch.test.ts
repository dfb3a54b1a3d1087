import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { Dispatcher } from "undici/index.js"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import * as NodeTransport from "../src/NodeTransport.ts"
import * as Transport from "../src/Transport.ts"

/** A request that undici got, and the events of its response. */
const dispatched = (options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) => {
  const reasons: Array<Error> = []
  const controller: Dispatcher.DispatchController = {
    aborted: false,
    paused: false,
    reason: null,
    abort: (reason) => reasons.push(reason),
    pause: () => undefined,
    resume: () => undefined
  }
  const open = (status: number, headers = {}) =>
    handler.onResponseStart?.(controller, status, headers)
  const data = (bytes: Buffer) => handler.onResponseData?.(controller, bytes)
  return {
    options,
    reasons,
    begin: () => handler.onRequestStart?.(controller, {}),
    open,
    data,
    respond: (status: number, text: string, headers = {}) => {
      open(status, headers)
      data(Buffer.from(text))
      handler.onResponseEnd?.(controller, {})
    },
    /** Resolves when the transport has taken notice. */
    fail: (): Promise<void> => {
      handler.onResponseError?.(controller, new Error("canary"))
      return Promise.resolve()
    }
  }
}

const request = {
  method: "POST",
  url: "http://payments.example/api",
  headers: { "x-one": "1" },
  body: "{}"
} as const

const millis = (limit?: number) => (limit === undefined ? undefined : Duration.millis(limit))

const make = (connections?: number) => {
  const requests: Array<ReturnType<typeof dispatched>> = []
  const dispatch: Dispatcher["dispatch"] = (
    options: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler
  ) => {
    requests.push(dispatched(options, handler))
    return true
  }
  const layer = NodeTransport.layerWith({ connections, dispatcher: { dispatch } })
  const { keepsTime, send } = Effect.runSync(
    Effect.scoped(Effect.provide(Transport.Transport.use(Effect.succeed), layer))
  )
  const start = (
    changed: Partial<Transport.Request> = {},
    within = 1000,
    total?: number,
    inQueue?: number
  ) =>
    Effect.runFork(
      Effect.result(
        send({ ...request, ...changed }, Duration.millis(within), millis(total), millis(inQueue))
      )
    )
  const at = (index: number) => requests[index] ?? expect.fail(`no request ${index}`)
  return { at, keepsTime, requests, start }
}

const ended = <A, E>(fiber: Fiber.Fiber<A, E>) => Effect.runPromise(Fiber.join(fiber))

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
})

afterEach(() => {
  vi.useRealTimers()
})

describe("a request", () => {
  it.each([
    [
      "https://payments.example:8443/api/v1?a=b/c#d",
      "https://payments.example:8443",
      "/api/v1?a=b/c"
    ],
    ["http://payments.example", "http://payments.example", "/"]
  ])("to %s has its origin and its path, and no time limit of undici", (url, origin, path) => {
    const { at, start } = make()
    start({ url })
    start({ url, method: "GET", body: undefined })
    const { headers } = request
    const target = { origin, path, headers, headersTimeout: 0, bodyTimeout: 0 }
    expect(at(0).options).toEqual({ ...target, method: "POST", body: "{}" })
    expect(at(1).options).toEqual({ ...target, method: "GET", body: null })
  })

  it("returns the response, with headers that came several times joined", async () => {
    const { at, start } = make()
    const fiber = start()
    at(0).begin()
    expect(vi.getTimerCount()).toBe(1)
    at(0).respond(418, "no", { "x-one": "1", "x-two": ["2", "3"] })
    const result = await ended(fiber)
    expect(result).toMatchObject({
      success: { status: 418, headers: { "x-one": "1", "x-two": "2, 3" } }
    })
    expect(at(0).reasons).toEqual([])
    expect(vi.getTimerCount()).toBe(0)
  })

  it("was sent as soon as it has begun", async () => {
    for (const sent of [false, true]) {
      const { at, start } = make()
      const fiber = start()
      if (sent) at(0).begin()
      await at(0).fail()
      expect(await ended(fiber)).toMatchObject({
        failure: { _tag: "Unreachable", sent, attempts: 1, reason: "the connection failed" }
      })
      expect(vi.getTimerCount()).toBe(0)
    }
  })

  it("with a response that is too long ends there, and closes its connection", async () => {
    const { at, start } = make(1)
    const [fiber, next] = [start(), start()]
    at(0).begin()
    at(0).open(200)
    at(0).data(Buffer.alloc(Transport.maxResponseBytes + 1))
    expect(await ended(fiber)).toMatchObject({
      failure: { _tag: "UnexpectedResponse", status: 200 }
    })
    expect(at(0).reasons.length).toBe(1)
    at(0).data(Buffer.alloc(Transport.maxResponseBytes + 1))
    expect(at(0).reasons.length).toBe(1)
    await at(0).fail()
    at(1).begin()
    at(1).respond(200, "1")
    expect(await ended(next)).toMatchObject({ success: { status: 200 } })
  })
})

it("a response that is too long ends a request that did not say when it began", async () => {
  const { at, start } = make()
  const fiber = start()
  at(0).data(Buffer.alloc(Transport.maxResponseBytes + 1))
  expect(await ended(fiber)).toMatchObject({ failure: { _tag: "UnexpectedResponse" } })
})

describe("a time limit", () => {
  it("is kept by the transport, which knows whether the request was sent", () => {
    expect(make().keepsTime).toBe(true)
  })

  it.each([
    ["no connection in time", false],
    ["no response in time", true]
  ])("ends a request with: %s", async (reason, sent) => {
    const { at, start } = make(1)
    const [fiber, next] = [start(), start({}, 1000, 9000)]
    if (sent) at(0).begin()
    await vi.advanceTimersByTimeAsync(999)
    expect(fiber.pollUnsafe()).toBeUndefined()
    await vi.advanceTimersByTimeAsync(1)
    expect(await ended(fiber)).toMatchObject({ failure: { _tag: "Unreachable", reason, sent } })
    // A request that has not begun is closed when it begins.
    if (!sent) at(0).begin()
    expect(at(0).reasons.length).toBe(1)
    await at(0).fail()
    at(1).begin()
    at(1).respond(200, "1")
    expect(await ended(next)).toMatchObject({ success: { status: 200 } })
    expect(vi.getTimerCount()).toBe(0)
  })

  it("begins after the wait for a connection, which has the deadline of the call", async () => {
    const { at, requests, start } = make(1)
    const fibers = [start({}, 3000), start({}, 1000, 9000), start({}, 1000, 2000)] as const
    await vi.advanceTimersByTimeAsync(2000)
    expect(await ended(fibers[2])).toMatchObject({
      failure: { _tag: "Unreachable", reason: "no free connection in time", sent: false }
    })
    await vi.advanceTimersByTimeAsync(900)
    expect(requests.length).toBe(1)
    at(0).respond(200, "1")
    await ended(fibers[0])
    await vi.advanceTimersByTimeAsync(999)
    expect(fibers[1].pollUnsafe()).toBeUndefined()
    at(1).respond(200, "1")
    expect(await ended(fibers[1])).toMatchObject({ success: { status: 200 } })
    expect([requests.length, vi.getTimerCount()]).toEqual([2, 0])
  })

  it("in the queue does not end a request that left it in time", async () => {
    const { at, start } = make(1)
    const fibers = Array.from({ length: 3 }, () => start({}, 60_000, 60_000, 1000))
    at(0).respond(200, "1")
    await vi.advanceTimersByTimeAsync(1000)
    // The third one is still in the queue.
    expect(fibers.map((fiber) => fiber.pollUnsafe() === undefined)).toEqual([false, true, false])
    at(1).respond(200, "1")
    expect(await ended(fibers[1]!)).toMatchObject({ success: { status: 200 } })
    expect(await ended(fibers[2]!)).toMatchObject({ failure: { _tag: "Unreachable", sent: false } })
  })

  it("is the deadline of the call too, if no other is given", async () => {
    const { start } = make(1)
    const [, fiber] = [start({}, 5000), start({}, 1000)]
    await vi.advanceTimersByTimeAsync(1000)
    expect(await ended(fiber)).toMatchObject({ failure: { reason: "no free connection in time" } })
  })
})

describe("the connections", () => {
  it("are 256 by default, and each has one request", async () => {
    const { at, requests, start } = make()
    const fibers = Array.from({ length: 258 }, () => start())
    expect(requests.length).toBe(256)
    at(7).begin()
    at(7).respond(200, "1")
    expect(requests.length).toBe(257)
    at(8).begin()
    await at(8).fail()
    expect(requests.length).toBe(258)
    await Promise.all(fibers.map((fiber) => Effect.runPromise(Fiber.interrupt(fiber))))
    expect(vi.getTimerCount()).toBe(0)
  })

  it("are free only after the dispatcher has ended its work on a failure", async () => {
    const { at, requests, start } = make(1)
    const fibers = [start(), start()] as const
    const failing = at(0).fail()
    expect([requests.length, fibers[0].pollUnsafe()]).toEqual([1, undefined])
    await failing
    expect([requests.length, fibers[0].pollUnsafe()?._tag]).toEqual([2, "Success"])
  })

  it("are kept from a request that is interrupted in the queue, and free after one that is dispatched", async () => {
    const { at, requests, start } = make(1)
    const fibers = [start(), start(), start()] as const
    await Effect.runPromise(Fiber.interrupt(fibers[1]))
    await Effect.runPromise(Fiber.interrupt(fibers[0]))
    expect(requests.length).toBe(1)
    at(0).begin()
    expect(at(0).reasons.length).toBe(1)
    await at(0).fail()
    expect(requests.length).toBe(2)
    at(1).respond(200, "1")
    expect(await ended(fibers[2])).toMatchObject({ success: { status: 200 } })
  })
})
