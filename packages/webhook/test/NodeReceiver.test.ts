import { describe, expect, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import type { RequestListener, Server, ServerResponse } from "node:http"
import { connect } from "node:net"
import * as NodeReceiver from "../src/NodeReceiver.ts"
import * as Receiver from "../src/Receiver.ts"
import { callbackHead as head, listening, local, post, sendRaw, makeReceiver } from "./doors.ts"
import { live, test } from "@pawl/test-support/Tests"
import { untilRefused, serve } from "@pawl/test-support/Listener"
import { card, incoming } from "@pawl/test-support/Service"
import { settled } from "@pawl/test-support/World"
import * as Logger from "effect/Logger"
import { MinimumLogLevel } from "effect/References"
import { setTimeout } from "node:timers/promises"
import * as Door from "../src/internal/doors/Door.ts"
import * as NodeConnections from "../src/internal/doors/NodeConnections.ts"

const { body } = incoming("card", card())
const text = new TextDecoder().decode(body)

describe("invalid HTTP", () => {
  const length = `Content-Length: ${body.length}`
  const chunked = "Transfer-Encoding: chunked"
  const chunk = `${body.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`
  const smuggled: ReadonlyArray<readonly [name: string, bytes: string]> = [
    ["both lengths", head(`${length}\r\n${chunked}\r\n\r\n${chunk}`)],
    ["two lengths", head(`${length}\r\nContent-Length: 5\r\n\r\n${text}`)],
    ["an invalid length", head(`Content-Length: +${body.length}\r\n\r\n${text}`)],
    ["an unknown coding", head(`Transfer-Encoding: xchunked\r\n\r\n${chunk}`)],
    ["a coding after chunked", head(`Transfer-Encoding: chunked, identity\r\n\r\n${chunk}`)],
    ["a space before the colon", head(`Transfer-Encoding : chunked\r\n\r\n${chunk}`)],
    ["a header folded over two lines", head(`X-Folded: a\r\n b\r\n${length}\r\n\r\n${text}`)],
    ["a bare line feed in the headers", head(`X-A: b\n${length}\r\n\r\n${text}`)],
    ["an invalid chunk size", head(`${chunked}\r\n\r\n0x${chunk}`)],
    [
      "a chunk that ends in a line feed",
      head(`${chunked}\r\n\r\n${chunk.replaceAll("\r\n", "\n")}`)
    ],
    ["a NUL in a header", head(`X-A: \u0000\r\n${length}\r\n\r\n${text}`)],
    ["an unknown version", head(`${length}\r\n\r\n${text}`).replace("HTTP/1.1", "HTTP/9.9")]
  ]

  live.each(smuggled)(
    "A21: with %s is refused and does not reach the receiver",
    function* (_, bytes) {
      const { callbacks, port } = yield* listening
      const response = yield* sendRaw(port, (socket) => socket.end(bytes, "latin1"))
      expect(response).not.toMatch(/ 200 /u)
      expect(response).toMatch(/^(?:HTTP\/1\.1 400 |$)/u)
      expect(yield* callbacks).toBe(0)
    }
  )

  live("A21: bytes after a body are a second request, and not part of the first one", function* () {
    const { callbacks, port } = yield* listening
    const response = yield* sendRaw(port, (socket) =>
      socket.end(
        `${head(`${length}\r\n\r\n${text}`)}GET /callback HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`
      )
    )
    expect(response.match(/HTTP\/1\.1 \d+/gu)).toEqual(["HTTP/1.1 200", "HTTP/1.1 405"])
    expect(yield* callbacks).toBe(1)
  })

  live(
    "A22: more than 16 KB of headers, or more than 2,000 headers, are refused with 431",
    function* () {
      const { callbacks, port } = yield* listening
      const large = [
        `X-Large: ${"x".repeat(17_000)}\r\n`,
        Array.from({ length: 2001 }, (_, index) => `X-${index}: xxxx\r\n`).join("")
      ]
      for (const lines of large) {
        const response = yield* sendRaw(port, (socket) =>
          socket.write(head(`${lines}${length}\r\n\r\n${text}`))
        )
        expect(response).toMatch(/^HTTP\/1\.1 431 /u)
      }
      expect(yield* callbacks).toBe(0)
    }
  )
})

describe("the end of a listener", () => {
  const gated = () => {
    const reached = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<void>()
    const listener: RequestListener = (_, response) => {
      reached.resolve()
      void gate.promise.then(() => response.end("answered"))
    }
    return { listener, reached: Effect.promise(() => reached.promise), open: gate.resolve }
  }

  const program = Effect.fnUntraced(function* (listener: RequestListener) {
    const opened = yield* Deferred.make<number, NodeReceiver.CannotListen>()
    const main = yield* NodeReceiver.listen(listener, local).pipe(
      Effect.tap((port) => Deferred.succeed(opened, port)),
      Effect.andThen(Effect.never),
      Effect.scoped,
      Effect.forkChild
    )
    return { main, port: yield* Deferred.await(opened) }
  })

  live(
    "answers the requests in flight, accepts no new ones, and leaves no connection open",
    function* () {
      const { listener, open, reached } = gated()
      const { main, port } = yield* program(listener)
      const inFlight = yield* Effect.forkChild(sendRaw(port, (socket) => socket.write(request)))
      yield* reached
      const ending = yield* Effect.forkChild(Fiber.interrupt(main))
      yield* untilRefused(port)
      expect(ending.pollUnsafe()).toBeUndefined()
      open()
      expect(yield* Fiber.join(inFlight)).toMatch(/answered/u)
      yield* Fiber.join(ending)
    }
  )

  const request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
  const slowly: RequestListener = (_, response) => void setImmediate(() => response.end("answered"))

  live("35.5: answers what twelve senders had sent, and resets none of them", function* () {
    const { main, port } = yield* program(slowly)
    const senders = yield* Effect.promise(() =>
      Promise.all(Array.from({ length: 6 }, () => sender(port)))
    )
    // The server has not read these bytes when the end begins.
    const again = senders.map((send) => send(request))
    const first = Array.from({ length: 6 }, async () => (await sender(port))(""))
    yield* Fiber.interrupt(main)
    const responses = yield* Effect.promise(() => Promise.all([...again, ...first]))
    for (const response of responses.slice(0, 6)) expect(response).toMatch(/answered$/u)
    for (const response of responses.slice(6)) expect(response).toMatch(/answered|ECONNREFUSED/u)
  })

  live("35.5: answers the last one of pipelined requests, and then closes", function* () {
    const { main, port } = yield* program(slowly)
    const send = yield* Effect.promise(() => sender(port))
    const both = send(request + request)
    yield* Fiber.interrupt(main)
    const response = yield* Effect.promise(() => both)
    expect(response.match(/Connection: [a-z-]+/gu)).toEqual([
      "Connection: keep-alive",
      "Connection: close"
    ])
  })

  const repeat = (step: () => void) => {
    const timer = setInterval(step, 2)
    return () => clearInterval(timer)
  }

  test("35.5: answers requests that come after its begin, and closes silent connections", function* () {
    const responses: Array<ServerResponse> = []
    const { main, port } = yield* program((_, response) => void responses.push(response))
    const texts: Array<string> = []
    const sockets = [request, "GET / HTTP/1.1\r\nX: ", ""].map((bytes, at) => {
      const socket = connect(port, "127.0.0.1")
      socket.on("data", (data) => (texts[at] = `${texts[at] ?? ""}${String(data)}`))
      socket.write(bytes)
      return socket
    })
    const stop = repeat(() => sockets[1]?.write("x"))
    yield* until(() => responses.length === 1)
    const ending = yield* Effect.forkChild(Fiber.interrupt(main))
    yield* untilRefused(port)
    sockets[0]?.write(request)
    yield* until(() => responses.length === 2 && sockets[2]?.closed === true)
    stop()
    sockets[1]?.write("\r\nHost: x\r\n\r\n")
    yield* until(() => responses.length === 3)
    for (const response of responses) response.end()
    yield* until(() => sockets.every(({ closed }) => closed))
    yield* Fiber.join(ending)
    expect(texts.map((text) => text.match(/(?<=Connection: )[a-z-]+/gu))).toEqual([
      ["keep-alive", "close"],
      ["close"]
    ])
  })

  const sender = (port: number) =>
    new Promise<(bytes: string) => Promise<string>>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => socket.write(request))
      const rest = Promise.withResolvers<string>()
      let text = ""
      let isFirst = true
      const send = (bytes: string) => {
        if (bytes !== "") text = ""
        socket.write(bytes)
        return rest.promise
      }
      socket.on("data", (chunk: Buffer) => {
        text += chunk.toString("latin1")
        if (isFirst) resolve(send)
        isFirst = false
      })
      socket.on("error", (error: NodeJS.ErrnoException) => {
        text += error.code
        resolve(send)
      })
      socket.on("close", () => rest.resolve(text))
    })

  test("waits at most 4 seconds for unanswered requests", function* () {
    const { listener, reached } = gated()
    const { main, port } = yield* program(listener)
    const cut = yield* Effect.forkChild(sendRaw(port, (socket) => socket.write(request)))
    yield* reached
    const ending = yield* Effect.forkChild(Fiber.interrupt(main))
    yield* settled
    yield* TestClock.adjust("3 seconds")
    expect(ending.pollUnsafe()).toBeUndefined()
    yield* TestClock.adjust("1 second")
    yield* Fiber.join(ending)
    expect(yield* Fiber.join(cut)).toBe("")
  })
})

