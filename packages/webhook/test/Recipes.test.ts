import { describe, expect, it } from "@effect/vitest"
import { live as test } from "@pawl/test-support/Tests"
import { serve } from "@pawl/test-support/Listener"
import * as Effect from "effect/Effect"
import express from "express"
import { Hono } from "hono"
import { readFile } from "node:fs/promises"
import * as NodeReceiver from "../src/NodeReceiver.ts"
import * as WebReceiver from "../src/WebReceiver.ts"
import { post, callbackRequest, makeReceiver } from "./doors.ts"

/** A callback whose JSON text changes when it is parsed and printed. */
const spelled = `{ "mid":"mid-1", "orderAmount":10.00, "orderCurrency":"EUR", "transactionId":100001,\n "transactionStatus":"SUCCEED" }`

const { body, headers, search } = callbackRequest()

const expectTaken = (
  send: (init: RequestInit) => Response | Promise<Response>,
  callbacks: () => Promise<number>
) =>
  Effect.promise(async () => {
    const statusOf = async (changes?: RequestInit) =>
      (await send({ method: "POST", headers, body, ...changes })).status
    expect(await statusOf()).toBe(200)
    expect(await statusOf({ body: spelled })).toBe(200)
    expect(await statusOf({ headers: { ...headers, "x-checksum": "AAAA" } })).toBe(401)
    const refused = await send({})
    expect([refused.status, refused.headers.get("allow")]).toEqual([405, "POST"])
    expect(await callbacks()).toBe(2)
  })

const sendTo = (port: number) => (init: RequestInit) =>
  fetch(`http://127.0.0.1:${port}/callback${search}`, init)

describe("a receiver", () => {
  test("runs on the server of Node", function* () {
    const { callbacks, layer } = makeReceiver()
    const { dispose, listener, start } = NodeReceiver.toListener(layer)
    yield* Effect.promise(async () => {
      await start()
    })
    const server = NodeReceiver.createServer(listener)
    const port = yield* serve(server)
    yield* expectTaken(sendTo(port), callbacks)
    yield* Effect.promise(dispose)
  })

  test("runs in Express before express.json()", function* () {
    const { callbacks, layer } = makeReceiver()
    const { dispose, listener } = NodeReceiver.toListener(layer)
    const app = express()
    app.all("/callback", listener)
    app.use(express.json())
    app.post("/orders", (request, response) => void response.json(request.body))
    const port = yield* serve(app)
    yield* expectTaken(sendTo(port), callbacks)
    const order = yield* Effect.promise(() =>
      fetch(`http://127.0.0.1:${port}/orders`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: '{"a":1}'
      }).then((response) => response.json())
    )
    expect(order).toEqual({ a: 1 })
    yield* Effect.promise(dispose)
  })

  test("reads the kind in the path of a callback, which Express takes away at a mount", function* () {
    const { layer, namesPayout } = makeReceiver()
    const { dispose, listener } = NodeReceiver.toListener(layer)
    const port = yield* serve(express().use("/callback/payouts", listener))
    yield* Effect.promise(() => post(`http://127.0.0.1:${port}/callback/payouts`))
    expect(yield* Effect.promise(() => namesPayout())).toBe(true)
    yield* Effect.promise(dispose)
  })

  test("responds 500 and stores nothing when Express has read the body before", function* () {
    const { callbacks, layer } = makeReceiver()
    const { dispose, listener } = NodeReceiver.toListener(layer)
    const app = express()
    app.use(express.json())
    app.all("/callback", listener)
    const port = yield* serve(app)
    const { status } = yield* Effect.promise(() => post(`http://127.0.0.1:${port}/callback`))
    expect(status).toBe(500)
    expect(yield* Effect.promise(() => callbacks())).toBe(0)
    yield* Effect.promise(dispose)
  })

  test("runs in Hono", function* () {
    const { callbacks, layer } = makeReceiver()
    const { dispose, handler } = WebReceiver.toHandler(layer)
    const app = new Hono()
    app.all("/callback", (context) => handler(context.req.raw))
    yield* expectTaken((init) => app.request(`/callback${search}`, init), callbacks)
    yield* Effect.promise(dispose)
  })

  test("runs as the fetch handler of a worker", function* () {
    const { callbacks, layer } = makeReceiver()
    const { dispose, handler } = WebReceiver.toHandler(layer)
    const worker = { fetch: handler }
    const url = `https://shop.example/callback${search}`
    yield* expectTaken((init) => worker.fetch(new Request(url, init)), callbacks)
    yield* Effect.promise(dispose)
  })
})

it("the recipes of the README equal these, line by line", async () => {
  const lines = async (url: URL) =>
    (await readFile(url, "utf8")).split("\n").map((line) => line.trim())
  const tested = new Set(await lines(new URL(import.meta.url)))
  const readme = (await lines(new URL("../README.md", import.meta.url))).join("\n")
  const recipes = Array.from(readme.matchAll(/^```js\n(.*?)^```$/gmsu), ([, code = ""]) => code)
  expect(recipes).toHaveLength(4)
  for (const line of recipes.join("").split("\n")) {
    if (line !== "") expect(tested).toContain(line)
  }
})

it("the web door needs no module of Node", async () => {
  const seen = new Set<string>()
  const visit = async (url: URL): Promise<void> => {
    if (seen.has(url.href)) return
    seen.add(url.href)
    const source = await readFile(url, "utf8")
    expect(source).not.toMatch(/^(?! \*).*from "node:/mu)
    const relative = Array.from(
      source.matchAll(/from "(\.{1,2}\/[^"]+)"/gu),
      ([, path = ""]) => path
    )
    await Promise.all(relative.map((path) => visit(new URL(path, url))))
  }
  await visit(new URL("../src/WebReceiver.ts", import.meta.url))
  expect(seen.size).toBeGreaterThan(5)
})
