import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Tracer from "effect/Tracer"
import { performance } from "node:perf_hooks"
import { inspect } from "node:util"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { gzipSync } from "node:zlib"
import { describe, expect, it } from "vitest"
import * as NodeTransport from "../src/NodeTransport.ts"
import * as Transport from "../src/Transport.ts"
import * as Memory from "./support/memory.ts"
import * as Server from "./support/server.ts"
import { send } from "./support/server.ts"

type Test = () => Generator<
  Effect.Effect<unknown, unknown, Scope.Scope | Transport.Transport>,
  void,
  never
>

const on = (layer: Layer.Layer<Transport.Transport, unknown>) => (test: Test) =>
  Effect.gen(test).pipe(Effect.provide(layer), Effect.scoped, Effect.runPromise)

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc") as () => void

/** Waits until the client has read all that was written. */
const idle = Effect.gen(function* () {
  for (let busy = 1; busy > 0.3;) {
    const start = performance.eventLoopUtilization()
    yield* Effect.sleep("50 millis")
    busy = performance.eventLoopUtilization(start).utilization
  }
})

const text = (response: Transport.Response) => new TextDecoder().decode(response.body)

const bomb = gzipSync(Buffer.alloc(150 * 1024 * 1024))

describe.each([
  ["NodeTransport", NodeTransport.layer],
  ["a transport over fetch", Transport.layerFetch()]
])("%s", (_, layer) => {
  const run = on(layer)

  it("sends the request unchanged and returns the response unchanged, without a span or trace header", () => {
    const spans: Array<string> = []
    const tracer = Memory.makeTracer(({ name }) => spans.push(name))
    return Effect.gen(function* () {
      const server = yield* Server.start((socket) =>
        Server.reply(socket, 201, '{"a":1}', { "content-type": "application/json", "x-one": "1" })
      )
      const response = yield* send(`${server.url}/api/v1/x?y=1`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: "Bearer t" },
        body: '{"é":1}'
      }).pipe(Effect.withSpan("outer"), Effect.provideService(Tracer.Tracer, tracer))
      expect([response.status, response.headers["x-one"], text(response)]).toEqual([
        201,
        "1",
        '{"a":1}'
      ])
      expect(spans).toEqual(["outer"])
      const [head = "", body] = server.received[0]?.split("\r\n\r\n") ?? []
      expect(head.startsWith("POST /api/v1/x?y=1 HTTP/1.1\r\n")).toBe(true)
      expect(head.toLowerCase()).toContain("authorization: bearer t")
      expect(head.toLowerCase()).toContain("content-type: application/json\r\n")
      expect(head.toLowerCase()).not.toMatch(/traceparent|b3/u)
      expect(Buffer.from(body ?? "", "latin1").toString()).toBe('{"é":1}')
    }).pipe(Effect.provide(layer), Effect.scoped, Effect.runPromise)
  })

  it("C21 B03 returns a redirect without following it", () =>
    run(function* () {
      const elsewhere = yield* Server.start((socket) => Server.reply(socket, 200, '"caught"'))
      for (const status of [301, 302, 303, 307, 308]) {
        const server = yield* Server.start((socket) =>
          Server.reply(socket, status, "", { location: `${elsewhere.url}/api` })
        )
        const response = yield* send(server.url, {
          method: "POST",
          headers: { authorization: "Bearer t" },
          body: "{}"
        })
        expect([response.status, server.received.length]).toEqual([status, 1])
      }
      expect(elsewhere.received).toEqual([])
    }))

  it("C09 reads a body up to the limit, and closes the connection of a longer one", () =>
    run(function* () {
      const server = yield* Server.start((socket, request) => {
        if (request.startsWith("GET /full"))
          return Server.reply(socket, 200, Buffer.alloc(Transport.maxResponseBytes))
        if (request.startsWith("GET /over"))
          return Server.reply(socket, 200, Buffer.alloc(Transport.maxResponseBytes + 1))
        const chunk = Buffer.alloc(65_536)
        socket.write("HTTP/1.1 200 X\r\ntransfer-encoding: chunked\r\n\r\n")
        const more = () => {
          while (
            !socket.destroyed &&
            socket.write(Buffer.concat([Buffer.from("10000\r\n"), chunk, Buffer.from("\r\n")]))
          );
        }
        socket.on("drain", more)
        more()
      })
      expect((yield* send(`${server.url}/full`)).body.length).toBe(Transport.maxResponseBytes)
      for (const path of ["/over", "/endless"]) {
        expect(yield* Effect.flip(send(server.url + path))).toMatchObject({
          _tag: "UnexpectedResponse",
          status: 200
        })
      }
      yield* server.closed
    }))

  it("C09 limits the decompressed size of a body too", () =>
    run(function* () {
      const server = yield* Server.start((socket) =>
        Server.reply(socket, 200, bomb, { "content-encoding": "gzip" })
      )
      const before = process.memoryUsage().arrayBuffers
      const read = yield* Effect.match(send(server.url), {
        onFailure: ({ _tag }) => _tag,
        onSuccess: ({ body }) => body.length
      })
      expect(["UnexpectedResponse", bomb.length]).toContain(read)
      expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20 * 1024 * 1024)
    }))

  it("A26 keeps a body of one-byte chunks in a few times its size", () =>
    run(function* () {
      const size = 200_000
      let last: () => void = () => undefined
      const written = yield* Deferred.make<void>()
      const server = yield* Server.start((socket) => {
        socket.write("HTTP/1.1 200 X\r\ntransfer-encoding: chunked\r\n\r\n")
        last = () => socket.write("1\r\nb\r\n0\r\n\r\n")
        socket.write("1\r\na\r\n".repeat(size - 1), () => Deferred.doneUnsafe(written, Effect.void))
      })
      collect()
      const before = process.memoryUsage()
      const fiber = yield* Effect.forkChild(send(server.url))
      yield* Deferred.await(written)
      yield* idle
      collect()
      const after = process.memoryUsage()
      last()
      expect(new TextDecoder().decode((yield* Fiber.join(fiber)).body)).toBe(
        "a".repeat(size - 1) + "b"
      )
      const growth = (name: "heapUsed" | "arrayBuffers") => after[name] - before[name]
      expect(growth("heapUsed") + growth("arrayBuffers")).toBeLessThan(15 * size)
    }))

  it("C03 reports a request as sent when the connection breaks after it, and does not send it again", () =>
    run(function* () {
      const server = yield* Server.start((socket) => socket.resetAndDestroy())
      for (const method of ["GET", "POST"] as const) {
        const error = yield* Effect.flip(
          send(server.url, { method, body: method === "POST" ? "{}" : undefined })
        )
        expect(error).toMatchObject({ _tag: "Unreachable", sent: true })
      }
      expect(server.received.length).toBe(2)
    }))

  it("C02 fails with Unreachable when the connection is reset before the request is read", () =>
    run(function* () {
      const server = yield* Server.start(
        () => undefined,
        (socket) => socket.resetAndDestroy()
      )
      expect((yield* Effect.flip(send(server.url, { method: "POST", body: "{}" })))._tag).toBe(
        "Unreachable"
      )
      expect(server.received).toEqual([])
    }))

  it("C06 fails with Unreachable, sent, when the response is cut short or not HTTP", () =>
    run(function* () {
      for (const answer of [
        'HTTP/1.1 200 X\r\ncontent-length: 100\r\n\r\n{"transactionId":"1"}',
        'HTTP/1.1 200 X\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"a',
        "HTTP/1.1 200 X\r\ncontent-le",
        "SSH-2.0-OpenSSH\r\n"
      ]) {
        const server = yield* Server.start((socket) => socket.end(answer))
        const error = yield* Effect.flip(send(server.url))
        expect(error).toMatchObject({ _tag: "Unreachable", sent: true })
        if (answer.startsWith("SSH")) expect(error.message).toContain("the response is not HTTP")
      }
    }))

  it("C01 C18 reports the request as not sent when no connection opens", () =>
    run(function* () {
      const { url } = yield* Effect.scoped(Server.start(() => undefined))
      expect(yield* Effect.flip(send(url))).toMatchObject({ _tag: "Unreachable", sent: false })
      expect(yield* Effect.flip(send("http://nowhere.invalid"))).toMatchObject({
        _tag: "Unreachable",
        sent: false
      })
    }))

  it("C20 closes the connection when it is interrupted before or during a response", () =>
    run(function* () {
      for (const begun of ["", "HTTP/1.1 200 X\r\ncontent-length: 100\r\n\r\n{"]) {
        const server = yield* Server.start((socket) => {
          socket.write(begun)
        })
        const fiber = yield* Effect.forkChild(send(server.url))
        while (server.received.length === 0) yield* Effect.sleep("1 millis")
        yield* Fiber.interrupt(fiber)
        yield* server.closed
      }
    }))

  it("has nothing of the request in its errors", () =>
    run(function* () {
      const server = yield* Server.start((socket) => socket.resetAndDestroy())
      for (const request of [
        { headers: { authorization: "Bearer token-canary" }, body: '{"checksum":"body-canary"}' },
        { headers: { authorization: "Bearer token-canary\u0000" }, body: "{}" }
      ]) {
        const error = yield* Effect.flip(send(`${server.url}/api`, { method: "POST", ...request }))
        expect(`${inspect(error)} ${JSON.stringify(error)} ${error.stack}`).not.toContain("canary")
      }
    }))
})