it("a server has the documented time limits", () => {
  expect(NodeReceiver.createServer()).toMatchObject({
    headersTimeout: 10_000,
    requestTimeout: 15_000,
    keepAliveTimeout: 75_000
  })
})

live("connections that the system cannot accept do not end the process", function* () {
  let server: unknown
  const listener: RequestListener = ({ socket }, response) => {
    server = Reflect.get(socket, "server")
    response.end()
  }
  const port = yield* NodeReceiver.listen(listener, local)
  const ask = Effect.promise(() => fetch(`http://127.0.0.1:${port}`))
  expect((yield* ask).status).toBe(200)
  for (let failures = 0; failures < 2; failures++) {
    ;(server as Server).emit("error", new Error("accept ENOBUFS"))
  }
  expect((yield* ask).status).toBe(200)
})

live("a server that cannot listen is an error that names the reason and its address", function* () {
  const port = yield* NodeReceiver.listen(() => {}, local)
  const error = yield* Effect.flip(NodeReceiver.listen(() => {}, { host: "127.0.0.1", port }))
  expect(error).toMatchObject({ _tag: "CannotListen", port, code: "EADDRINUSE" })
  expect(error.message).toBe(
    `Cannot listen on port ${port} of 127.0.0.1: another process uses it; stop that process, or choose another port`
  )
  for (const host of ["203.0.113.1", "no-host.invalid"]) {
    const elsewhere = NodeReceiver.listen(() => {}, { host, port })
    expect((yield* Effect.flip(elsewhere)).message).toBe(
      `Cannot listen on port ${port} of ${host}: this machine has no such address; choose one that it has, such as 127.0.0.1`
    )
  }
  const privileged = new NodeReceiver.CannotListen({ host: "127.0.0.1", port: 80, code: "EACCES" })
  expect(privileged.message).toBe(
    "Cannot listen on port 80 of 127.0.0.1: this user may not use it; choose a port above 1023"
  )
  for (const port of [-1, 1.5, 65_536]) {
    const none = NodeReceiver.listen(() => {}, { host: "127.0.0.1", port })
    expect((yield* Effect.flip(none)).message).toContain("a number from 0 to 65535")
  }
})

