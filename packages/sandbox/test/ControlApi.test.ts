import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { connect, type Socket } from "node:net"
import { assert, describe, expect, it } from "vitest"
import * as Gateway from "@pawl/testkit/Gateway"
import * as Sandbox from "../src/Sandbox.ts"
import { credentials, fields } from "@pawl/test-support/TestGateway"
import { createAt } from "./support/customer.ts"
import { listen } from "./support/events.ts"
import { address, api, control, list, pay, runWith, test } from "./support/sandbox.ts"
import { raw, receiver } from "./support/wire.ts"

const until = <R>(holds: Effect.Effect<boolean, never, R>) =>
  Effect.repeat(Effect.tap(holds, Effect.sleep("2 millis")), { until: (held) => held })

const deafListener = ({ host, port }: URL) =>
  new Promise<Socket>((resolve, reject) => {
    const socket = connect(Number(port), "127.0.0.1")
    socket.once("error", reject)
    socket.once("readable", () => resolve(socket))
    socket.pause()
    socket.write(`GET /sandbox/events HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
  })

const clock = (advance: string) => control("POST", "/clock", { advance })

describe("the clock", () => {
  test("is advanced only for the sandbox; the user of the sandbox keeps their own clock", function* () {
    const advanced = yield* clock("1 day")
    assert.closeTo(yield* Clock.currentTimeMillis, Date.now(), 1000)
    for (const { json } of [advanced, yield* control("GET", "/clock")]) {
      assert.strictEqual(json.advanced, 86_400_000)
      assert.closeTo(Date.parse(json.now) - Date.now(), json.advanced, 1000)
    }
  })

  test("takes any duration of Effect, and refuses any other text with the field name", function* () {
    for (const advance of ["0 millis", "1 second", "1.5 hours", "62 minutes", "2 weeks"]) {
      assert.strictEqual((yield* clock(advance)).status, 200, advance)
    }
    for (const advance of ["soon", "", "-1 minute", "Infinity", "62", "1 year", "99999 days"]) {
      const { json, status } = yield* clock(advance)
      assert.deepStrictEqual([status, ...fields(json)], [400, "advance"], advance)
    }
    for (const body of [
      {},
      { advance: 5 },
      { advance: null },
      { advance: "0 millis", by: 1 },
      []
    ]) {
      assert.strictEqual((yield* control("POST", "/clock", body)).status, 400)
    }
    assert.deepStrictEqual(fields((yield* control("POST", "/clock", "{")).json), ["body"])
  })
})

describe("a transaction", () => {
  it("gets a status that the next read returns, a callback states, and its scenario does not change", () =>
    runWith({ pace: "1 minute" }, function* () {
      const shop = yield* receiver(() => [200])
      const id = yield* pay({ callbackUrl: `${shop.url}/cb` })
      const moved = yield* control("POST", `/transactions/${id}/status`, {
        status: "FAILED",
        declineCode: 51
      })
      assert.strictEqual(moved.status, 200)
      assert.include(moved.json, { status: "FAILED", declineCode: 51, isOver: true })
      const read = yield* api("GET", `/v1/payments/apm/status/${id}`)
      assert.strictEqual(read.text, '"FAILED"')
      yield* clock("1 hour")
      expect(shop.received.map(({ body }) => body.transactionStatus)).toEqual(["NEW", "FAILED"])
      assert.strictEqual((yield* control("GET", `/transactions/${id}`)).json.status, "FAILED")
      yield* control("POST", `/transactions/${id}/status`, { status: "SUCCEED" })
      const again = (yield* control("GET", `/transactions/${id}`)).json
      assert.strictEqual(again.status, "SUCCEED")
      assert.notProperty(again, "declineCode")
    }))

  test("in FAILED without a declineCode gets the default one", function* () {
    const id = yield* pay()
    const { json } = yield* control("POST", `/transactions/${id}/status`, { status: "FAILED" })
    assert.strictEqual(json.declineCode, 5)
  })

  test("is not moved by an invalid request: 400 names the field, and an unknown id is 404", function* () {
    const id = yield* pay({ scenario: "stuck" })
    const path = `/transactions/${id}/status`
    for (const [body, field] of [
      [{}, "status"],
      [{ status: "PAID" }, "status"],
      [{ status: "succeed" }, "status"],
      [{ status: "FAILED", declineCode: "51" }, "declineCode"],
      [{ status: "SUCCEED", declineCode: 51 }, "declineCode"],
      [{ status: "FAILED", declinecode: 51 }, "declinecode"],
      ["not json", "body"],
      ["[]", "body"]
    ] as const) {
      const { json, status } = yield* control("POST", path, body)
      assert.deepStrictEqual([status, ...fields(json)], [400, field], JSON.stringify(body))
    }
    const unknown = yield* control("POST", "/transactions/7/status", { status: "SUCCEED" })
    assert.strictEqual(unknown.status, 404)
    assert.notInclude(
      ["FAILED", "SUCCEED"],
      (yield* control("GET", `/transactions/${id}`)).json.status
    )
  })
})

test("a delivery is resent once, unchanged, and the response is the attempt", function* () {
  let answer = 500
  const shop = yield* receiver(() => [answer])
  const id = yield* pay({ scenario: "decline:51", callbackUrl: `${shop.url}/cb?a=1` })
  yield* until(Effect.sync(() => shop.received.length === 2))
  answer = 204
  const { json, status } = yield* control("POST", "/deliveries/1/resend")
  assert.strictEqual(status, 200)
  assert.include(json, {
    transactionId: id,
    status: "NEW",
    attempt: 1,
    answer: 204,
    forged: false
  })
  assert.deepStrictEqual(shop.received[2]?.body, shop.received[0]?.body)
  assert.strictEqual(shop.received[2]?.path, shop.received[0]?.path)
  expect(shop.received[2]?.headers["x-checksum"]).toBe(shop.received[0]?.headers["x-checksum"])
  assert.include((yield* list("/deliveries")).at(-1), json)
  assert.strictEqual((yield* control("POST", "/deliveries/99/resend")).status, 404)
})

test("lists at most 500 requests, newest first, without their content", function* () {
  const id = yield* pay({ requestId: "r-first", callbackUrl: undefined })
  yield* api("GET", `/v1/payments/apm/status/${id}?secret=canary`)
  const latest = yield* list("/requests")
  const login = { method: "POST", path: "/api/v1/auth", status: 200 }
  const expected = [
    {
      method: "GET",
      path: `/api/v1/payments/apm/status/${id}`,
      status: 200,
      transactionId: id
    },
    login,
    {
      method: "POST",
      path: "/api/v1/payments/apm",
      status: 200,
      requestId: "r-first",
      transactionId: id
    },
    login
  ]
  const own = { at: expect.any(String), id: expect.any(String) }
  expect(latest).toStrictEqual(expected.map((request) => ({ ...request, ...own })))
  assert.notInclude(JSON.stringify(latest), "sandbox-secret")
  yield* Effect.forEach(Array.from({ length: 300 }), () => api("GET", "/v1/nothing"), {
    discard: true,
    concurrency: 8
  })
  assert.lengthOf(yield* list("/requests"), 500)
})

describe("the events", () => {
  test("contain every change, with the item as its list shows it, numbered", function* () {
    const shop = yield* receiver(() => [200])
    const { events, first, headers } = yield* listen
    assert.strictEqual(headers.get("content-type"), "text/event-stream")
    const id = yield* pay({ callbackUrl: `${shop.url}/cb` })
    yield* first(({ item, name }) => name === "delivery" && item.status === "SUCCEED")
    yield* control("POST", "/faults", { endpoint: "POST /v1/auth", fault: "delay", rate: 0.1 })
    yield* clock("1 minute")
    const faults: { readonly item: unknown } = yield* first(({ name }) => name === "faults")
    assert.deepStrictEqual(faults.item, yield* list("/faults"))
    yield* first(({ name }) => name === "clock")
    const latest = (name: string) => events.findLast((event) => event.name === name)?.item
    expect(latest("transaction")).toStrictEqual((yield* control("GET", `/transactions/${id}`)).json)
    assert.deepStrictEqual(latest("delivery"), (yield* list("/deliveries")).at(-1))
    assert.deepStrictEqual(latest("request"), (yield* list("/requests"))[0])
    assert.deepStrictEqual(
      events.filter(({ name }) => name === "transaction").map(({ item }) => item.status),
      ["NEW", "PENDING", "PROCESSING", "SUCCEED"]
    )
    yield* control("POST", "/reset")
    yield* first(({ name }) => name === "reset")
    assert.deepStrictEqual(
      events.map(({ id }) => id),
      events.map((_, at) => (events[0]?.id ?? 0) + at)
    )
  })

  test("X06: a hundred listeners that never read delay nothing", function* () {
    const url = yield* address
    const shop = yield* receiver(() => [200])
    const deaf = Array.from({ length: 100 }, () =>
      Effect.acquireRelease(
        Effect.promise(() => deafListener(url)),
        (socket) => Effect.sync(() => socket.destroy())
      )
    )
    yield* Effect.all(deaf, { concurrency: 100, discard: true })
    for (let at = 0; at < 20; at++) {
      yield* pay({ requestId: `r-${at}`, callbackUrl: `${shop.url}/cb` })
    }
    yield* clock("1 minute")
    assert.lengthOf(shop.received, 80)
  })
})

describe("access", () => {
  it("D07: a sandbox that other machines can reach does not start without a token", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        for (const host of ["0.0.0.0", "::", "192.0.2.1", "shop.example"]) {
          const failed = yield* Effect.flip(Layer.build(Sandbox.layer({ host })))
          assert.strictEqual(failed._tag, "Unguarded")
          assert.include(failed.message, "token")
        }
      }).pipe(Effect.scoped)
    ))

  it("D07: with a token, only its bearer controls the sandbox, under any host name", () =>
    runWith({ host: "0.0.0.0", token: Redacted.make("t0ken") }, function* () {
      const url = `http://127.0.0.1:${(yield* address).port}`
      const headers = { host: "sandbox.internal:4010" }
      const ask = (path: string, authorization?: string) =>
        raw(`${url}${path}`, {
          headers: authorization === undefined ? headers : { ...headers, authorization }
        })
      for (const path of ["/transactions", "/events", "/nothing"]) {
        for (const wrong of [undefined, "Bearer", "Bearer t0ke", "Bearer t0kenn", "Basic t0ken"]) {
          assert.strictEqual(yield* ask(`/sandbox${path}`, wrong), 401)
        }
      }
      assert.strictEqual(yield* ask("/sandbox/transactions", "Bearer t0ken"), 200)
      assert.strictEqual(
        yield* raw(`${url}/sandbox/transactions`, {
          headers: { ...headers, authorization: "Bearer t0ken", origin: "https://shop.example" }
        }),
        403
      )
    }))

  test("A36: the API answers no name that may have been made to resolve to this machine", function* () {
    const { href, port } = yield* address
    const body = JSON.stringify(credentials)
    const ask = (host: string) =>
      raw(
        `${href}/v1/auth`,
        { method: "POST", headers: { host, "content-type": "application/json" } },
        body
      )
    for (const host of [
      `evil.example:${port}`,
      "evil.example",
      "127.0.0.1.evil.example",
      "x@127.0.0.1"
    ]) {
      assert.strictEqual(yield* ask(host), 403)
    }
    for (const host of [`127.0.0.1:${port}`, `LOCALHOST:${port}`, "[::1]"]) {
      assert.strictEqual(yield* ask(host), 200)
    }
  })
})

