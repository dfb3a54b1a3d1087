import { describe, expect, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Metric from "effect/Metric"
import * as Layer from "effect/Layer"
import { createServer, IncomingMessage, type RequestListener, ServerResponse } from "node:http"
import { connect, Socket } from "node:net"
import { Readable } from "node:stream"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import * as Door from "../src/internal/doors/Door.ts"
import * as NodeConnections from "../src/internal/doors/NodeConnections.ts"
import * as NodeReceiver from "../src/NodeReceiver.ts"
import * as Receiver from "../src/Receiver.ts"
import { maxBytes } from "../src/Verifier.ts"
import * as WebReceiver from "../src/WebReceiver.ts"
import { serve } from "@pawl/test-support/Listener"
import { live as test } from "@pawl/test-support/Tests"
import { callbackRequest, listening, local, makeReceiver, post, sendRaw } from "./doors.ts"
import * as HttpRouter from "effect/http/HttpRouter"
import { bytes as encoded } from "@pawl/test-support/Service"

setFlagsFromString("--expose-gc")
const collectGarbage = runInNewContext("gc") as () => void

const heldBytes = (): number => {
  collectGarbage()
  const { external, heapUsed } = process.memoryUsage()
  return heapUsed + external
}

const { body, headers, search } = callbackRequest()
const chunkedHead = `POST /callback${search} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`
const chunk = (size: number) => `${size.toString(16)}\r\n${"x".repeat(size)}\r\n`

const serveCounting = (listener: RequestListener, bodies: number, length: number) =>
  Effect.gen(function* () {
    const { promise, resolve } = Promise.withResolvers<void>()
    let complete = 0
    const counted: RequestListener = (request, response) => {
      listener(request, response)
      let received = 0
      request.on("data", (data: Uint8Array) => {
        received += data.length
        if (received >= length && received - data.length < length && ++complete === bodies)
          resolve()
      })
    }
    const port = yield* NodeReceiver.listen(counted, local)
    return { port, received: Effect.promise(() => promise) }
  })

/** Passes requests to a web handler, as servers in front of one do. */
const webListener =
  (handler: WebReceiver.WebReceiver["handler"]): RequestListener =>
  (request, response) => {
    const headers = { "content-type": "application/json" }
    const body = Readable.toWeb(request) as ReadableStream<Uint8Array>
    const init = { method: "POST", headers, body, duplex: "half" }
    void handler(new Request(`http://x${request.url}`, init)).then(({ status }) =>
      response.writeHead(status).end()
    )
  }

const doors = ["NodeReceiver", "WebReceiver"] as const
const listenerOf = (door: (typeof doors)[number]) =>
  Effect.gen(function* () {
    const { layer } = makeReceiver()
    const made = door === "NodeReceiver" ? NodeReceiver.toListener(layer) : undefined
    const web = door === "WebReceiver" ? WebReceiver.toHandler(layer) : undefined
    yield* Effect.addFinalizer(() => Effect.promise(async () => (made ?? web)?.dispose()))
    return made?.listener ?? webListener(web!.handler)
  })

test.each(doors)(
  "A26: a %s keeps at most 3 times the limit of a body that comes in tiny chunks",
  function* (door) {
    const connections = 40
    // The most chunks, and one less than the whole body, so that every body stays open.
    const tiny = Buffer.from(chunkedHead + chunk(16).repeat(4095))
    const { port, received } = yield* serveCounting(yield* listenerOf(door), connections, 16 * 4095)
    const { status } = yield* Effect.promise(() => post(`http://127.0.0.1:${port}/callback`))
    const before = heldBytes()
    const sockets = Array.from({ length: connections }, () => connect(port, "127.0.0.1"))
    for (const socket of sockets) socket.write(tiny)
    yield* received
    const grown = heldBytes() - before
    for (const socket of sockets) socket.destroy()
    expect(status).toBeGreaterThanOrEqual(200)
    expect(grown / connections).toBeLessThanOrEqual(3 * maxBytes)
  }
)

test("A26: a body of more than 4,096 chunks is refused with 413", function* () {
  const port = yield* NodeReceiver.listen(yield* listenerOf("NodeReceiver"), local)
  const tooMany = `${chunkedHead}${chunk(1).repeat(4097)}`
  const response = yield* sendRaw(port, (socket) => socket.write(tooMany))
  expect(response).toMatch(/^HTTP\/1\.1 413 /u)
})

const bytes = new Uint8Array(10)

it("A26: of the bodies of a door that cost too much memory, the one that is read for the longest time is given up", () => {
  const open = Door.makeBodies(30)
  const givenUp: Array<string> = []
  const [one, two, three] = ["one", "two", "three"].map((name) => open(() => givenUp.push(name)))
  if (!one || !two || !three) return expect.unreachable("there are three bodies")
  for (const body of [one, two, three]) expect(body.add(bytes)).toBe(true)
  // A body that was read is not given up, so the second one is.
  expect(one.complete()).toEqual(bytes)
  one.abandon()
  expect(three.add(bytes)).toBe(true)
  expect(givenUp).toEqual(["two"])
  expect(two.add(bytes)).toBe(false)
  one.release()
  one.release()
  expect(three.add(bytes)).toBe(true)
  expect(givenUp).toEqual(["two"])
  expect(three.add(bytes.subarray(1, 2))).toBe(false)
  expect(givenUp).toEqual(["two", "three"])
})

it("A26: a body that is abandoned or too large takes no memory from the others", () => {
  const open = Door.makeBodies(maxBytes)
  const none = () => expect.unreachable("no body is given up")
  const [abandoned, large, whole] = [open(none), open(none), open(none)]
  expect(abandoned.add(bytes)).toBe(true)
  abandoned.abandon()
  expect(large.add(new Uint8Array(maxBytes))).toBe(true)
  expect(large.add(bytes)).toBe(false)
  expect(whole.add(new Uint8Array(maxBytes))).toBe(true)
})

const countGivenUp = Effect.sync(() => {
  const all = Metric.snapshotUnsafe(Context.empty())
  const state = all.find(({ id }) => id === "pawl.webhook.bodies.given_up")?.state
  return state !== undefined && "count" in state ? Number(state.count) : 0
})

/** 530 bodies that do not end: 524 of them have less than 32 MiB together, and 525 have more. */
const fill = Effect.fnUntraced(function* (
  begin: (body: Uint8Array<ArrayBuffer>, note: (status: number) => void) => void,
  genuine: () => Promise<Response>
) {
  const before = yield* countGivenUp
  const statuses: Array<number> = []
  const refused = Promise.withResolvers<void>()
  const note = (status: number) => {
    if (statuses.push(status) === 6) refused.resolve()
  }
  for (let n = 0; n < 530; n++) begin(new Uint8Array(64_000), note)
  yield* Effect.promise(() => refused.promise)
  expect((yield* Effect.promise(genuine)).status).toBe(200)
  expect(statuses).toEqual(statuses.map(() => 503))
  const givenUp = (yield* countGivenUp) - before
  expect(givenUp).toBeGreaterThanOrEqual(statuses.length)
  expect(givenUp).toBeLessThanOrEqual(7)
})

const routeOf = (layer: ReturnType<typeof makeReceiver>["layer"]) =>
  HttpRouter.toWebHandler(Receiver.route("/callback").pipe(Layer.provide(layer)), {
    disableLogger: true
  })

test.each([
  ["web handler", WebReceiver.toHandler],
  ["route", routeOf]
])(
  "A26: all bodies at a %s have 32 MiB together, and a callback is accepted meanwhile",
  function* (_, make) {
    const { dispose, handler } = make(makeReceiver().layer)
    yield* Effect.addFinalizer(() => Effect.promise(dispose))
    const url = `http://x/callback${search}`
    // A route answers a body that it has given up at its next chunk.
    const all = Promise.withResolvers<void>()
    let begun = 0
    yield* fill(
      (bytes, note) => {
        const chunks = [bytes, bytes.subarray(0, 1)]
        const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
          if (chunks.length === 1 && ++begun === 530) all.resolve()
          if (chunks.length < 2) await all.promise
          const chunk = chunks.shift()
          if (chunk) controller.enqueue(chunk)
        }
        const body = new ReadableStream({ pull }, { highWaterMark: 0 })
        const init = { method: "POST", headers, body, duplex: "half" }
        void handler(new Request(url, init)).then(({ status }) => note(status))
      },
      () => handler(new Request(url, { method: "POST", ...callbackRequest() }))
    )
  }
)

