import * as NextAction from "@pawl/core/NextAction"
import * as Result from "effect/Result"
import { expect, it } from "vitest"
import * as Memory from "./support/memory.ts"
import * as Operations from "./support/operations.ts"

const { call } = Operations.find("PaymentIntents.create")
const url = "https://shop.example"
const page = { redirectUrl: `${url}/pay`, iframeUrl: `${url}/frame` }

const create = (answer: object) =>
  Memory.run(Memory.answering(Memory.answer(200, answer)), call({ requestId: "request-1" }))

it.each([null, undefined, "", "0", "000", "OK", "ok"])(
  "returns the page where the customer pays, with the error code %j",
  async (errorCode) => {
    const created = Result.getOrThrow(await create({ ...page, errorCode }))
    expect(created).toMatchObject(page)
    expect(NextAction.of(created as never)).toEqual({
      _tag: "Redirect",
      url: page.redirectUrl,
      iframeUrl: page.iframeUrl
    })
  }
)

it.each([
  { errorCode: "0" },
  { errorCode: "OK" },
  { errorCode: "LIMIT_EXCEEDED" },
  { errorCode: "LIMIT_EXCEEDED", redirectUrl: page.redirectUrl },
  { errorCode: "LIMIT_EXCEEDED", redirectUrl: null, iframeUrl: null }
])("fails with IntentRejected after %j", async (answer) => {
  expect(Result.merge(await create(answer))).toMatchObject({
    _tag: "IntentRejected",
    errorCode: answer.errorCode,
    requestId: "request-1",
    isRetryable: false,
    message: `Intent request-1 was rejected with error code ${answer.errorCode}`
  })
})

it.each([{}, { errorCode: null }, { iframeUrl: page.iframeUrl, redirectUrl: null }])(
  "fails with OutcomeUnknown after %j, which has neither a page nor an error code",
  async (answer) => {
    expect(Result.merge(await create(answer))).toMatchObject({
      _tag: "OutcomeUnknown",
      requestId: "request-1",
      cause: { _tag: "UnexpectedResponse", status: 200 }
    })
  }
)

it.each([
  ["ApmPayments.create", { transactionStatus: "FAILED" }, "declineSubReason"],
  ["ApmPayouts.create", { transactionStatus: "FAILED" }, "declineSubReason"],
  ["PaymentIntents.create", {}, "errorCode"]
])("A34: the reason in the error of %s quotes no secret", async (name, answer, field) => {
  const service = new Memory.Service({
    answer: ({ body = "", headers }) => {
      const { checksum = "" } = JSON.parse(body)
      const reason = `E-100 request-1 ${checksum} ${headers["authorization"]}`
      return Memory.answer(200, { transactionId: "7", ...answer, [field]: reason })
    }
  })
  const error = await Memory.failureOf(
    service,
    Operations.find(name).call({ requestId: "request-1" })
  )
  expect(error).toHaveProperty(field, expect.stringMatching(/^E-100 request-1 …? ?Bearer …$/u))
})

it.each(["BANK_TRANSFER_REJECTED", "BANK_TRANSFER_05", "bank-transfer-rejected"])(
  "a reason in code keeps the words that the request has too: %s",
  async (code) => {
    const service = Memory.answering(
      Memory.answer(200, { transactionStatus: "FAILED", declineSubReason: code })
    )
    const payment = { apmPayload: { paymentMethod: "BANK_TRANSFER", type: "bank-transfer" } }
    const { call } = Operations.find("ApmPayments.create")
    expect(
      await Memory.failureOf(service, call({ requestId: "request-1", ...payment }))
    ).toHaveProperty("declineSubReason", code)
  }
)
