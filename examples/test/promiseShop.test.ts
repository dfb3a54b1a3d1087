import * as Program from "@pawl/test-support/Program"
import { Faults } from "@pawl/testkit/Faults"
import { Gateway } from "@pawl/testkit/Gateway"
import { Sandbox } from "@pawl/testkit/Sandbox"
import { VirtualClock } from "@pawl/testkit/VirtualClock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, it } from "vitest"
import { withSandbox } from "./processes.ts"

const folder = mkdtempSync(join(tmpdir(), "pawl-shop-"))
afterAll(() => rmSync(folder, { recursive: true }))

const freePort = Effect.callback<string>((resume) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const { port } = server.address() as AddressInfo
    server.close(() => resume(Effect.succeed(String(port))))
  })
})

const start = Effect.fnUntraced(function* (name: string, port: string) {
  const { baseUrl } = yield* Sandbox
  const program = yield* Program.start(
    process.execPath,
    [new URL("../src/promiseShop.mjs", import.meta.url).pathname],
    {
      PAWL_BASE_URL: baseUrl,
      PAWL_MERCHANT_KEY: "sandbox-key",
      PAWL_MERCHANT_SECRET: "sandbox-secret",
      PORT: port,
      SHOP_FILE: join(folder, name)
    }
  )
  return { ...program, url: yield* program.line(/^ready (\S+)$/mu) }
})

const place = (url: string, amount: string) =>
  Effect.promise(() =>
    fetch(`${url}/orders/17`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ amount })
    }).catch(() => undefined)
  )

const untilPaid = (url: string) =>
  Effect.promise(() =>
    expect
      .poll(() => fetch(`${url}/orders/17`).then((response) => response.json()), {
        timeout: 60_000
      })
      .toEqual({ id: "17", status: "SUCCEED" })
  )

it("a shop in plain JavaScript takes a payment, and ends with 0 on SIGTERM", () =>
  withSandbox(
    Effect.gen(function* () {
      const { child, exited, url } = yield* start("paid.db", yield* freePort)
      const response = yield* place(url, "10.00")
      expect(response?.status).toBe(201)
      yield* untilPaid(url)
      const wrong = yield* place(url, "11.00")
      expect(wrong?.status).toBe(502)
      child.kill("SIGTERM")
      expect(yield* exited).toEqual({ code: 0, signal: null })
    })
  ))

it("an order is paid once although the shop was killed before the service answered", () =>
  withSandbox(
    Effect.gen(function* () {
      const faults = yield* Faults
      const gateway = yield* Gateway
      yield* faults.add({ endpoint: "POST /v1/payments/apm", fault: "delay" })
      const port = yield* freePort
      const first = yield* start("killed.db", port)
      yield* Effect.forkScoped(place(first.url, "10.00"))
      yield* gateway.transactions.pipe(
        Effect.repeat({
          until: ({ length }) => length === 1,
          schedule: Schedule.spaced("20 millis")
        })
      )
      first.child.kill("SIGKILL")
      yield* first.exited
      yield* faults.clear
      const second = yield* start("killed.db", port)
      // The callbacks that found no shop come again.
      const clock = yield* VirtualClock
      yield* clock.advance(Duration.minutes(62))
      yield* untilPaid(second.url)
      expect(yield* gateway.transactions).toHaveLength(1)
    })
  ))
