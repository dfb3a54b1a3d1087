import * as Effect from "effect/Effect"
import { createConnection } from "node:net"
import { assert, describe } from "vitest"
import * as Gateway from "@pawl/testkit/Gateway"
import * as Sandbox from "@pawl/sandbox/Sandbox"
import { credentials, fields, payment } from "@pawl/test-support/TestGateway"
import { address, api, control, list, pay, test } from "./support/sandbox.ts"
import { get } from "./support/wire.ts"

const endpoint = "POST /v1/payments/apm"

const exchange = Effect.fnUntraced(function* (path: string, body: string, token: string) {
  const { hostname, port } = yield* address
  return yield* Effect.promise(
    () =>
      new Promise<{ readonly text: string; readonly error: string | undefined }>((resolve) => {
        let text = ""
        let error: string | undefined
        const socket = createConnection(Number(port), hostname)
        socket.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
        socket.on("error", (reason: NodeJS.ErrnoException) => (error = reason.code))
        socket.on("close", () => resolve({ text, error }))
        socket.end(
          `POST /api${path} HTTP/1.1\r\nHost: ${hostname}\r\nConnection: close\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
        )
      })
  )
})

const transactions = Effect.flatMap(Gateway.Gateway, (gateway) => gateway.transactions)

describe("a fault", () => {
  const expectations = [
    ["500", /^HTTP\/1\.1 500 [^]*\r\n\r\n\{"message":"[^"]+"\}$/u, undefined, 0],
    ["503", /^HTTP\/1\.1 503 [^]*\r\nretry-after: 1\r\n/iu, undefined, 0],
    ["401", /^HTTP\/1\.1 401 /u, undefined, 0],
    ["content-type", /^HTTP\/1\.1 200 [^]*\r\ncontent-type: text\/html\r\n[^]*\}$/iu, undefined, 1],
    [
      "truncate",
      /^HTTP\/1\.1 200 [^]*content-length: \d+[^]*\r\n\r\n\{"requestId"[^}]*$/iu,
      undefined,
      1
    ],
    ["reset-before", /^$/u, "ECONNRESET", 0],
    ["reset-after", /^$/u, "ECONNRESET", 1]
  ] as const
  for (const [fault, text, error, processed] of expectations) {
    test(`"${fault}" is what its line of the table says, and the request is ${processed ? "" : "not "}processed`, function* () {
      const { baseUrl } = yield* Sandbox.Sandbox
      const login = yield* api("POST", "/v1/auth", credentials)
      const { accessToken } = login.json as { readonly accessToken: string }
      const added: unknown = yield* control("POST", "/faults", { endpoint, fault, times: 1 })
      assert.deepStrictEqual(added, { status: 200, json: [{ endpoint, fault, times: 1 }] })
      const body = JSON.stringify(payment())
      const faulted = yield* exchange("/v1/payments/apm", body, accessToken)
      assert.match(faulted.text, text)
      assert.strictEqual(faulted.error, error)
      if (fault === "truncate") {
        const [head = "", half = ""] = faulted.text.split("\r\n\r\n")
        const length = Number(/content-length: (\d+)/iu.exec(head)?.[1])
        assert.strictEqual(half.length, Math.floor(length / 2))
      }
      assert.lengthOf(yield* transactions, processed)
      assert.deepStrictEqual(yield* list("/faults"), [])
      const again = yield* exchange("/v1/payments/apm", body, accessToken)
      assert.match(again.text, /^HTTP\/1\.1 200 /u)
      assert.lengthOf(yield* transactions, 1)
      const [, last] = yield* list("/requests")
      assert.strictEqual(last?.fault, fault)
      assert.strictEqual((yield* get(`${baseUrl}/v1/nothing`)).status, 401)
    })
  }

  test("strikes only its endpoint, for any path parameter", function* () {
    const id = yield* pay()
    const read = "GET /v1/payments/apm/status/{id}"
    const { json }: { readonly json: unknown } = yield* control("POST", "/faults", {
      endpoint: "get  /api/v1/payments/apm/status/:anything",
      fault: "500"
    })
    assert.deepStrictEqual(json, [{ endpoint: read, fault: "500" }])
    assert.strictEqual((yield* api("GET", `/v1/payments/apm/status/${id}`)).status, 500)
    assert.strictEqual((yield* api("GET", `/v1/payouts/apm/status/${id}`)).status, 404)
    assert.strictEqual((yield* control("DELETE", "/faults")).status, 204)
    assert.strictEqual((yield* api("GET", `/v1/payments/apm/status/${id}`)).status, 200)
    yield* control("POST", "/faults", { endpoint: "*", fault: "503", times: 1 })
    yield* control("POST", "/faults", { endpoint: "*", fault: "500" })
    const login = `${(yield* Sandbox.Sandbox).baseUrl}/v1/auth`
    assert.strictEqual((yield* get(login)).status, 503)
    assert.strictEqual((yield* get(login)).status, 500)
  })

  test("that is invalid is 400 with the field name", function* () {
    for (const [over, field] of [
      [{ endpoint: undefined }, "endpoint"],
      [{ endpoint: "POST /v1/payments/apmm" }, "endpoint"],
      [{ endpoint: "/v1/payments/apm" }, "endpoint"],
      [{ endpoint: "GET /v1/payments/apm" }, "endpoint"],
      [{ fault: "502" }, "fault"],
      [{ fault: undefined }, "fault"],
      [{ rate: 0 }, "rate"],
      [{ rate: 1.1 }, "rate"],
      [{ rate: "0.5" }, "rate"],
      [{ times: 0 }, "times"],
      [{ times: 1.5 }, "times"],
      // The fault would never end.
      [{ tmes: 1 }, "tmes"]
    ] as const) {
      const { json, status } = yield* control("POST", "/faults", {
        endpoint,
        fault: "500",
        ...over
      })
      assert.deepStrictEqual([status, ...fields(json)], [400, field], JSON.stringify(over))
    }
    assert.deepStrictEqual(yield* list("/faults"), [])
  })
})
