/** The client is strict about the operation's names and its status only. */
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import * as Memory from "./support/memory.ts"
import { find } from "./support/operations.ts"

const read = (name: string, body: string) => {
  const service = new Memory.Service({ answer: () => Memory.answer(200, body) })
  return find(name)
    .call({ requestId: "request-1" })
    .pipe(
      Effect.result,
      Memory.settled,
      Effect.provide(Memory.client(service)),
      Effect.flatMap((result) =>
        Effect.map(Metric.snapshot, (metrics) => ({
          result: Result.merge(result),
          requests: service.requests.length,
          fields: metrics
            .filter(({ id }) => id === "pawl.http.leniencies")
            .map(({ attributes }) => attributes?.["field"])
            .toSorted((a = "", b = "") => a.localeCompare(b))
        }))
      ),
      Memory.virtual
    )
}

const created = { transactionId: "100001", transactionStatus: "NEW" }
const json = JSON.stringify

describe("C29 a response is read", () => {
  it.each<[string, string, string, object, ReadonlyArray<string>]>([
    [
      "with numbers and nulls in the metadata",
      "ApmPayments.create",
      `{"transactionId":"100001","transactionStatus":"NEW","metadata":{"a":7,"b":null,"c":"x","d":10.00}}`,
      { ...created, metadata: { a: "7", c: "x", d: "10.00" } },
      ["metadata"]
    ],
    [
      "with members of unexpected kinds",
      "ApmPayments.create",
      json({ ...created, paymentType: ["APM"], apmResponseData: { qrData: {}, redirectUrl: "x" } }),
      { ...created, apmResponseData: { redirectUrl: "x" } },
      ["apmResponseData.qrData", "paymentType"]
    ],
    [
      "with nulls in the billing details and the order",
      "ApmPayouts.info",
      json({
        transactionId: "100001",
        transactionStatus: "NEW",
        billingDetails: { state: null, city: "Rome" },
        order: { title: null, orderId: 7 }
      }),
      {
        transactionId: "100001",
        transactionStatus: "NEW",
        billingDetails: { city: "Rome" },
        order: { orderId: "7" }
      },
      ["billingDetails.state", "order.orderId", "order.title"]
    ],
    [
      "after a pause",
      "Subscriptions.pause",
      json({
        subscriptionId: "700",
        status: "PAUSED",
        plan: { amount: 9.99, interval: null, frequency: null },
        billingDetails: { email: "a@b.c", state: null },
        failureCount: "2"
      }),
      {
        subscriptionId: "700",
        status: "PAUSED",
        plan: { amount: "9.99" },
        billingDetails: { email: "a@b.c" },
        failureCount: 2
      },
      ["billingDetails.state", "failureCount", "plan.amount", "plan.frequency", "plan.interval"]
    ]
  ])("%s, by %s", async (_, name, body, value, fields) => {
    const read_ = await read(name, body)
    expect(read_).toEqual({ result: value, requests: 1, fields })
  })

  it.each([
    ["ApmPayments.create", { transactionId: null }],
    ["CardPayouts.create", {}],
    ["ApmPayouts.create", { transactionId: "" }],
    ["Refunds.create", { refundId: null }],
    ["Subscriptions.create", { subscriptionId: null, transactionId: null }]
  ])("as a decline without an id, by %s", async (name, ids) => {
    const body = json({ ...ids, transactionStatus: "FAILED", declineCode: 51 })
    const { requests, result } = await read(name, body)
    expect(result).toMatchObject({ _tag: "Declined", requestId: "request-1", declineCode: 51 })
    expect(requests).toBe(1)
  })
})

describe("C29 a response is refused", () => {
  it.each([
    ["without an id", { transactionId: null, transactionStatus: "NEW" }],
    ["with an id that is no identifier", { transactionId: "a\nb", transactionStatus: "NEW" }],
    [
      "with a declined id that is no identifier",
      { transactionId: "a\nb", transactionStatus: "FAILED" }
    ],
    ["without a status", { transactionId: "100001", transactionStatus: null }],
    ["with a status that is a number", { transactionId: "100001", transactionStatus: 10 }]
  ])("%s, and its body is kept redacted", async (_, body) => {
    const { result } = await read("ApmPayments.create", json(body))
    expect(result).toMatchObject({
      _tag: "OutcomeUnknown",
      cause: { _tag: "UnexpectedResponse", status: 200 }
    })
    const { body: kept } = result as { readonly body: Redacted.Redacted }
    expect(Redacted.value(kept)).toBe(json(body))
    expect(String(result)).not.toContain("a\\nb")
  })

  it.each([
    ["[]", "its body is not as documented"],
    ['{"transactionId":"7"}', "its field transactionStatus is not as documented"],
    ["{", "its body cannot be read as JSON (syntax)"],
    ['{"a":1,"a":2}', "its body cannot be read as JSON (duplicate key)"]
  ])("with the body %s, because %s", async (body, reason) => {
    expect((await read("ApmPayments.create", body)).result).toMatchObject({ cause: { reason } })
  })
})
