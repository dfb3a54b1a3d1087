import { Unreachable } from "@pawl/core/PaymentsError"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import * as ResponseIds from "../src/internal/wire/Response.ts"
import * as Memory from "./support/memory.ts"
import { operations } from "./support/operations.ts"

const find = (name: string) => {
  const operation = operations.find((each) => each.name === name)
  if (operation === undefined) throw new Error("no such operation")
  return operation
}

const call = (name: string, service: Memory.Service) =>
  find(name)
    .call({ requestId: "request-1" })
    .pipe(Effect.result, Memory.settled, Effect.provide(Memory.client(service)), Memory.virtual)

const answering = (body: object) => new Memory.Service({ answer: () => Memory.answer(200, body) })

describe("C35 a response to another request", () => {
  it.each(
    operations.filter(({ kind, name }) => kind === "create" && name !== "PaymentIntents.create")
  )("is not the result of $name", async ({ answer, name }) => {
    const service = answering({ ...JSON.parse(answer), requestId: "request-2" })
    expect(await call(name, service)).toMatchObject({
      failure: { _tag: "OutcomeUnknown", cause: { _tag: "UnexpectedResponse", status: 200 } }
    })
  })

  it.each([
    ["ApmPayouts.info", "transactionId"],
    ["CardPayouts.info", "transactionId"],
    ["Refunds.info", "refundId"],
    ["Subscriptions.get", "subscriptionId"],
    ["Subscriptions.pause", "subscriptionId"],
    ["Subscriptions.update", "subscriptionId"]
  ])("is refused by %s", async (name, id) => {
    const service = answering({ ...JSON.parse(find(name).answer), [id]: "999" })
    expect(await call(name, service)).toMatchObject({
      failure: { _tag: "UnexpectedResponse", status: 200 }
    })
  })

  it.each(operations.filter(({ kind }) => kind === "create"))(
    "to $name is its own if it names the same request",
    async ({ answer, name }) => {
      const service = answering({ ...JSON.parse(answer), requestId: "request-1" })
      expect(Result.isSuccess(await call(name, service))).toBe(true)
      expect(service.requests.length).toBe(1)
    }
  )

  it("is followed by a retry, which gets the right one", async () => {
    const service = new Memory.Service({
      answer: (_, n) =>
        Memory.answer(200, {
          transactionId: String(n),
          transactionStatus: "NEW",
          requestId: n === 1 ? "request-2" : "request-1"
        })
    })
    expect(await call("ApmPayments.create", service)).toMatchObject({
      success: { transactionId: "2" }
    })
  })

  it("is not one whose requestId is written in another case", async () => {
    const service = answering({
      transactionId: "7",
      transactionStatus: "NEW",
      requestId: "REQUEST-1"
    })
    expect(Result.isSuccess(await call("ApmPayments.create", service))).toBe(true)
  })

  it("cannot be told where the response names no request", async () => {
    const service = answering({ transactionId: "7", transactionStatus: "NEW", requestId: null })
    expect(Result.isSuccess(await call("ApmPayments.create", service))).toBe(true)
  })
})

it("C35 a response without fields is that of any request", () => {
  for (const response of [null, undefined, "NEW", 7]) {
    expect(ResponseIds.areOwn(response, { operation: "create", requestId: "request-1" })).toBe(true)
  }
})

describe("C36 a request that surely never left", () => {
  it.each(operations)("is sent again: $name", async ({ answer, method, name }) => {
    const service = new Memory.Service({
      answer: (_, n) =>
        n === 1
          ? Effect.fail(new Unreachable({ reason: "refused", sent: false, attempts: 1 }))
          : Memory.answer(method === "DELETE" ? 204 : 200, answer)
    })
    expect(Result.isSuccess(await call(name, service))).toBe(true)
    expect(service.requests.length).toBe(2)
  })

  it("is the only kind of failed PUT that is sent again", async () => {
    const service = new Memory.Service({
      answer: () =>
        Effect.fail(
          new Unreachable({ reason: "the connection was reset", sent: true, attempts: 1 })
        )
    })
    expect(await call("Subscriptions.pause", service)).toMatchObject({
      failure: { _tag: "Unreachable", sent: true }
    })
    expect(service.requests.length).toBe(1)
  })
})

it("C36 a DELETE is sent again after 429, not before Retry-After", async () => {
  const service = new Memory.Service({
    answer: (_, n) =>
      n === 1 ? Memory.answer(429, "", { "retry-after": "2" }) : Memory.answer(204, "")
  })
  expect(Result.isSuccess(await call("Subscriptions.cancel", service))).toBe(true)
  expect(service.requests.length).toBe(2)
})

it("C38 the waits of many clients for one Retry-After differ", async () => {
  const waits = new Set<number>()
  for (let n = 0; n < 10; n++) {
    const times: Array<number> = []
    const service = new Memory.Service({
      answer: (_, n) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          times.push(now)
          return n === 1 ? Memory.answer(503, "", { "retry-after": "5" }) : Memory.status("NEW")
        })
    })
    await call("ApmPayments.status", service)
    const [first = 0, second = 0] = times
    expect(second - first).toBeGreaterThanOrEqual(5000)
    expect(second - first).toBeLessThanOrEqual(6001)
    waits.add(second - first)
  }
  expect(waits.size).toBeGreaterThan(3)
})