test("A26: all bodies at a listener have 32 MiB together, and a callback is accepted meanwhile", function* () {
  const port = yield* NodeReceiver.listen(yield* listenerOf("NodeReceiver"), local)
  const head = `POST /callback${search} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 65000\r\n\r\n`
  const sockets: Array<Socket> = []
  yield* fill(
    (bytes, note) => {
      const socket = connect(port, "127.0.0.1")
      sockets.push(socket)
      socket.on("error", () => undefined)
      socket.once("data", (data: Buffer) => note(Number(data.toString("latin1", 9, 12))))
      socket.write(head)
      socket.write(bytes)
    },
    () => post(`http://127.0.0.1:${port}/callback`)
  )
  for (const socket of sockets) socket.destroy()
})

const limited = Effect.gen(function* () {
  const { promise, resolve } = Promise.withResolvers<void>()
  const waiting = Promise.withResolvers<void>()
  const server = createServer((request, response) => {
    if (request.url === "/waits") {
      waiting.resolve()
      void promise.then(() => response.end())
    } else if (request.url === "/large") response.end(Buffer.alloc(2 ** 24))
    else request.resume().on("end", () => response.end())
  })
  let full = 0
  NodeConnections.limit(server, {
    max: 4,
    onFull: () => full++,
    quiet: "100 millis",
    total: "4 seconds"
  })
  const port = yield* serve(server)
  const closed = (socket: Socket) =>
    Effect.promise(() => new Promise<void>((done) => socket.once("close", () => done())))
  const open = (bytes: string) => {
    const socket = connect(port, "127.0.0.1")
    socket.on("error", () => undefined)
    socket.resume().write(bytes)
    return socket
  }
  return {
    closed,
    open,
    full: () => full,
    respond: resolve,
    waiting: Effect.promise(() => waiting.promise)
  }
})