it.each([
  ["/callback", "/callback", ""],
  ["/callback?", "/callback", "?"],
  ["/callback?next=/a?b&paymentMethod=card", "/callback", "?next=/a?b&paymentMethod=card"],
  ["HTTP://payouts/callback?a", "/callback", "?a"],
  ["https://payouts?a", "", "?a"],
  ["x:///callback", "/callback", ""],
  ["?a", "", "?a"],
  ["://payouts", "://payouts", ""],
  ["/to/https://payouts/callback", "/to/https://payouts/callback", ""]
])("the URL %s has the path %j and the search %j", (url, path, search) => {
  expect([Door.pathOf(url), Door.searchOf(url)]).toEqual([path, search])
})

it("a callback whose receiver ends is answered 503, and only a defect is logged", () => {
  let logs = 0
  const run: Door.Run = () => {
    logs++
    return Effect.runFork(Effect.never)
  }
  expect([Door.statusOf(Exit.interrupt(), run), logs]).toEqual([503, 0])
  expect([Door.statusOf(Exit.die("defect"), run), logs]).toEqual([503, 1])
})

live("a receiver with a defect responds 503", function* () {
  const broken = Layer.succeed(Receiver.Receiver, { receive: () => Effect.die("broken") })
  const { dispose, listener } = NodeReceiver.toListener(broken)
  const port = yield* NodeReceiver.listen(listener, local)
  const { status } = yield* Effect.promise(() => post(`http://127.0.0.1:${port}/callback`))
  expect(status).toBe(503)
  yield* Effect.promise(dispose)
})

