import { makeFolder } from "@pawl/test-support/Folder"
import * as Program from "@pawl/test-support/Program"
import { Faults } from "@pawl/testkit/Faults"
import { Gateway } from "@pawl/testkit/Gateway"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, it } from "vitest"
import { freePort, nodeAheadBy, pay, sandboxed, settings } from "./processes.ts"

const folder = makeFolder()

const start = Effect.fnUntraced(function* (name: string, port: string, ahead = 0, env = {}) {
  const [node, ...flags] = nodeAheadBy(ahead)
  const program = yield* Program.start(
    node,
    [...flags, new URL("../src/promiseShop.mjs", import.meta.url).pathname],
    {
      ...(yield* settings),
      PORT: port,
      SHOP_FILE: join(folder, name),
      ...env
    }
  )
  return { ...program, url: yield* program.line(/^ready (\S+)$/mu) }
})

const place = (url: string, item = "tea", id = "17") =>
  Effect.promise(async () => {
    const response = await fetch(`${url}/orders/${id}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ item, email: "ada@shop.example" })
    })
    const answer: { readonly page: string; readonly code: string } = await response.json()
    return { ...answer, status: response.status }
  })

const untilState = (url: string, status: string) =>
  Effect.promise(() =>
    expect
      .poll(() => fetch(`${url}/orders/17`).then((response) => response.json()), {
        timeout: 200_000
      })
      .toEqual({ id: "17", status })
  )

it("has at most 40 lines", async () => {
  const source = await readFile(new URL("../src/promiseShop.mjs", import.meta.url), "utf8")
  expect(source.trimEnd().split("\n").length).toBeLessThanOrEqual(40)
})

sandboxed(
  "a shop in plain JavaScript is paid by a second card, and ends with 0 on SIGTERM",
  function* () {
    const { child, exited, url } = yield* start("paid.db", yield* freePort)
    const { page, status } = yield* place(url)
    expect(status).toBe(201)
    yield* pay(page, "4000000000000002")
    yield* pay(page, "4242424242424242", "1")
    yield* untilState(url, "PAID")
    expect(yield* place(url, "teapot")).toMatchObject({ status: 502, code: "RequestConflict" })
    expect(yield* place(url, "gold", "18")).toMatchObject({
      status: 400,
      code: "ValidationFailed"
    })
    const [, paid] = yield* (yield* Gateway).transactions
    yield* (yield* Gateway).move(paid?.transactionId ?? "", "CHARGEBACK")
    yield* untilState(url, "DISPUTED")
    child.kill("SIGTERM")
    expect(yield* exited).toEqual({ code: 0, signal: null })
  }
)

sandboxed(
  "an order has one page although the shop was killed before the service answered",
  function* () {
    const faults = yield* Faults
    const { checkout, transactions } = yield* Gateway
    yield* faults.add({ endpoint: "POST /v1/payments/intent", fault: "delay" })
    const port = yield* freePort
    const first = yield* start("killed.db", port)
    yield* Effect.forkScoped(Effect.exit(place(first.url)))
    yield* checkout.intents.pipe(
      Effect.repeat({
        until: ({ length }) => length === 1,
        schedule: Schedule.spaced("20 millis")
      })
    )
    first.child.kill("SIGKILL")
    yield* first.exited
    yield* faults.clear
    // The lease of the killed process is over.
    const second = yield* start("killed.db", port, 31_000)
    const { page } = yield* place(second.url)
    yield* pay(page)
    yield* untilState(second.url, "PAID")
    expect(yield* checkout.intents).toHaveLength(1)
    expect(yield* transactions).toHaveLength(1)
  }
)

sandboxed("the laws of the specification hold for its receiver", function* () {
  const apiPort = yield* freePort
  const baseUrl = `http://127.0.0.1:${apiPort}/api`
  const { url } = yield* start("conform.db", yield* freePort, 0, { PAWL_BASE_URL: baseUrl })
  const conform = new URL("../../packages/sandbox/src/bin/pawl-conform.ts", import.meta.url)
  const args = `${url}/callback --api-port ${apiPort} --only specification --seed 1`
  const { code, stdout } = yield* Program.run(process.execPath, [
    conform.pathname,
    ...args.split(" ")
  ])
  expect(code).toBe(0)
  expect(stdout).toMatch(/✓/u)
  expect(stdout).not.toMatch(/✗/u)
})