test("A39: one connection too many closes the longest idle one, and no working one", function* () {
  const inBody = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n"
  const { closed, full, open, respond, waiting } = yield* limited
  const working = open("GET /waits HTTP/1.1\r\nHost: x\r\n\r\n")
  yield* waiting
  const idle = ["", "GET / HTTP/1.1\r\n", `${inBody}x`].map(open)
  for (const socket of idle) {
    const gone = yield* Effect.forkChild(closed(socket), { startImmediately: true })
    const request = open("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    yield* Effect.promise(() => new Promise((done) => request.once("data", done)))
    yield* Fiber.join(gone)
  }
  expect(full()).toBe(1)
  expect(working.destroyed).toBe(false)
  const gone = closed(working)
  respond()
  working.end()
  yield* gone
})

test("A39: connections whose clients read no response keep nobody out", function* () {
  const { closed, open } = yield* limited
  const stalled = Array.from({ length: 4 }, () => open("GET /large HTTP/1.1\r\nHost: x\r\n\r\n"))
  for (const socket of stalled) {
    yield* Effect.promise(() => new Promise((begun) => socket.once("data", begun)))
    socket.pause()
  }
  const request = open("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
  const answered = Effect.promise(
    () => new Promise((done) => request.once("data", () => done(true)))
  )
  expect(yield* Effect.raceFirst(answered, Effect.as(closed(request), false))).toBe(true)
  for (const socket of stalled) socket.destroy()
})

describe("the connections of a server, at most four,", () => {
  const make = () => {
    const server = createServer()
    let full = 0
    const onFull = () => full++
    NodeConnections.limit(server, { max: 4, onFull, quiet: "1 second", total: "4 seconds" })
    const open = () => {
      const socket = new Socket()
      server.emit("connection", socket)
      return socket
    }
    const request = (socket: Socket) => {
      const response = new ServerResponse(new IncomingMessage(socket))
      response.req.complete = true
      server.emit("request", response.req, response)
      return response
    }
    return { full: () => full, open, request }
  }
  const closedOf = (sockets: ReadonlyArray<Socket>) => sockets.map(({ destroyed }) => destroyed)

  it("are closed in the order of their last use, also if many come at once", () => {
    const { open, request } = make()
    const sockets = [open(), open(), open(), open()]
    const [first] = sockets
    if (first) request(first).emit("close")
    sockets.push(open())
    expect(closedOf(sockets)).toEqual([false, true, false, false, false])
    sockets.push(open(), open(), open())
    expect(closedOf(sockets)).toEqual([true, true, true, true, false, false, false, false])
  })

  it("are not closed while each has a request: the new one is", () => {
    const { open, request } = make()
    const sockets = [open(), open(), open(), open()]
    const [first] = sockets.map(request)
    sockets.push(open())
    expect(closedOf(sockets)).toEqual([false, false, false, false, true])
    // The response to an earlier request of the connection ends.
    const [socket] = sockets
    if (socket) request(socket)
    first?.emit("close")
    sockets.push(open())
    expect(closedOf(sockets)).toEqual([false, false, false, false, true, true])
  })

  it("are not those that are closed, even if a request of one is still read", () => {
    const { open, request } = make()
    const sockets = [open(), open(), open(), open()]
    for (const socket of sockets) socket.emit("close")
    sockets.map(request)
    expect(closedOf([open(), open(), open(), open()])).toEqual([false, false, false, false])
    expect(closedOf(sockets)).toEqual([false, false, false, false])
  })

  it("are said to be too many once, and again after half of them were closed", () => {
    const { full, open } = make()
    const more = (count: number) => Array.from({ length: count }, open)
    const close = (sockets: ReadonlyArray<Socket>) => {
      for (const socket of sockets) socket.emit("close")
    }
    const sockets = more(5)
    expect(full()).toBe(1)
    close(sockets.slice(1, 3))
    const others = more(3)
    expect(full()).toBe(1)
    close([...sockets.slice(4), ...others.slice(1)])
    more(4)
    expect(full()).toBe(2)
  })
})

it("a third of the file descriptors, and at most 2,048, may be connections", () => {
  const most = (descriptors: string) =>
    NodeConnections.mostConnections(
      () =>
        `Max processes  31  31  processes\nMax open files            ${descriptors}  4096  files\n`
    )
  expect(["1024", "6145", "1048576", "unlimited"].map(most)).toEqual([341, 2048, 2048, 2048])
  expect(NodeConnections.mostConnections(() => expect.unreachable("no such file"))).toBe(2048)
})

const sendNine = (port: number) =>
  sendRaw(port, (socket) => socket.write("GET /callback HTTP/1.1\r\nHost: x\r\n\r\n".repeat(9)))

test("a connection with more than 8 requests without a response is closed by a listener", function* () {
  const stuck = Layer.succeed(Receiver.Receiver, { receive: () => Effect.never })
  const { dispose, listener } = NodeReceiver.toListener(stuck)
  yield* Effect.addFinalizer(() => Effect.promise(dispose))
  expect(yield* sendNine(yield* serve(listener))).toBe("")
})

test("a connection with more than 8 requests without a response is closed by a server of any listener", function* () {
  let requests = 0
  const port = yield* NodeReceiver.listen(() => void requests++, local)
  expect(yield* sendNine(port)).toBe("")
  expect(requests).toBe(8)
})

it("a connection may have 8 requests without a response, however many had one", () => {
  const listener = NodeConnections.limitPipelined(() => undefined)
  const socket = new Socket()
  const request = () => {
    const response = new ServerResponse(new IncomingMessage(socket))
    listener(response.req, response)
    return response
  }
  for (let more = 0; more < 9; more++) request().emit("close")
  for (let more = 0; more < 8; more++) request()
  expect(socket.destroyed).toBe(false)
  request()
  expect(socket.destroyed).toBe(true)
})

test("a connection with 8 requests without a response gets all responses, and may then send 8 more", function* () {
  const { port } = yield* listening
  const requests = "GET /callback HTTP/1.1\r\nHost: x\r\n\r\n".repeat(8)
  const text = yield* sendRaw(port, (socket) => {
    let unanswered = 8
    socket.write(requests)
    socket.on("data", (data: Buffer) => {
      unanswered -= data.toString("latin1").split("HTTP/1.1 405").length - 1
      if (unanswered === 0) socket.end(requests)
    })
  })
  expect(text.match(/HTTP\/1\.1 405/gu)).toHaveLength(16)
})

const send = async (length: number, chunks: Iterable<Uint8Array>) => {
  const { callbacks, layer } = makeReceiver()
  const { dispose, handler } = routeOf(layer)
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
  const genuine = await send(10, [encoded(body)])
  expect({ ...genuine, read: 0 }).toEqual({ callbacks: 0, status: 400, read: 0 })
})

it("a body of its content-length is accepted, up to the limit of short bodies and beyond", async () => {
  for (const length of [body.length, 4096, 4097, 65_536]) {
    const padded = encoded(body + " ".repeat(length - body.length))
    const chunks = [padded.subarray(0, 100), padded.subarray(100)]
    expect(await send(length, chunks)).toEqual({ status: 200, read: length, callbacks: 1 })
  }
})

it("a body of another method than POST is not waited for", async () => {
  const { dispose, handler } = routeOf(makeReceiver().layer)
  const init = { method: "PUT", body: new ReadableStream(), duplex: "half" }
  expect((await handler(new Request("http://x/callback", init))).status).toBe(405)
  await dispose()
})

it("A26: a body of more than 4,096 chunks is refused", async () => {
  const padded = encoded(body + " ".repeat(4097 - body.length))
  const chunks = Array.from(padded, (_, at) => padded.subarray(at, at + 1))
  expect(await send(4097, chunks)).toMatchObject({ status: 413, callbacks: 0 })
})
