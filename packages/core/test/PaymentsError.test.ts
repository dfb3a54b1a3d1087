import * as PaymentsError from "@pawl/core/PaymentsError"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { inspect } from "node:util"
import { describe, expect, it } from "vitest"

const received = { status: 409, serviceRequestId: "service-1" }
const response = { ...received, body: Redacted.make("body-canary") }
const fields = [{ path: "amount", message: "too small" }]
const ids = { transactionId: "7", refundId: "8", subscriptionId: "9" }
const refused = new PaymentsError.NotFound(response)

const made = <Given extends object, E>(
  Class: new (given: Given) => E,
  given: Given,
  isRetryable: boolean
) => [new Class(given), given, isRetryable] as const

const reset = { reason: "the connection was reset", sent: true, attempts: 2 }
const doubt = { requestId: "order-1", cause: refused, refusal: refused, ...response }

const errors: ReadonlyArray<readonly [error: PaymentsError.CreateError, given: object, boolean]> = [
  made(PaymentsError.Unauthorized, { sent: true, ...response }, false),
  made(PaymentsError.ValidationFailed, { sent: true, fields, ...response }, false),
  made(PaymentsError.NotFound, response, false),
  made(PaymentsError.ServiceFailed, { ...response, attempts: 2, fields }, true),
  made(PaymentsError.RateLimited, { ...response, attempts: 2, retryAfter: 0.5 }, true),
  made(PaymentsError.Unreachable, reset, true),
  made(
    PaymentsError.UnexpectedResponse,
    { ...response, reason: "it is a redirect", fields },
    false
  ),
  made(PaymentsError.OutcomeUnknown, doubt, true)
]

const declined = {
  requestId: "order-1",
  ...ids,
  declineCode: 51,
  declineSubReason: "limit",
  response: { transactionStatus: "FAILED" },
  ...received
}

const rejected = { requestId: "order-1", errorCode: "LIMIT", ...received }

const all = [
  ...errors,
  made(PaymentsError.Declined, declined, false),
  made(PaymentsError.IntentRejected, rejected, false)
]

describe.each(all)("%s", (error, given, isRetryable) => {
  it("has every field that it was made with", () => {
    for (const [name, value] of Object.entries(given))
      expect([name, Reflect.get(error, name)]).toEqual([name, value])
  })

  it("tells whether the same call can succeed later", () => {
    expect(error.isRetryable).toBe(isRetryable)
  })

  it("is printed with its name and its message, and without the body", () => {
    expect(String(error)).toBe(`${error.name}: ${error.message}`)
    expect(inspect(error)).toContain(`${error.name}: ${error.message}`)
    expect(inspect(error)).not.toContain("canary")
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({ message: error.message })
  })
})

it("each error has its own tag, name and code", () => {
  const tags = all.map(([error]) => [error._tag, error.name, error.code])
  expect(tags).toEqual(
    [
      "Unauthorized",
      "ValidationFailed",
      "NotFound",
      "ServiceFailed",
      "RateLimited",
      "Unreachable",
      "UnexpectedResponse",
      "OutcomeUnknown",
      "Declined",
      "IntentRejected"
    ].map((tag) => [tag, tag, tag])
  )
})

it("a doubt has any error of a read as its cause and as its refusal", () => {
  for (const [cause] of errors) {
    if (cause._tag === "OutcomeUnknown" || cause._tag === "Declined") continue
    const error = new PaymentsError.OutcomeUnknown({ requestId: "1", cause, refusal: cause })
    expect([error.cause, error.refusal]).toEqual([cause, cause])
  }
})

it.each([
  [PaymentsError.ServiceFailed, { _tag: "ServiceFailed", attempts: 1 }],
  [PaymentsError.UnexpectedResponse, { _tag: "UnexpectedResponse", reason: "it is a redirect" }]
])("an error about a response has its status", (schema, fields) => {
  const decode = Schema.decodeUnknownExit<Schema.Codec<unknown, unknown>>(schema)
  expect(decode({ ...fields, status: 500 })._tag).toBe("Success")
  expect(decode(fields)._tag).toBe("Failure")
})

