import { StoreUnavailable } from "@pawl/core/CallbackError"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { describe, expect } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpMiddleware from "effect/http/HttpMiddleware"
import * as HttpRouter from "effect/http/HttpRouter"
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import * as TestClock from "effect/testing/TestClock"
import * as Tracer from "effect/Tracer"
import { createServer, type OutgoingHttpHeaders, type Server } from "node:http"
import { type AddressInfo, type Socket } from "node:net"
import { inspect } from "node:util"
import { gzipSync } from "node:zlib"
import { Ledger, layerMemory } from "../src/Ledger.ts"
import * as NodeReceiver from "../src/NodeReceiver.ts"
import * as Receiver from "../src/Receiver.ts"
import { callbackHead, dependencies, local, sendRaw } from "./doors.ts"
import { overHttp } from "@pawl/test-support/OverHttp"
import { live, test } from "@pawl/test-support/Tests"
import { planted } from "@pawl/test-support/World"
import { apm, bytes, card, checksum, incoming, secret } from "@pawl/test-support/Service"

const receiver = (ledger: Layer.Layer<Ledger>) =>
  Receiver.layer().pipe(Layer.provideMerge(ledger), Layer.provide(dependencies))

type Door = "HttpRouter" | "node:http"

const serve = Effect.fnUntraced(function* (
  door: Door,
  ledger: Layer.Layer<Ledger> = layerMemory,
  watch: Layer.Layer<never> = Logger.layer([])
) {
  const server: Server = createServer(NodeReceiver.limits)
  const gracefulShutdownTimeout = "100 millis"
  const http = NodeHttpServer.layer(() => server, { ...local, gracefulShutdownTimeout })
  const doors = {
    HttpRouter: HttpRouter.serve(Receiver.route("/callback/*"), { disableListenLog: true }),
    "node:http": Layer.effectDiscard(
      Effect.map(NodeReceiver.listener, (listener) => server.on("request", listener))
    )
  }
  const context = yield* Layer.build(
    doors[door].pipe(
      Layer.provideMerge(receiver(ledger)),
      Layer.provideMerge(http),
      Layer.provide(watch)
    )
  )
  const { port } = server.address() as AddressInfo
  return { server, port, ledger: Context.get(context, Ledger) }
})

interface Asked {
  readonly method?: string
  readonly path?: string
  readonly headers?: OutgoingHttpHeaders
  readonly body?: Uint8Array
}

const ask = (
  port: number,
  { body = new Uint8Array(), headers, method = "POST", path = "/callback" }: Asked
) =>
  overHttp(`http://127.0.0.1:${port}`)({
    method,
    path,
    body,
    headers: { connection: "close", ...headers } as Record<string, string>
  })

const post = (
  port: number,
  method: "card" | "apm",
  fields: Readonly<Record<string, unknown>>,
  changes?: Asked
) => {
  const { body, checksum, contentType, search } = incoming(method, fields)
  return ask(port, {
    body,
    path: `/callback${search}`,
    ...changes,
    headers: { "content-type": contentType, "x-checksum": checksum, ...changes?.headers }
  })
}

const accepting = (accept: (real: Ledger["Service"]) => Ledger["Service"]["accept"]) =>
  planted((real) => ({ accept: accept(real) }))

const callbacksOf = (ledger: Ledger["Service"], method: "card" | "apm" = "card") =>
  Effect.map(ledger.get(method, "100001"), (row) => row?.callbacks)

