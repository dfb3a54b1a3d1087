/** Real sockets for a misbehaving peer, virtual time for many concurrent calls. */
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { Socket } from "node:net"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { describe, expect, it } from "vitest"
import * as Pawl from "../src/Pawl.ts"
import type * as PawlConfig from "../src/PawlConfig.ts"
import { Subscriptions } from "../src/Subscriptions.ts"
import * as Memory from "./support/memory.ts"
import * as Server from "./support/server.ts"

type Calls = Generator<Effect.Effect<unknown, unknown, Pawl.Services | Scope.Scope>, void, never>

const against = (
  respond: (socket: Socket, request: string) => void,
  calls: (server: Server.Server) => Calls,
  options: Partial<PawlConfig.Options> = {}
): Promise<void> =>
  Effect.gen(function* () {
    const server = yield* Server.start((socket, request) =>
      request.startsWith("POST /api/v1/auth ")
        ? Server.reply(socket, 200, '{"token":"abc"}')
        : respond(socket, request)
    )
    const layer = Pawl.layer({ ...Memory.options, baseUrl: `${server.url}/api`, ...options })
    yield* Effect.provide(
      Effect.gen(() => calls(server)),
      layer
    )
  }).pipe(Effect.scoped, Effect.runPromise)

const status = Effect.result(Memory.readStatus())

const create = (requestId: string) => Effect.result(Memory.pay({ requestId }))

/** Concurrent reads, after all their attempts. */
const reads = (count: number, gap = 0) =>
  Memory.settled(
    Effect.forEach(
      Array.from({ length: count }, (_, n) => n * gap),
      (delay) => Effect.delay(status, delay),
      { concurrency: "unbounded" }
    )
  )

/** Writes a byte every few milliseconds until the connection ends. */
const drip = (socket: Socket, text: string): void => {
  let at = 0
  const timer = setInterval(() => {
    if (socket.destroyed) clearInterval(timer)
    else socket.write(text[at++] ?? " ")
  }, 5)
}

describe("C05 a response that arrives byte by byte", () => {
  const quick = { attemptTimeout: "300 millis", totalTimeout: "500 millis" } as const

  it.each([
    ["headers", "HTTP/1.1 200 OK\r\nx-slow: "],
    ["body", "HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n"]
  ])("ends at the deadline while its %s still come, and so does the connection", (_, start) =>
    against(
      (socket) => drip(socket, start),
      function* (server) {
        expect(yield* status).toMatchObject({
          failure: { _tag: "Unreachable", sent: true, reason: expect.stringContaining("in time") }
        })
        expect(yield* create("order-1")).toMatchObject({
          failure: { _tag: "OutcomeUnknown", requestId: "order-1" }
        })
        yield* server.closed
      },
      quick
    )
  )
})

describe("C08 a content type", () => {
  it.each([
    "text/html",
    "text/plain; charset=iso-8859-1",
    "application/octet-stream",
    "application/json; charset=utf-16",
    "",
    "nonsense"
  ])("%j changes nothing where the bytes are JSON in UTF-8", (type) =>
    against(
      (socket) => Server.reply(socket, 200, '"SUCCEED"', { "content-type": type }),
      function* () {
        expect(yield* status).toMatchObject({ success: "SUCCEED" })
      }
    )
  )
})

describe("C10 C38 an outage", () => {
  const failing = () => {
    let isDown = true
    const service = new Memory.Service({
      answer: () => (isDown ? Memory.answer(503, "") : Memory.status("SUCCEED"))
    })
    return { service, change: (down: boolean) => (isDown = down) }
  }

  it.each([
    ["at once", 0, 1000, 1],
    ["one by one", 1, 1000, 1.15]
  ])(
    "multiplies the calls that are made %s by at most 1.2, and the reserve of 10 retries",
    (_, gap, calls, least) => {
      const { change, service } = failing()
      return Memory.against(service, function* () {
        for (const result of yield* reads(calls, gap))
          expect(result).toMatchObject({ failure: { _tag: "ServiceFailed" } })
        const inStorm = service.requests.length
        expect(inStorm).toBeGreaterThan(calls * least)
        expect(inStorm).toBeLessThanOrEqual(calls * 1.2 + 10)
        expect(service.auths.length).toBe(1)
        change(false)
        // After 500 calls without a retry, the budget is full again.
        for (let n = 0; n < 500; n++) expect(yield* status).toMatchObject({ success: "SUCCEED" })
        expect(service.requests.length).toBe(inStorm + 500)
        change(true)
        yield* reads(25)
        expect(service.requests.length).toBe(inStorm + 500 + 25 * 4)
      })
    }
  )

  it("does not multiply the requests for a token either", async () => {
    const service = new Memory.Service({ auth: () => Memory.answer(503, "") })
    await Memory.against(service, Memory.settled(Effect.replicateEffect(status, 500)))
    expect(service.auths.length).toBeLessThanOrEqual(500 * 1.2 + 10)
  })
})