test("lists an intent with its pages and transactions, without data of the customer", function* () {
  const { baseUrl } = yield* Sandbox.Sandbox
  const { checkout } = yield* Gateway.Gateway
  yield* createAt("/payments/intent", {
    amount: undefined,
    order: { orderId: "o-1", title: "Tea", name: "Ada Lovelace" },
    device: { ip: "192.0.2.7" },
    metadata: { cart: "7" }
  })
  const [intent] = yield* checkout.intents
  const { createdTime, expiresTime, intentId: id = "" } = intent ?? {}
  const listed = {
    intentId: id,
    type: "PAYMENT",
    status: "open",
    redirectUrl: baseUrl.replace("/api", `/pay/${id}`),
    iframeUrl: baseUrl.replace("/api", `/pay/${id}?frame=1`),
    requestId: "r-1",
    mid: "m-1",
    amount: "",
    currency: "EUR",
    orderId: "o-1",
    title: "Tea",
    metadata: { cart: "7" },
    callbackUrl: "http://127.0.0.1:4020/callback",
    createdTime,
    expiresTime,
    transactionIds: []
  }
  expect(yield* list("/intents")).toEqual([listed])
  yield* checkout.submit(id, { act: "amount", attempts: "0", amount: "3" })
  yield* checkout.submit(id, { act: "cancel", attempts: "0" })
  const cancelled = { ...listed, amount: "3", status: "cancelled", transactionIds: ["100001"] }
  expect(yield* list("/intents")).toEqual([cancelled])
  yield* control("POST", "/reset")
  expect(yield* list("/intents")).toEqual([])
})
