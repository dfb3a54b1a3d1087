/**
 * Every endpoint of the contract, over a real socket.
 */
import { Api } from "@pawl/http/Api"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpApi from "effect/http-api/HttpApi"
import * as Stream from "effect/Stream"
import { assert, it } from "vitest"
import * as Courier from "../src/Courier.ts"
import * as Sandbox from "../src/Sandbox.ts"
import { credentials } from "./support/bench.ts"
import { body } from "./support/creates.ts"
import { call, receiver } from "./support/wire.ts"

/** The requests in an order that has each find what it needs, with what is expected in the answer. */
const requests: ReadonlyArray<readonly [line: string, status: number, expected: RegExp]> = [
  ["POST /payments/apm", 200, /"transactionId":"100001"/u],
  ["GET /payments/apm/status/100001", 200, /^"[A-Z]+"$/u],
  ["POST /payouts/apm", 200, /"transactionId":"100002"/u],
  ["GET /payouts/apm/info/100002", 200, /"accountId":77,/u],
  ["GET /payouts/apm/status/100002", 200, /^"[A-Z]+"$/u],
  ["POST /payments/card", 200, /"paymentType":"CARD"/u],
  ["GET /payments/card/status/100003", 200, /^"[A-Z]+"$/u],
  ["POST /payments/card/tokenize", 200, /"cardToken":"card-token-1"/u],
  ["POST /payments/card/charge", 200, /"transactionId":"100004"/u],
  ["POST /payouts/card", 200, /"transactionId":"100005"/u],
  ["GET /payouts/card/info/100005", 200, /"cardMask":"424242\*{6}4242",.*"totalAmount":10\.50,/u],
  ["GET /payouts/card/status/100005", 200, /^"[A-Z]+"$/u],
  ["POST /refunds/card", 200, /"refundId":"100006"/u],
  ["GET /refunds/card/info/100006", 200, /"transactionId":"100003","refundId":"100006"/u],
  ["GET /refunds/card/status/100006", 200, /^"[A-Z]+"$/u],
  ["POST /payments/intent", 200, /"errorCode":"PAGE_UNAVAILABLE"/u],
  ["POST /payments/card/recurring", 200, /"subscriptionId":"100007"/u],
  ["GET /payments/card/recurring/100007", 200, /"status":"ACTIVE"/u],
  ["PUT /payments/card/recurring/100007", 200, /"status":"PAUSED"/u],
  ["DELETE /payments/card/recurring/100007", 204, /^$/u]
]

it("every endpoint of the contract is there, and answers a client that only speaks HTTP", () =>
  Effect.gen(function* () {
    const shop = yield* receiver(() => [200])
    const { baseUrl } = yield* Sandbox.Sandbox
    const { changes } = yield* Courier.Courier
    const { text } = yield* call("POST", `${baseUrl}/v1/auth`, { body: credentials })
    const token = (JSON.parse(text) as { readonly accessToken: string }).accessToken
    const paid = yield* changes.pipe(
      Stream.filter(
        ({ status, transactionId }) => status === "SUCCEED" && transactionId === "100003"
      ),
      Stream.runHead,
      Effect.forkChild({ startImmediately: true })
    )
    const asked = new Set<string>(["POST /api/v1/auth"])
    for (const [line, status, expected] of requests) {
      const [method = "", path = ""] = line.split(" ")
      const given = { cardToken: "card-token-1", paymentId: 100_003 }
      const callbackUrl = `${shop.url}${path}`
      const answer = yield* call(method, `${baseUrl}/v1${path}`, {
        token,
        ...(method === "POST" ? { body: body(path, given, { callbackUrl }) } : {}),
        ...(method === "PUT" ? { body: { status: "PAUSED" } } : {})
      })
      assert.strictEqual(answer.status, status, `${line}: ${answer.text}`)
      assert.match(answer.text, expected, line)
      asked.add(`${method} /api/v1${path}`)
      // What comes next is its refund.
      if (path === "/payouts/card/status/100005") yield* Fiber.join(paid)
    }
    HttpApi.reflect(Api, {
      onGroup: () => {},
      onEndpoint: ({ endpoint }) => {
        const path = endpoint.path.replaceAll(/:\w+/gu, "[^/]+")
        const pattern = new RegExp(`^${endpoint.method} ${path}$`, "u")
        assert.isTrue(
          [...asked].some((line) => pattern.test(line)),
          endpoint.identifier
        )
      }
    })
    for (const { path } of shop.received) {
      const [own = "", query] = path.split("?")
      assert.strictEqual(
        query,
        own.endsWith("/apm") ? "paymentMethod=apm&apmType=WALLET" : "paymentMethod=card"
      )
    }
  }).pipe(Effect.provide(Sandbox.layer({ pace: "50 millis" })), Effect.scoped, Effect.runPromise))