describe("NodeTransport", () => {
  const run = on(NodeTransport.layer)

  it("keeps its connections for later requests, and closes them with its scope", () =>
    Effect.gen(function* () {
      let connections = 0
      const server = yield* Server.start(
        (socket) => Server.reply(socket, 200, "1", { "keep-alive": "timeout=600" }),
        () => connections++
      )
      yield* Effect.provide(Effect.repeat(send(server.url), { times: 19 }), NodeTransport.layer)
      yield* server.closed
      expect(server.received.length).toBe(20)
      // A second connection may open while the first response is processed.
      expect(connections).toBeLessThanOrEqual(2)
    }).pipe(Effect.scoped, Effect.runPromise))

  it("C20 does not send a request that is interrupted before the connection is open", () =>
    run(function* () {
      const server = yield* Server.start((socket) => Server.reply(socket, 200, "1"))
      const request = send(server.url, { method: "POST", body: "{}" })
      const fiber = yield* Memory.fork(request)
      yield* Fiber.interrupt(fiber)
      yield* server.closed
      expect(server.received).toEqual([])
    }))

  it("B02 does not send a header with a line break or a NUL in it", () =>
    run(function* () {
      const server = yield* Server.start((socket) => Server.reply(socket, 200, "1"))
      for (const value of ["a\r\nX-Evil: 1", "a\u0000", "a\n"]) {
        const error = yield* Effect.flip(send(server.url, { headers: { authorization: value } }))
        expect(error).toMatchObject({ _tag: "Unreachable", sent: false })
      }
      expect(server.received).toEqual([])
    }))
})

it("C09 the longest response body has 1,048,576 bytes", () => {
  expect(Transport.maxResponseBytes).toBe(1_048_576)
})

it.each(["EMFILE", "ENFILE", "EADDRNOTAVAIL"])(
  "a fetch without a connection (%s) sent nothing",
  async (code) => {
    const fetch = () => Promise.reject(new TypeError("fetch failed", { cause: { code } }))
    const error = await send("http://127.0.0.1:1/").pipe(
      Effect.flip,
      Effect.provide(Transport.layerFetch(fetch)),
      Effect.runPromise
    )
    expect(error).toMatchObject({ _tag: "Unreachable", sent: false })
  }
)
