import { PgClient } from "@effect/sql-pg/PgClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { Duplex } from "node:stream"
import { expect } from "vitest"
import { test } from "@pawl/test-support/Tests"
import * as NodePostgres from "../src/NodePostgres.ts"

const configOf = (options: Parameters<typeof NodePostgres.layer>[0]) =>
  Effect.map(
    Layer.build(NodePostgres.layer(options)),
    (context) => Context.get(context, PgClient).config
  )

test("a setting of PostgreSQL that is undefined keeps its default, so that a dead server is noticed", function* () {
  const names = ["applicationName", "connectTimeout", "keepAlive", "maxConnections"]
  const given = Object.fromEntries(names.map((name) => [name, undefined]))
  const config = yield* configOf({ host: "127.0.0.1", port: 9, ...given })
  expect(config).toEqual(yield* configOf({ host: "127.0.0.1", port: 9 }))
  expect(config).toMatchObject({ keepAlive: "30 seconds", maxConnections: 10 })
})

test("a server that answers no statement for 15 seconds fails the start, and does not hang it", function* () {
  const login = Buffer.from("5200000008000000005a0000000549", "hex")
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>()
  const sockets: Array<Duplex> = []
  const stream = () => {
    let writes = 0
    const socket = new Duplex({
      read: () => undefined,
      write: (_bytes, _encoding, done) => {
        // The server ends a connection whose statement another one cancels.
        if (socket !== sockets[0]) for (const each of sockets) each.destroy()
        else if (writes++ === 0) socket.push(login)
        else ask()
        done()
      }
    })
    sockets.push(socket)
    return socket
  }
  const started = yield* Effect.forkScoped(
    Effect.flip(Layer.build(NodePostgres.layerLedger({ stream, username: "pawl" })))
  )
  yield* Effect.promise(() => asked)
  yield* TestClock.adjust("15 seconds")
  expect(yield* Fiber.join(started)).toMatchObject({
    reason: {
      _tag: "StatementTimeoutError",
      message: "A transaction takes longer than 15 seconds"
    }
  })
})