describe.each<Door>(["HttpRouter", "node:http"])("the door of %s", (door) => {
  live(
    "responds with a status alone, and stores what it responds 200 to (A17, A18, A20)",
    function* () {
      const { ledger, port } = yield* serve(door)
      const text = JSON.stringify(card())
      const padded = (length: number) => bytes(text + " ".repeat(length - text.length))
      const bomb = gzipSync(Buffer.alloc(64_000_000, " "))
      expect(bomb.length).toBeLessThan(65_536)
      const methods = ["GET", "PUT", "HEAD", "OPTIONS", "TRACE", "DELETE", "PROPFIND"]
      const refused: ReadonlyArray<readonly [status: number, changes: Asked]> = [
        ...methods.map(
          (method) => [405, { method, headers: { "x-http-method-override": "POST" } }] as const
        ),
        [413, { body: padded(65_537) }],
        [415, { headers: { "content-type": "text/plain" } }],
        [415, { body: bomb, headers: { "content-encoding": "gzip" } }],
        [400, { body: bytes("{") }],
        [400, { body: new Uint8Array() }],
        [400, { path: "/callback" }]
      ]
      for (const [status, changes] of refused) {
        const { headers, ...answered } = yield* post(port, "card", card(), changes)
        expect(answered).toEqual({ status, body: "" })
        expect(headers["allow"]).toBe(status === 405 ? "POST" : undefined)
      }
      expect(yield* callbacksOf(ledger)).toBeUndefined()
      const accepted: ReadonlyArray<Asked> = [
        {},
        { body: padded(65_536) },
        { path: "http://elsewhere/callback?paymentMethod=card" },
        ...["[", "a b", "x:99999999", "x/?paymentMethod=apm#", ""].map((host) => ({
          headers: { host }
        }))
      ]
      for (const changes of accepted) {
        const { body, status } = yield* post(port, "card", card(), changes)
        expect({ body, status }).toEqual({ body: "", status: 200 })
      }
      expect(yield* callbacksOf(ledger)).toBe(accepted.length)
      expect((yield* post(port, "apm", apm())).status).toBe(200)
      expect(yield* callbacksOf(ledger, "apm")).toBe(1)
    }
  )

  live("passes on the path of a callback, which may name its kind", function* () {
    const { ledger, port } = yield* serve(door)
    const { search } = incoming("card", card())
    const paths = ["/callback?a=/payouts&", "/callback/payouts?"]
    for (const [at, path] of paths.entries()) {
      const changes = { path: path + search.slice(1) }
      expect((yield* post(port, "card", card(), changes)).status).toBe(200)
      expect(yield* ledger.get("card", "100001")).toMatchObject({ namesPayout: at === 1 })
    }
  })

  live(
    "A17: responds 413 to an endless body and closes the connection after reading little of it",
    function* () {
      const { port, server } = yield* serve(door)
      const sockets: Array<Socket> = []
      server.on("connection", (socket) => sockets.push(socket))
      const chunk = `4000\r\n${" ".repeat(0x4000)}\r\n`
      const response = yield* sendRaw(port, (socket) => {
        socket.write("POST /callback?paymentMethod=card HTTP/1.1\r\nHost: x\r\n")
        socket.write("Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n")
        const more = (): void => {
          while (socket.writable && socket.write(chunk));
        }
        socket.on("drain", more)
        more()
      })
      expect(response).toMatch(/^HTTP\/1\.1 413 /u)
      // The limit, the bytes drained after the response, and the buffers of the socket.
      expect(sockets.map(({ bytesRead }) => bytesRead <= 1024 * 1024)).toEqual([true])
    }
  )

  live(
    "A17: does not rely on Content-Length: a body that is shorter or longer is never stored",
    function* () {
      const { ledger, port } = yield* serve(door)
      const { body } = incoming("card", card())
      const head = (length: number) =>
        callbackHead(`Connection: close\r\nContent-Length: ${length}\r\n\r\n`)
      const short = yield* sendRaw(port, (socket) => {
        socket.write(head(body.length + 10))
        socket.end(body)
      })
      expect(short).not.toMatch(/ 200 /u)
      const long = yield* sendRaw(port, (socket) => {
        socket.write(head(body.length - 1))
        socket.write(body)
      })
      expect(long).toMatch(/^HTTP\/1\.1 400 /u)
      expect(yield* callbacksOf(ledger)).toBeUndefined()
    }
  )

  live(
    "responds 401 without a body to every failure of the checksum (A01, A02, A03)",
    function* () {
      const { ledger, port } = yield* serve(door)
      const right = checksum("card", card())
      const given: ReadonlyArray<string | Array<string> | undefined> = [
        undefined,
        "",
        [right, right],
        ["AAAA", right],
        [right, "AAAA"],
        `${right}, ${right}`,
        right.replace("=", ""),
        Buffer.from(right, "base64").toString("hex"),
        Buffer.from(right, "base64").toString("base64url"),
        `${right}\u00a0`,
        "\u00fc".repeat(44),
        "A".repeat(10_000),
        checksum("card", card(), "other-secret"),
        checksum("card", card({ orderAmount: "10" }))
      ]
      const answers = []
      for (const each of given) {
        const headers = each === undefined ? {} : { "x-checksum": each }
        const answered = yield* ask(port, {
          body: incoming("card", card()).body,
          path: "/callback?paymentMethod=card",
          headers: { "content-type": "application/json", ...headers }
        })
        const { date: _, ...others } = answered.headers
        answers.push({ ...answered, headers: others })
      }
      expect(answers[0]).toMatchObject({ status: 401, body: "" })
      for (const answered of answers) expect(answered).toEqual(answers[0])
      expect(yield* callbacksOf(ledger)).toBeUndefined()
    }
  )

  live(
    "responds 503 without a body while its store fails, and 200 once it works again",
    function* () {
      let isDown = true
      const flaky = accepting(
        (real) => (verified, at) =>
          isDown
            ? Effect.fail(new StoreUnavailable({ cause: "disk full" }))
            : real.accept(verified, at)
      )
      const { ledger, port } = yield* serve(door, flaky)
      const down = yield* post(port, "card", card())
      expect({ status: down.status, body: down.body }).toEqual({ status: 503, body: "" })
      expect(yield* callbacksOf(ledger)).toBeUndefined()
      isDown = false
      expect((yield* post(port, "card", card())).status).toBe(200)
      expect(yield* callbacksOf(ledger)).toBe(1)
    }
  )

  live("responds 200 after its store has accepted the callback", function* () {
    const reached = yield* Deferred.make<void>()
    const gate = yield* Deferred.make<void>()
    const events: Array<string> = []
    const gated = accepting(
      (real) => (verified, at) =>
        Deferred.succeed(reached, undefined).pipe(
          Effect.andThen(Deferred.await(gate)),
          Effect.andThen(real.accept(verified, at)),
          Effect.tap(() => Effect.sync(() => events.push("accepted")))
        )
    )
    const { ledger, port } = yield* serve(door, gated)
    const posting = yield* Effect.forkChild(
      Effect.tap(post(port, "card", card()), ({ status }) =>
        Effect.sync(() => events.push(`answered ${status}`))
      )
    )
    yield* Deferred.await(reached)
    expect((yield* ask(port, { method: "GET" })).status).toBe(405)
    expect((yield* post(port, "card", card(), { headers: { "x-checksum": "x" } })).status).toBe(401)
    expect(events).toEqual([])
    expect(yield* callbacksOf(ledger)).toBeUndefined()
    yield* Deferred.succeed(gate, undefined)
    yield* Fiber.join(posting)
    expect(events).toEqual(["accepted", "answered 200"])
  })

  live(
    "puts the checksum and the secret in no log line, span or error, also when all headers are traced",
    function* () {
      const seen: Array<unknown> = []
      const spans: Array<Tracer.NativeSpan> = []
      const remember = Layer.mergeAll(
        Logger.layer([
          Logger.map(Logger.formatJson, (line) => seen.push(line)),
          Logger.map(Logger.formatSimple, (line) => seen.push(line)),
          Logger.make(({ cause, message }) => seen.push(inspect([message, cause], { depth: 12 })))
        ]),
        Layer.succeed(References.MinimumLogLevel, "Trace"),
        Layer.succeed(HttpMiddleware.TracerHeaderFilter, () => true),
        Layer.succeed(
          Tracer.Tracer,
          Tracer.make({
            span(options) {
              const span = new Tracer.NativeSpan(options)
              spans.push(span)
              return span
            }
          })
        )
      )
      const failing = accepting(
        (real) => (verified, at) =>
          verified.method === "apm"
            ? Effect.fail(new StoreUnavailable({}))
            : real.accept(verified, at)
      )
      const { port } = yield* serve(door, failing, remember)
      const asked = [
        post(port, "card", card()),
        post(port, "card", card({ transactionStatus: "SETTLED" })),
        post(port, "card", card(), {
          headers: { "x-checksum": checksum("card", card(), "other") }
        }),
        post(port, "card", card(), { body: bytes("{") }),
        post(port, "card", card(), { method: "PUT" }),
        post(port, "card", card(), { body: new Uint8Array(70_000) }),
        post(port, "card", card(), { headers: { "content-type": "text/plain" } }),
        post(port, "apm", apm())
      ]
      const statuses = yield* Effect.forEach(
        asked,
        Effect.map(({ status }) => status)
      )
      expect(statuses).toEqual([200, 200, 401, 400, 405, 413, 415, 503])

      const traced = spans.flatMap((span) => [
        inspect(span, { depth: 12 }),
        JSON.stringify([...span.attributes, ...span.events]),
        inspect(span.status, { depth: 12 })
      ])
      const text = [...seen, ...traced].join("\n")
      if (door === "HttpRouter") expect(text).toContain("http.request.header.content-type")
      expect(text).toContain("Refused a callback")
      const canaries = [
        secret,
        "previous-secret",
        checksum("card", card()),
        checksum("apm", apm()),
        checksum("card", card(), "other")
      ]
      for (const canary of canaries) {
        for (const spelling of [
          canary,
          encodeURIComponent(canary),
          Buffer.from(canary, "base64").toString("hex")
        ]) {
          expect(text.includes(spelling)).toBe(false)
        }
      }
    }
  )
})

live("the route has one path; the router handles all others", function* () {
  const { port } = yield* serve("HttpRouter")
  const path = "/callbacks?paymentMethod=card"
  expect((yield* post(port, "card", card(), { path })).status).toBe(404)
})

test.with(() => receiver(accepting(() => () => Effect.never)))(
  "a store that hangs leads to 503 within 5 seconds",
  function* () {
    const { receive } = yield* Receiver.Receiver
    const receiving = yield* Effect.forkChild(receive(incoming("card", card())))
    yield* TestClock.adjust("3 seconds")
    expect(receiving.pollUnsafe()).toBeUndefined()
    yield* TestClock.adjust("2 seconds")
    expect(yield* Fiber.join(receiving)).toBe(503)
  }
)
