import { expect } from "@effect/vitest"
import { live } from "@pawl/test-support/Tests"
import { serve } from "@pawl/test-support/Listener"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { MinimumLogLevel } from "effect/References"
import type { RequestListener, ServerResponse } from "node:http"
import { connect } from "node:net"
import { setTimeout } from "node:timers/promises"
import * as Door from "../src/internal/doors/Door.ts"
import * as NodeConnections from "../src/internal/doors/NodeConnections.ts"
import * as NodeReceiver from "../src/NodeReceiver.ts"
import * as Receiver from "../src/Receiver.ts"
import { makeReceiver, post } from "./doors.ts"

const send = (port: number) =>
  Effect.map(
    Effect.promise(() => post(`http://127.0.0.1:${port}/callback`)),
    ({ status }) => status
  )

/** Sends the responses itself, as an application with its own timeout does. */
const application = (listener: RequestListener) => {
  const open = new Set<ServerResponse>()
  const served: RequestListener = (request, response) => {
    open.add(response)
    response.once("close", () => open.delete(response))
    listener(request, response)
  }
  const answer = () => {
    for (const response of open) response.writeHead(504, { "content-length": 0 }).end()
  }
  return { answer, open, served }
}

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
  const { answer, open, served } = application(listener)
  const port = yield* serve(served)
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
  answer()
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
  expect(yield* send(port)).toBe(504)
  expect({ logs, thrown }).toEqual({ logs: [[Door.bodyAlreadyRead]], thrown: [] })
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
