import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import * as ResponseIds from "../src/internal/wire/Response.ts"
import * as Memory from "./support/memory.ts"
import { creates, find, operations } from "./support/operations.ts"

const call = (name: string, service: Memory.Service) =>
  Memory.run(service, find(name).call({ requestId: "request-1" }))

const answering = (body: object) => Memory.answering(Memory.answer(200, body))

describe("C35 a response to another request", () => {
  it.each(creates.filter(({ name }) => name !== "PaymentIntents.create"))(
    "is not the result of $name",
    async ({ answer, name }) => {
      for (const requestId of ["request-2", 2]) {
        const service = answering({ ...JSON.parse(answer), requestId })
        expect(await call(name, service)).toMatchObject({
          failure: { _tag: "OutcomeUnknown", cause: { _tag: "UnexpectedResponse", status: 200 } }
        })
      }
    }
  )

  it.each([
    ["ApmPayouts.info", "transactionId"],
    ["CardPayouts.info", "transactionId"],
    ["Refunds.info", "refundId"],
    ["Subscriptions.get", "subscriptionId"],
    ["Subscriptions.pause", "subscriptionId"],
    ["Subscriptions.update", "subscriptionId"],
    ["Subscriptions.cancel", "subscriptionId"]
  ])("is refused by %s", async (name, id) => {
    const service = answering({ ...JSON.parse(find(name).answer || "{}"), [id]: "999" })
    expect(await call(name, service)).toMatchObject({
      failure: { _tag: "UnexpectedResponse", status: 200 }
    })
  })

  it.each(operations.filter(({ name }) => name.endsWith(".status")))(
    "is refused by $name, also if its id is a number",
    async ({ name }) => {
      const id = name.startsWith("Refunds") ? "refundId" : "transactionId"
      for (const other of ["999", 999]) {
        const service = answering({ [id]: other, transactionStatus: "SUCCEED" })
        expect(await call(name, service)).toMatchObject({
          failure: { _tag: "UnexpectedResponse", status: 200 }
        })
      }
      for (const own of ["100001", 100_001, null])
        expect(
          Result.merge(await call(name, answering({ [id]: own, transactionStatus: "SUCCEED" })))
        ).toBe("SUCCEED")
    }
  )

  it.each(creates)("to $name is its own if it names the same request", async ({ answer, name }) => {
    for (const requestId of ["request-1", "REQUEST-1", null]) {
      const service = answering({ ...JSON.parse(answer), requestId })
      expect(Result.isSuccess(await call(name, service))).toBe(true)
      expect(service.requests.length).toBe(1)
    }
  })

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
})

it("C35 a response without fields is that of any request", () => {
  for (const response of [null, undefined, "NEW", 7]) {
    expect(ResponseIds.areOwn(response, { operation: "create", requestId: "request-1" })).toBe(true)
  }
})
