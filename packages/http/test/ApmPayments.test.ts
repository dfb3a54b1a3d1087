import * as Layer from "effect/Layer"
import type { Switches } from "@pawl/core/Profile"
import type { ApmPaymentInput } from "@pawl/core/ApmPayment"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { createHmac } from "node:crypto"
import { describe, expect, it } from "vitest"
import * as ApmPayments from "../src/ApmPayments.ts"
import * as Memory from "./support/memory.ts"

const create = (service: Memory.Service, input: ApmPaymentInput, profile: Partial<Switches> = {}) =>
  ApmPayments.ApmPayments.use((payments) => Effect.result(payments.create(input))).pipe(
    Memory.settled,
    Effect.provide(Layer.provide(Memory.client(service), Memory.profile(profile))),
    Memory.virtual
  )

const sent = (service: Memory.Service) => JSON.parse(service.requests[0]?.body ?? "null")

const { requestId: _, ...anonymous } = Memory.payment

const failure = <A, E>(result: Result.Result<A, E>): E => {
  if (Result.isSuccess(result)) throw new Error("expected a failure")
  return result.failure
}

describe("create", () => {
  it("sends the fields of the input, with the checksum over the same text", () =>
    fc.assert(
      fc.asyncProperty(
        fc.record({
          requestId: fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/u),
          accountId: fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/u),
          amount: fc.stringMatching(/^(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{1,2})?$/u),
          currency: fc.stringMatching(/^[A-Z]{3}$/u),
          metadata: fc.dictionary(fc.string(), fc.string()),
          apmPayload: fc.constant({ paymentMethod: "QR", bank: { id: 7 } })
        }),
        async (input) => {
          const service = new Memory.Service()
          await create(service, input)
          const { checksum, ...fields } = sent(service)
          expect(fields).toEqual(input)
          expect(checksum).toBe(
            createHmac("sha256", "secret-canary-93ad")
              .update(
                [fields.accountId, fields.requestId, fields.amount, fields.currency].join("|")
              )
              .digest("hex")
          )
        }
      )
    ))

  it("joins the fields of the checksum with Profile.requestChecksumSeparator", async () => {
    const service = new Memory.Service()
    await create(service, Memory.payment, { requestChecksumSeparator: "" })
    expect(sent(service).checksum).toBe(
      createHmac("sha256", "secret-canary-93ad").update("1001order-110.50EUR").digest("hex")
    )
  })

  it("makes a new UUIDv7 requestId for each call, and sends it in every attempt", async () => {
    const made = new Set<string>()
    for (let n = 0; n < 20; n++) {
      const service = new Memory.Service({ faults: ["reset after", "500 before"] })
      const response = Result.getOrThrow(await create(service, anonymous))
      expect(response.requestId).toMatch(
        /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u
      )
      expect(
        new Set(service.requests.map(({ body }) => JSON.parse(body ?? "").requestId)).size
      ).toBe(1)
      made.add(response.requestId ?? "")
    }
    expect(made.size).toBe(20)
  })

  it("returns undocumented fields of the response", async () => {
    const known = { transactionId: "12345678", transactionStatus: "CUSTOMER_VERIFICATION" }
    const redirectUrl = "https://bank.example"
    const novelty = [1, { a: null }]
    const late = { b: true }
    const answer = { ...known, apmResponseData: { redirectUrl, novelty }, late, unknownFields: 1 }
    const service = new Memory.Service({ answer: () => Memory.answer(200, answer) })
    expect(Result.getOrThrow(await create(service, Memory.payment))).toEqual({
      ...known,
      apmResponseData: { redirectUrl, unknownFields: { novelty } },
      unknownFields: { late, unknownFields: 1 }
    })
  })

  it("has no member for undocumented fields if the response has none", async () => {
    const service = new Memory.Service()
    expect(Result.getOrThrow(await create(service, Memory.payment))).not.toHaveProperty(
      "unknownFields"
    )
  })

  it("keeps every digit of an id, as text or as a number", async () => {
    const ids = {
      '"007"': "007",
      '"1e3"': "1e3",
      "12345678901234567890": "12345678901234567890",
      // Above 2^53, String writes these with all digits.
      "9007199254740992": "9007199254740992",
      "10000000000000000000": "10000000000000000000",
      "7": "7"
    }
    for (const [wire, read] of Object.entries(ids)) {
      const body = `{"transactionId":${wire},"transactionStatus":"NEW"}`
      const service = new Memory.Service({ answer: () => Memory.answer(200, body) })
      expect(Result.getOrThrow(await create(service, Memory.payment)).transactionId).toBe(read)
    }
  })

  it("fails with Declined, which has the whole response, when the status is FAILED", async () => {
    const answer = {
      requestId: "order-1",
      transactionId: "7",
      transactionStatus: "FAILED",
      declineCode: 51,
      declineSubReason: "FUNDS"
    }
    const declined = async (extra: object) => {
      const service = new Memory.Service({
        answer: () => Memory.answer(200, { ...answer, ...extra })
      })
      return failure(await create(service, Memory.payment))
    }
    const { transactionStatus: _status, ...named } = answer
    expect(await declined({})).toMatchObject({ ...named, _tag: "Declined", response: answer })
    expect(await declined({ requestId: undefined })).toMatchObject({ requestId: "order-1" })
    expect((await declined({ declineCode: null, declineSubReason: null })).message).toContain(
      "without a decline code"
    )
  })

  it("reports all invalid fields by path and without values, before it sends anything", async () => {
    const service = new Memory.Service()
    const error = failure(
      await create(service, {
        ...Memory.payment,
        requestId: "a|b",
        amount: "10.505",
        currency: "eur",
        callbackUrl: "shop.example",
        billingDetails: { ssn: 4711 as never }
      })
    )
    if (error._tag !== "ValidationFailed") throw new Error(error._tag)
    expect(error.sent).toBe(false)
    expect(error.fields.map(({ path }) => path).toSorted()).toEqual([
      "amount",
      "billingDetails.ssn",
      "callbackUrl",
      "currency",
      "requestId"
    ])
    for (const value of ["a|b", "10.505", "eur", "shop.example", "4711"]) {
      expect(error.message).not.toContain(value)
    }
    expect(service.auths.length + service.requests.length).toBe(0)
  })
})

describe("status", () => {
  it("returns the status of the service, also one that is not documented", async () => {
    for (const text of ["SUCCEED", "CHARGEBACK", "ON_HOLD"]) {
      const service = new Memory.Service({ answer: () => Memory.status(text) })
      const status = await Memory.virtual(
        Effect.provide(
          ApmPayments.ApmPayments.use((payments) => payments.status("7")),
          Memory.client(service)
        )
      )
      expect(status).toBe(text)
      expect(service.requests[0]).toMatchObject({ method: "GET", body: undefined })
    }
  })
})