describe("C19 a connection that the server closes when it is used again", () => {
  /** Closes every connection on its second request. */
  const closing = (close: (socket: Socket) => unknown) => {
    const ledger = new Map<string, Set<string>>()
    const used = new WeakSet<Socket>()
    return {
      ledger,
      respond: (socket: Socket, request: string) => {
        if (used.has(socket)) {
          close(socket)
          return
        }
        used.add(socket)
        const body = request.split("\r\n\r\n")[1] ?? ""
        const { requestId } = JSON.parse(body) as { requestId: string }
        ledger.set(requestId, (ledger.get(requestId) ?? new Set()).add(body))
        Server.reply(socket, 200, `{"transactionId":"${ledger.size}","transactionStatus":"NEW"}`, {
          "keep-alive": "timeout=600"
        })
      }
    }
  }

  const closes: ReadonlyArray<[string, (socket: Socket) => unknown]> = [
    ["a reset", (socket) => socket.resetAndDestroy()],
    ["an end", (socket) => socket.end()]
  ]

  it.each(closes)("C36 by %s breaks a PUT, which is not sent again", (_, close) => {
    const used = new WeakSet<Socket>()
    return against(
      (socket) => {
        if (used.has(socket)) return void close(socket)
        used.add(socket)
        Server.reply(socket, 200, '"NEW"', { "keep-alive": "timeout=600" })
      },
      function* (server) {
        yield* status
        expect(yield* Effect.result(Subscriptions.use(({ pause }) => pause("700")))).toMatchObject({
          failure: { _tag: "Unreachable", sent: true }
        })
        expect(server.received.filter((each) => each.startsWith("PUT ")).length).toBe(1)
      },
      { connections: 1 }
    )
  })

  it.each(closes)("by %s is survived under the same requestId, with the same bytes", (_, close) => {
    const { ledger, respond } = closing(close)
    return against(respond, function* (server) {
      for (let n = 1; n <= 3; n++) {
        expect(yield* create(`order-${n}`)).toMatchObject({
          success: { transactionId: String(n) }
        })
      }
      expect(ledger.size).toBe(3)
      for (const bodies of ledger.values()) expect(bodies.size).toBe(1)
      // One connection for the token, one for each payment, one for each retry.
      expect(server.received.length).toBeGreaterThan(4)
    })
  })

  it("right after its response loses no call", () => {
    let n = 0
    return against(
      (socket) => {
        Server.reply(socket, 200, `{"transactionId":"${++n}","transactionStatus":"NEW"}`, {
          "keep-alive": "timeout=600"
        })
        socket.end()
      },
      function* () {
        for (let at = 0; at < 20; at++)
          expect(Result.isSuccess(yield* create(`order-${at}`))).toBe(true)
      }
    )
  })
})

describe("C24 many calls", () => {
  setFlagsFromString("--expose-gc")
  const collect = runInNewContext("gc") as () => void

  it("leave neither requestIds nor new metric series behind", async () => {
    const registry = new Map()
    const body = Memory.respond(200, { transactionId: "7", transactionStatus: "NEW" })
    let requests = 0
    const service = new Memory.Service()
    service.send = ({ url }) =>
      Effect.map(Effect.yieldNow, () => {
        requests++
        return url.endsWith("/auth") ? Memory.respond(200, { token: "abc" }) : body
      })
    const heapSizes: Array<number> = []
    await Effect.gen(function* () {
      for (const count of [2000, 10_000]) {
        const results = yield* Effect.forEach(
          Array.from({ length: count }, (_, n) => `order-${count}-${n}-${"x".repeat(40)}`),
          create,
          { concurrency: "unbounded" }
        )
        expect(results.every(Result.isSuccess)).toBe(true)
        collect()
        heapSizes.push(process.memoryUsage().heapUsed)
      }
    }).pipe(
      Effect.provide(Memory.client(service)),
      Effect.provideService(Metric.MetricRegistry, registry),
      Effect.runPromise
    )
    expect(requests).toBe(12_001)
    expect(registry.size).toBeLessThan(10)
    // 10,000 entries with a requestId and a body would need more memory.
    expect(heapSizes[1]! - heapSizes[0]!).toBeLessThan(3 * 1024 * 1024)
  })
})
