import { Api } from "@pawl/sandbox/internal/contract/Api"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Stream from "effect/Stream"
import { assert, it } from "vitest"
import * as Courier from "@pawl/testkit/Courier"
import * as Faults from "@pawl/testkit/Faults"
import * as Gateway from "@pawl/testkit/Gateway"
import * as Sandbox from "../src/Sandbox.ts"
import { credentials, payment } from "@pawl/test-support/TestGateway"
import { address, api, runWith, test } from "./support/sandbox.ts"
import { get, post, raw, receiver } from "./support/wire.ts"

const pay = Effect.fnUntraced(function* (over: Parameters<typeof payment>[0], attempts: number) {
  const { changes } = yield* Courier.Courier
  const made = yield* changes.pipe(
    Stream.take(attempts),
    Stream.runCollect,
    Effect.forkChild({ startImmediately: true })
  )
  const created = yield* api("POST", "/v1/payments/apm", payment(over))
  assert.strictEqual(created.status, 200)
  return [...(yield* Fiber.join(made))]
})

test("lists a transaction and its deliveries as they happened, and posts no trace header", function* () {
  const shop = yield* receiver(() => [200])
  const { baseUrl } = yield* Sandbox.Sandbox
  const log = yield* pay({ callbackUrl: `${shop.url}/cb?t=1` }, 4)
  assert.deepStrictEqual(
    log.map(({ answer, attempt, forged, status }) => [status, answer, attempt, forged]),
    ["NEW", "PENDING", "PROCESSING", "SUCCEED"].map((status) => [status, 200, 1, false])
  )
  for (const { headers } of shop.received) assert.notProperty(headers, "traceparent")
  const truth = yield* (yield* Gateway.Gateway).transaction("100001")
  const listed = (path: string) => get(baseUrl.replace("/api", `/sandbox${path}`))
  const expected = JSON.parse(JSON.stringify(truth))
  assert.deepStrictEqual((yield* listed("/transactions")).json, [expected])
  assert.deepStrictEqual((yield* listed("/transactions/100001")).json, expected)
  assert.deepStrictEqual((yield* listed("/deliveries")).json, log)
  assert.strictEqual((yield* listed("/transactions/7")).status, 404)
})

it("an undefined setting keeps its default: the pages are those of the sandbox, and the readings hold", () =>
  runWith(
    { pageUrl: undefined, behaviour: undefined, readings: { metadata: "left out" } },
    function* () {
      const { baseUrl } = yield* Sandbox.Sandbox
      const request = payment({ metadata: { order: "7" } })
      const { text } = yield* api("POST", "/v1/payments/apm", request)
      assert.include(text, `"redirectUrl":"${baseUrl.replace("/api", "/apm/")}`)
      assert.notInclude(text, "metadata")
    }
  ))

test("A37: text with a lone surrogate is 400 and names its field, in whatever place it is", function* () {
  const bad = "a\ud800"
  const bodies: ReadonlyArray<readonly [field: string, over: object]> = [
    ["requestId", { requestId: bad }],
    ["accountId", { accountId: bad }],
    ["metadata.order", { metadata: { order: bad } }],
    ["metadata", { metadata: { [bad]: "1" } }],
    ["callbackUrl", { callbackUrl: `http://127.0.0.1:9/${bad}` }],
    ["apmPayload.paymentMethod", { apmPayload: { paymentMethod: bad } }],
    ["apmPayload.list.0", { apmPayload: { paymentMethod: "WALLET", list: [bad] } }]
  ]
  for (const [field, over] of bodies) {
    const body = { ...payment({ requestId: `r-${field}` }), ...over }
    const { json, status } = yield* api("POST", "/v1/payments/apm", body)
    assert.strictEqual(status, 400, field)
    assert.deepNestedInclude(json, { "errors[0].field": field })
  }
  const first = yield* api("POST", "/v1/auth", { ...credentials, merchantKey: bad })
  assert.strictEqual(first.status, 400)
  const whole = payment({ requestId: "r-pair" })
  const pair = { ...whole, metadata: { ...whole.metadata, order: "a😀" } }
  assert.strictEqual((yield* api("POST", "/v1/payments/apm", pair)).status, 200)
})