const until = (condition: () => boolean) =>
  Effect.promise(async () => {
    while (!condition()) await setTimeout(2)
  })

live("a body that goes on after the response of the application is not received", function* () {
  let received = 0
  const receiver = Layer.succeed(Receiver.Receiver, {
    receive: () =>
      Effect.sync(() => {
        received++
        return 200 as const
      })
  })
  const built = yield* Layer.build(receiver)
  const listener = yield* Effect.provideContext(NodeReceiver.listener, built)
  const open = new Set<ServerResponse>()
  const port = yield* serve((request, response) => {
    open.add(response)
    response.once("close", () => open.delete(response))
    listener(request, response)
  })
  const thrown: Array<unknown> = []
  const onThrown = (error: unknown) => void thrown.push(error)
  process.prependListener("uncaughtException", onThrown)
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => process.removeListener("uncaughtException", onThrown))
  )

  const texts: Array<string> = []
  const socket = connect(port, "127.0.0.1")
  socket.on("data", (text) => texts.push(String(text)))
  socket.write("POST /callback HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nab")
  yield* until(() => open.size === 1)
  // The application has its own timeout.
  for (const response of open) response.writeHead(504, { "content-length": 0 }).end()
  yield* until(() => texts.length === 1 && open.size === 0)
  socket.write("cdGET /callback HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
  yield* until(() => socket.closed)
  expect(texts.map((text) => text.split("\r\n")[0])).toEqual([
    "HTTP/1.1 504 Gateway Timeout",
    "HTTP/1.1 200 OK"
  ])
  // The receiver has seen only the GET.
  expect({ received, thrown }).toEqual({ received: 1, thrown: [] })
})

live("a body that a parser has read is logged, and throws no error after a response", function* () {
  const receiver = Layer.succeed(Receiver.Receiver, { receive: () => Effect.succeed(200) })
  const logs: Array<unknown> = []
  const logger = Logger.layer([Logger.make(({ message }) => void logs.push(message))])
  const built = yield* Layer.build(
    Layer.mergeAll(receiver, logger, Layer.succeed(MinimumLogLevel, "Error"))
  )
  const listener = yield* Effect.provideContext(NodeReceiver.listener, built)
  const thrown: Array<unknown> = []
  const port = yield* serve((request, response) => {
    request.on("data", () => undefined)
    request.on("end", () => {
      response.writeHead(504, { "content-length": 0 }).end()
      try {
        listener(request, response)
      } catch (error) {
        thrown.push(error)
      }
    })
  })
  const { status } = yield* Effect.promise(() => post(`http://127.0.0.1:${port}/callback`))
  expect(status).toBe(504)
  expect({ logs, thrown }).toEqual({ logs: [[Door.bodyAlreadyRead]], thrown: [] })
})

live("a refused method has the header Allow, and no body", function* () {
  const { port } = yield* listening
  const response = yield* sendRaw(port, (socket) =>
    socket.end("GET /callback HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
  )
  const [first, ...lines] = response.split("\r\n")
  expect(first).toBe("HTTP/1.1 405 Method Not Allowed")
  expect(lines).toEqual(expect.arrayContaining(["allow: POST", "content-length: 0"]))
  expect(lines.slice(-2)).toEqual(["", ""])
})

live("a response whose connection is closed is not sent", function* () {
  const closed = Promise.withResolvers<ServerResponse>()
  const port = yield* serve((_, response) => {
    response.once("close", () => closed.resolve(response))
    response.destroy()
  })
  yield* Effect.exit(Effect.tryPromise(() => fetch(`http://127.0.0.1:${port}`)))
  const response = yield* Effect.promise(() => closed.promise)
  NodeConnections.send(response, 200, {}, "late")
  expect([response.headersSent, response.writableEnded]).toEqual([false, false])
})

live("a request that was aborted before the listener is not waited for", function* () {
  const built = yield* Layer.build(makeReceiver().layer)
  const listener = yield* Effect.provideContext(NodeReceiver.listener, built)
  const { promise, resolve } = Promise.withResolvers<number>()
  const port = yield* serve((request, response) => {
    response.once("close", () => {
      listener(request, response)
      resolve(request.listenerCount("data"))
    })
    socket.destroy()
  })
  const socket = connect(port, "127.0.0.1")
  socket.write("POST /callback HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n")
  expect(yield* Effect.promise(() => promise)).toBe(0)
})