describe("a message", () => {
  it("of a decline has the first of its ids and its code", () => {
    const message = (given: Partial<typeof declined>) =>
      new PaymentsError.Declined({ ...given, response: {} }).message
    expect(message(ids)).toBe("Transaction 7 was declined without a decline code")
    expect(message({ refundId: "8", subscriptionId: "9", declineCode: 0 })).toBe(
      "Transaction 8 was declined with decline code 0"
    )
    expect(message({ subscriptionId: "9" })).toContain("Transaction 9 was")
    expect(message({})).toContain("Transaction without an id was")
  })

  it("of a decline or a rejection has no character of the service that a terminal obeys", () => {
    const errorCode = "7\u001b\u202e\u2028x"
    const { message } = new PaymentsError.IntentRejected({ requestId: "order-17", errorCode })
    expect(message).toBe("Intent order-17 was rejected with error code 7 x")
    const declined = new PaymentsError.Declined({ transactionId: errorCode, response: {} })
    expect(declined.message).toBe("Transaction 7 x was declined without a decline code")
  })

  it("of a refusal tells who refused, and names each field", () => {
    const message = (sent: boolean) =>
      new PaymentsError.ValidationFailed({
        sent,
        fields: [...fields, { path: "", message: "no" }]
      }).message
    expect(message(true)).toBe("The service refused the request; amount: too small; no")
    expect(message(false)).toBe("The request was refused before sending; amount: too small; no")
    expect(new PaymentsError.Unauthorized({ sent: true }).message).toMatch(
      /^The service refused the operation/u
    )
    expect(new PaymentsError.Unauthorized({ sent: false }).message).toContain("was not sent")
  })

  it("of a failure has the reasons of the service", () => {
    const failure = (given: { readonly attempts: number; readonly fields?: typeof fields }) =>
      new PaymentsError.ServiceFailed({ status: 503, ...given }).message
    expect(failure({ attempts: 4 })).toBe("The service failed with 503 after 4 attempts")
    expect(failure({ attempts: 1 })).toBe("The service failed with 503 after 1 attempt")
    expect(
      new PaymentsError.Unreachable({ reason: "reset", sent: true, attempts: 1 }).message
    ).toBe("The service could not be reached (reset) after 1 attempt")
    expect(failure({ attempts: 4, fields })).toBe(
      "The service failed with 503 after 4 attempts; amount: too small"
    )
    const reason = "that status is not documented"
    expect(new PaymentsError.UnexpectedResponse({ status: 418, reason, fields }).message).toBe(
      "The service answered 418, but that status is not documented; amount: too small"
    )
  })

  it("of a limit has the wait, if the service asks for one", () => {
    const message = "The service limits the rate of calls"
    expect(new PaymentsError.RateLimited({ attempts: 1 }).message).toBe(message)
    expect(new PaymentsError.RateLimited({ attempts: 1, retryAfter: 0 }).message).toBe(
      `${message}: call again in 0 ms`
    )
  })

  it("of a doubt has its cause, and the refusal that did not end it", () => {
    const [cause, refusal] = [new PaymentsError.NotFound({}), new PaymentsError.NotFound({})]
    const message = (given: object) =>
      new PaymentsError.OutcomeUnknown({ requestId: "order-1", cause, ...given }).message
    expect(message({})).toMatch(/^Request order-1 .*The service does not know this resource$/u)
    expect(message({ refusal })).toBe(
      `${message({})}; then: The service does not know this resource`
    )
    // The first refusal is the doubt itself.
    expect(message({ refusal: cause })).toBe(message({}))
    expect(message({ refusal, refusals: 3 })).toMatch(
      /: 3 calls with this requestId were refused, so ask the service/u
    )
  })
})
