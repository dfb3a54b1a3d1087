import { Faults } from "@pawl/testkit/Faults"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Schedule from "effect/Schedule"
import { readFile } from "node:fs/promises"
import { expect, it } from "vitest"
import { start, sandboxed } from "./processes.ts"

const order = (url: string, body: object) =>
  HttpClientRequest.post(`${url}/orders`).pipe(
    HttpClientRequest.bodyJsonUnsafe(body),
    HttpClient.execute,
    Effect.flatMap(({ json, status }) => Effect.map(json, (body) => ({ status, body })))
  )

const untilPaid = (url: string, orderId: string) =>
  HttpClient.get(`${url}/orders/${orderId}`).pipe(
    Effect.flatMap(({ text }) => text),
    Effect.repeat({
      until: (text) => text === `{"orderId":"${orderId}","status":"SUCCEED"}`,
      schedule: Schedule.spaced("50 millis")
    })
  )

sandboxed("takes a payment and reports its final status", function* () {
  const url = yield* start("express.ts", /^ready (\S+)$/mu, { SHOP_FILE: ":memory:" })
  expect(yield* order(url, { orderId: "17", item: "tea" })).toEqual({
    status: 201,
    body: { orderId: "17", status: "NEW" }
  })
  yield* untilPaid(url, "17")
})

sandboxed("reports a final status that arrives before the response to the create", function* () {
  const { add } = yield* Faults
  yield* add({ endpoint: "POST /v1/payments/apm", fault: "delay" })
  const url = yield* start("express.ts", /^ready (\S+)$/mu, { SHOP_FILE: ":memory:" })
  yield* Effect.forkScoped(order(url, { orderId: "17", item: "tea" }))
  yield* untilPaid(url, "17")
})

sandboxed("reports an invalid order, and refuses a callback with a wrong checksum", function* () {
  const url = yield* start("express.ts", /^ready (\S+)$/mu, { SHOP_FILE: ":memory:" })
  const { body, status } = yield* order(url, { orderId: "17", item: "gold" })
  expect(status).toBe(400)
  expect(JSON.stringify(body)).toContain("item")
  const forged = yield* HttpClientRequest.post(`${url}/callback?paymentMethod=apm`).pipe(
    HttpClientRequest.setHeader("x-checksum", "bm90IHRoZSBzZWNyZXQgYnV0IGEgZ29vZCB0cnkhISE="),
    HttpClientRequest.bodyJsonUnsafe({
      transactionId: "100001",
      transactionStatus: "SUCCEED",
      accountId: "4711",
      amount: "10.00",
      currency: "EUR"
    }),
    HttpClient.execute
  )
  expect(forged.status).toBe(401)
})

it("imports nothing of Effect in the app", async () => {
  const source = await readFile(new URL("../src/express.ts", import.meta.url), "utf8")
  const imported = Array.from(source.matchAll(/ from "([^"]+)"/g), ([, from]) => from)
  expect(imported).toEqual(["express", "node:net", "./express/payments.ts"])
})