test("a redirect is not followed and does not count as a delivery", function* () {
  const shop = yield* receiver((path) =>
    path.startsWith("/cb") ? [Number(path.slice(3, 6)), "/elsewhere"] : [200]
  )
  for (const status of [301, 302, 303, 307, 308]) {
    const over = {
      requestId: `r-${status}`,
      scenario: "stuck",
      callbackUrl: `${shop.url}/cb${status}`
    }
    const log = yield* pay(over, 3)
    assert.deepStrictEqual([...new Set(log.map(({ answer }) => answer))], [status])
  }
  assert.isEmpty(shop.received.filter(({ path }) => path.startsWith("/elsewhere")))
})

test("a port without a listener is logged as unreachable", function* () {
  const { url } = yield* Effect.scoped(receiver(() => [200]))
  const log = yield* pay({ scenario: "stuck", callbackUrl: `${url}/cb` }, 3)
  assert.deepStrictEqual([...new Set(log.map(({ answer }) => answer))], ["unreachable"])
})

test("a request may name the host before its path", function* () {
  const { href, origin } = yield* address
  for (const [path, status] of [
    ["/api/v1/payments/apm/status/1", 401],
    ["/sandbox/transactions", 200],
    ["/apis", 404]
  ] as const) {
    assert.strictEqual(yield* raw(href, { path: `${origin}${path}` }), status)
  }
})

it("a request still open when the sandbox stops ends with its connection", () =>
  Effect.runPromise(
    Effect.gen(function* () {
      const waiting = yield* Effect.gen(function* () {
        const { baseUrl } = yield* Sandbox.Sandbox
        const faults = yield* Faults.Faults
        yield* faults.add({ endpoint: "*", fault: "delay", times: 1 })
        const waiting = yield* Effect.forkDetach(
          Effect.exit(post(`${baseUrl}/v1/auth`, credentials))
        )
        while ((yield* faults.list).length > 0) yield* Effect.sleep("1 millis")
        return waiting
      }).pipe(Effect.provide(Sandbox.layer()))
      assert.isTrue(Exit.isFailure(yield* Fiber.join(waiting)))
    })
  ))

test("serves the contract at /openapi.json", function* () {
  const { baseUrl } = yield* Sandbox.Sandbox
  const { json } = yield* get(baseUrl.replace("/api", "/openapi.json"))
  assert.deepStrictEqual(json, JSON.parse(JSON.stringify(OpenApi.fromApi(Api))))
})

test("D05: serves /sandbox to this machine; other hosts and other sites get 403", function* () {
  const { host, origin } = yield* address
  const expected = [
    [{}, true],
    [{ host: "localhost:1234" }, true],
    [{ host: "[::1]:1234" }, true],
    [{ origin }, true],
    [{ host: "shop.example" }, false],
    [{ host: "127.0.0.1.shop.example" }, false],
    [{ host: "LOCALHOST" }, true],
    [{ host: "shop@127.0.0.1" }, false],
    [{ host: "127.0.0.1/" }, false],
    [{ host: "127.0.0.1 shop" }, false],
    [{ origin: "https://shop.example" }, false],
    [{ origin: `https://${host}` }, false],
    [{ origin: "http://127.0.0.1:1" }, false],
    [{ origin: "null" }, false],
    [{ "sec-fetch-site": "cross-site" }, false],
    [{ host: "shop.example", origin: "http://shop.example" }, false]
  ] as const
  for (const [headers, isServed] of expected) {
    for (const [method, path, status] of [
      ["GET", "/sandbox/transactions", 200],
      ["GET", "/sandbox/transactions/1", 404],
      ["GET", "/sandbox/deliveries", 200],
      ["POST", "/sandbox/reset", 204],
      ["GET", "/sandbox/nothing", 404]
    ] as const) {
      assert.strictEqual(
        yield* raw(`${origin}${path}`, { method, headers }),
        isServed ? status : 403,
        `${JSON.stringify(headers)} ${path}`
      )
    }
  }
})
