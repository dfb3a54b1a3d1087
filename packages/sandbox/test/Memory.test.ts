import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import type { IncomingMessage } from "node:http"
import { connect } from "node:net"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { assert, it } from "vitest"
import { Gateway } from "@pawl/testkit/Gateway"
import { address, test } from "./support/sandbox.ts"
import { authenticate, payment, Receiver, run, send } from "@pawl/test-support/TestGateway"

setFlagsFromString("--expose-gc")
const collect: unknown = runInNewContext("gc")

const maxBytes = 64 * 1024

const inUse = Effect.sync(() => {
  if (typeof collect === "function") collect()
  return process.memoryUsage().heapUsed
})

const batch = Effect.fnUntraced(function* (count: number, name: string) {
  const token = yield* authenticate
  for (let at = 0; at < count; at++) {
    const { status } = yield* send("POST", "/payments/apm", {
      token,
      body: payment({ requestId: `${name}-${at}` })
    })
    assert.strictEqual(status, 200)
  }
  yield* TestClock.adjust("1 minute")
  // The received callbacks are not part of the measurement.
  ;(yield* Receiver).received.length = 0
})

it("X07: 100,000 terminal transactions fit in 500 MB, and a reset frees them", () =>
  run(function* () {
    yield* batch(500, "warm")
    const before = yield* inUse
    const count = 1500
    yield* batch(count, "more")
    const each = ((yield* inUse) - before) / count
    assert.isBelow(each * 100_000, 500e6, `${Math.round(each)} bytes each`)
    yield* (yield* Gateway).reset
    assert.isBelow(yield* inUse, before + count * each * 0.1)
  }))

test("A26: a request in tiny chunks takes at most 3 times the limit of its body", function* () {
  const { hostname, port } = yield* address
  const head = `POST /api/v1/auth HTTP/1.1\r\nHost: ${hostname}:${port}\r\nTransfer-Encoding: chunked\r\n\r\n`
  // One chunk less than the limit: the bodies stay open.
  const tiny = Buffer.from(head + `10\r\n${"x".repeat(16)}\r\n`.repeat(maxBytes / 16 - 1))
  const held = Effect.sync(() => {
    if (typeof collect === "function") collect()
    const { external, heapUsed } = process.memoryUsage()
    return heapUsed + external
  })
  yield* Effect.promise(() => fetch(`http://${hostname}:${port}/`).then((got) => got.text()))
  const before = yield* held
  const connections = 40
  const { promise: received, resolve } = Promise.withResolvers<void>()
  let left = connections * (maxBytes - 16)
  const count = (started: unknown) => {
    const { request } = started as { readonly request: IncomingMessage }
    request.on("data", ({ length }: Uint8Array) => {
      left -= length
      if (left === 0) resolve()
    })
  }
  subscribe("http.server.request.start", count)
  const sockets = Array.from({ length: connections }, () => connect(Number(port), hostname))
  for (const socket of sockets) socket.write(tiny)
  yield* Effect.promise(() => received)
  unsubscribe("http.server.request.start", count)
  const grown = (yield* held) - before
  for (const socket of sockets) socket.destroy()
  assert.isBelow(grown / sockets.length, 3 * maxBytes)
})
