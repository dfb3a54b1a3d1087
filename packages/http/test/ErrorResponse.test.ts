import { forAll } from "@pawl/test-support/Properties"
import * as Redacted from "effect/Redacted"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as ErrorResponse from "../src/internal/wire/ErrorResponse.ts"
import type { Request, Response } from "../src/Transport.ts"
import * as Memory from "./support/memory.ts"

const request: Request = {
  method: "POST",
  url: "https://payments.example/api/v1/payments/card",
  headers: { authorization: "Bearer token-canary-77e0" },
  body: JSON.stringify({
    requestId: "order-1",
    card: { number: "4929813274650194", holder: "number", city: "amount" },
    amount: "10.50",
    count: 12_345
  })
}

const reasonsOf = (body: unknown, sent: Request = request) => {
  const error = ErrorResponse.toError(sent, Memory.respond(400, body), 1, undefined)
  if (error._tag !== "ValidationFailed") throw new Error(error._tag)
  return error.fields
}

const reason = (message: string, path = "") => ({ path, message })

const fault = reason("too small", "amount")

describe("the reasons of a refusal", () => {
  it.each([
    "errors",
    "fieldErrors",
    "validationErrors",
    "fields",
    "fieldViolations",
    "violations",
    "issues",
    "details",
    "detail",
    "invalid-params"
  ])("are read from the list or the map %s", (name) => {
    const entry = { field: "amount", message: "too small" }
    expect(reasonsOf({ title: "Bad", [name]: [entry] })).toEqual([fault])
    expect(reasonsOf({ title: "Bad", [name]: { amount: "too small" } })).toEqual([fault])
    expect(reasonsOf({ errors: [{ title: "Bad", [name]: [entry] }] })).toEqual([fault])
  })

  it.each([
    "field",
    "fieldName",
    "path",
    "name",
    "pointer",
    "param",
    "property",
    "propertyPath",
    "loc"
  ])("name their field by the member %s", (name) => {
    expect(reasonsOf({ errors: [{ [name]: "amount", message: "too small" }] })).toEqual([fault])
  })

  it.each([
    "message",
    "msg",
    "defaultMessage",
    "detail",
    "reason",
    "description",
    "title",
    "error",
    "issue"
  ])("have the text of the member %s", (name) => {
    expect(reasonsOf({ errors: [{ field: "amount", [name]: "too small" }] })).toEqual([fault])
  })

  it("are those of the first list, and of its first member of each kind", () => {
    const entry = { path: "other", field: "amount", title: "Bad", message: "too small" }
    const body = { details: [{ field: "mid", message: "unknown" }], errors: [entry] }
    expect(reasonsOf(body)).toEqual([fault])
    const empty = { field: "", path: "amount", message: "", detail: "too small" }
    expect(reasonsOf({ errors: [empty] })).toEqual([fault])
  })

  it.each([
    [
      "Google",
      {
        code: 400,
        message: "Request contains an invalid argument.",
        status: "INVALID_ARGUMENT",
        details: [
          {
            "@type": "type.googleapis.com/google.rpc.BadRequest",
            fieldViolations: [{ field: "amount", description: "too small" }]
          }
        ]
      },
      fault
    ],
    [
      "Spring",
      { status: 400, error: "Bad Request", message: "no", path: "/api/v1/payments/apm" },
      reason("no")
    ],
    [
      "FastAPI",
      { detail: [{ loc: ["body", "amount"], msg: "too small", type: "greater_than" }] },
      reason("too small", "body.amount")
    ],
    ["Django", { amount: ["too small"] }, fault],
    ["a map alone", { amount: "too small" }, fault]
  ])("are those in the body of %s", (_, body, expected) => {
    expect(reasonsOf(body)).toEqual([expected])
  })

  it("are no members of a payment that comes with another status than 400", () => {
    const body = { transactionId: "7", cardToken: "c4n4ry" }
    const error = ErrorResponse.toError(request, Memory.respond(500, body), 1, undefined)
    expect(error).not.toHaveProperty("fields")
  })

  it("are found in time linear in the depth of a body", () => {
    let body: unknown = 7
    for (let depth = 0; depth < 31; depth++) body = { errors: [body] }
    expect(reasonsOf(body)).toEqual([])
  })

  it("have texts only", () => {
    for (const text of [{ toString: 7 }, { code: 7 }]) {
      expect(reasonsOf({ detail: [text] })).toEqual([])
      expect(reasonsOf({ loc: [text], field: 7, msg: "no" })).toEqual([reason("no")])
    }
  })

  it("are the text of the body for each of its names of fields", () => {
    expect(reasonsOf({ message: "too small", fields: ["amount"] })).toEqual([fault])
  })

  it("are each field of a map, though one is named as a member of an error", () => {
    const order = { orderId: "7", title: "", name: "" }
    const sent = { ...request, body: JSON.stringify({ amount: "1", reason: "", order }) }
    for (const path of ["reason", "title", "name"]) {
      const map = { [path]: "must not be blank", amount: "too small" }
      const expected = [reason("must not be blank", path), fault]
      expect(reasonsOf(map, sent)).toEqual(expected)
      expect(reasonsOf({ error: map }, sent)).toEqual(expected)
      const error = ErrorResponse.toError(sent, Memory.respond(500, map), 1, undefined)
      expect(error).toMatchObject({ fields: [{}] })
    }
    // RFC 9457, and the text of one fault.
    const entry = { name: "amount", reason: "too small" }
    expect(reasonsOf({ "invalid-params": [entry] }, sent)).toEqual([fault])
    const refund = { requestId: "order-1", transactionId: 100001, reason: "" }
    const { transactionId } = refund
    for (const echo of [
      {},
      { requestId: "order-1" },
      { transactionId },
      { transactionId: "100001" }
    ]) {
      expect(
        reasonsOf({ ...echo, reason: "no" }, { ...sent, body: JSON.stringify(refund) })
      ).toEqual([reason("no")])
    }
  })

  it("have no control characters", () => {
    expect(reasonsOf({ message: "refused\n\u001b[31m" })).toEqual([reason("refused [31m")])
    expect(reasonsOf({ message: "10\u202e\u2066\u202801" })).toEqual([reason("10 01")])
  })

  it("may be in the one error of the body", () => {
    const error = { param: "amount", message: "too small", code: "invalid" }
    expect(reasonsOf({ error })).toEqual([fault])
  })

  it("may be a field without a text, or a text without a field", () => {
    expect(reasonsOf({ errors: [{ field: "amount" }] })).toEqual([reason("refused", "amount")])
    expect(reasonsOf({ errors: ["too small", ["unknown"]] })).toEqual([
      reason("too small"),
      reason("unknown")
    ])
  })

  it("have the segments of a path, and not the path of the request", () => {
    expect(reasonsOf({ errors: [{ path: ["plan", "amount"], message: "too small" }] })).toEqual([
      reason("too small", "plan.amount")
    ])
    const path = "/api/v1/payments/card"
    expect(reasonsOf({ errors: { amount: { path, message: "too small" } } })).toEqual([fault])
    const other = { path: "/amount/api/", message: "too small" }
    expect(reasonsOf({ errors: [other] })).toEqual([other])
  })

  it("are the text of the body where its list has none", () => {
    for (const errors of [[], [null, 7, {}, { code: 7 }]]) {
      expect(reasonsOf({ errors, message: "no" })).toEqual([reason("no")])
    }
    expect(reasonsOf({ errors: [null, { field: "amount", message: "too small" }] })).toEqual([
      fault
    ])
  })

  it("A34 B04 have neither a value of the request nor its token, but its names", () => {
    const message =
      "the number 4929 8132 7465 0194 of order-1, amount 10.50, count 12345, token-canary-77e0"
    expect(reasonsOf({ message })).toEqual([reason("the number … of …, amount …, count …, …")])
    expect(reasonsOf({ errors: { "order-1": "no" } })).toEqual([reason("no", "…")])
  })

  it("A34 B04 have no value of a request of any size and depth, or are none", () => {
    const deep = (depth: number) => '{"i":'.repeat(depth) + "1" + "}".repeat(depth)
    const many = JSON.stringify(Array.from({ length: 1001 }, (_, n) => n))
    const message = "the number 4929813274650194"
    for (const [rest, expected] of [
      [many, [reason("the number …")]],
      [deep(65), [reason("the number …")]],
      [deep(100_000), []]
    ] as const) {
      const body = `{"number":"4929813274650194","rest":${rest}}`
      expect(reasonsOf({ message }, { ...request, body })).toEqual(expected)
    }
  })

  it("of a request without a token and a body are kept", () => {
    const { method, url } = request
    const message = "no Bearer token of order-1"
    expect(reasonsOf({ message }, { method, url, headers: {}, body: undefined })).toEqual([
      reason(message)
    ])
  })
})

describe("an error", () => {
  const redirected = "redirects are not followed"
  const undocumented = "that status is not documented"

  it.each([
    [300, { _tag: "UnexpectedResponse", reason: redirected }],
    [399, { _tag: "UnexpectedResponse", reason: redirected }],
    [400, { _tag: "ValidationFailed", sent: true }],
    [401, { _tag: "Unauthorized", sent: true }],
    [402, { _tag: "UnexpectedResponse", reason: undocumented }],
    [403, { _tag: "UnexpectedResponse" }],
    [404, { _tag: "NotFound" }],
    [408, { _tag: "ServiceFailed", attempts: 3 }],
    [409, { _tag: "UnexpectedResponse" }],
    [425, { _tag: "ServiceFailed", attempts: 3 }],
    [426, { _tag: "UnexpectedResponse" }],
    [429, { _tag: "RateLimited", attempts: 3 }],
    [499, { _tag: "UnexpectedResponse", reason: undocumented }],
    [500, { _tag: "ServiceFailed", attempts: 3 }],
    [503, { _tag: "ServiceFailed", attempts: 3 }]
  ])("B04 of the status %i has its parts, its reasons, and its body redacted", (status, parts) => {
    const read = (body: unknown) => {
      const response = Memory.respond(status, body, { "request-id": "service-1" })
      return ErrorResponse.toError(request, response, 3, undefined)
    }
    const error = read("body-canary")
    expect(error).toMatchObject({ ...parts, status, serviceRequestId: "service-1" })
    expect(`${Reflect.get(error, "body")}`).toBe("<redacted:body>")
    if (parts._tag !== "ValidationFailed") expect(error).not.toHaveProperty("fields")
    const hasReasons = ["UnexpectedResponse", "ServiceFailed", "ValidationFailed"]
    if (hasReasons.includes(parts._tag))
      expect(read({ errors: { amount: "too small" } })).toMatchObject({ fields: [fault] })
  })

  it("has short reasons only, and every body as it came, redacted", () =>
    forAll([fc.oneof(fc.json(), fc.string(), fc.constant("<html>"))], (body) => {
      const error = ErrorResponse.toError(request, Memory.respond(400, body), 1, undefined)
      if (error._tag !== "ValidationFailed" || error.body === undefined) throw new Error("no")
      expect(Redacted.value(error.body)).toBe(
        new TextDecoder().decode(new TextEncoder().encode(body))
      )
      for (const { message, path } of error.fields)
        expect(Math.max(message.length, path.length)).toBeLessThanOrEqual(200)
    }))

  it("has at most 50 reasons of at most 200 characters", () => {
    const errors = Array.from({ length: 51 }, () => ({
      field: "a".repeat(201),
      message: "b".repeat(201)
    }))
    const longest = reason("b".repeat(200), "a".repeat(200))
    expect(reasonsOf({ errors })).toEqual(Array.from({ length: 50 }, () => longest))
  })
})

describe("the service's own id of a request", () => {
  const idOf = (headers: Response["headers"]) =>
    ErrorResponse.receivedOf(Memory.respond(500, "", headers))

  it.each([
    "x-request-id",
    "request-id",
    "x-correlation-id",
    "x-amzn-requestid",
    "x-amzn-trace-id",
    "x-trace-id",
    "cf-ray"
  ])("is read from the header %s", (name) => {
    expect(idOf({ [name]: "service-1" })).toEqual({ status: 500, serviceRequestId: "service-1" })
  })

  it("is that of the first header that can be printed", () => {
    const headers = { "cf-ray": "ray-1", "x-trace-id": "trace-1", "request-id": "service-1" }
    expect(idOf(headers).serviceRequestId).toBe("service-1")
    for (const text of ["", " service-1", "service-1 ", "service 1", "é", "a".repeat(129)]) {
      expect(idOf({ ...headers, "request-id": text }).serviceRequestId).toBe("trace-1")
    }
    expect(idOf({ "request-id": "a".repeat(128) }).serviceRequestId).toBe("a".repeat(128))
    expect(idOf({})).toEqual({ status: 500 })
  })
})

describe("A34: the service's own id of the request", () => {
  const idOf = (id: string) => {
    const response = { ...Memory.respond(500, ""), headers: { "x-request-id": id } }
    ErrorResponse.keepRequest(response, request)
    return ErrorResponse.receivedOf(response).serviceRequestId
  }

  it("is left out if it has a value of the request", () => {
    for (const id of [
      "4929813274650194",
      "r-4929-8132-7465-0194",
      "%34%39%32%39%38%31%33%32%37%34%36%35%30%31%39%34",
      Buffer.from("r=4929813274650194").toString("base64"),
      "r-token-canary-77e0"
    ]) {
      expect(idOf(id)).toBeUndefined()
    }
  })

  it("may have the requestId", () => {
    for (const id of ["order-1", "edge/order-1", "0190d5f2-7a4e-7c31-9b1a-4929813274ff"]) {
      expect(idOf(id)).toBe(id)
    }
  })
})

describe("C11 Retry-After", () => {
  const now = Date.parse("2030-01-01T00:00:00Z")

  it.each<[string | undefined, number | undefined]>([
    [undefined, undefined],
    ["0", 0],
    ["7", 7000],
    ["9".repeat(12), (10 ** 12 - 1) * 1000],
    ["9".repeat(16), 10 ** 15],
    ["9".repeat(400), 10 ** 15],
    // Repeated headers, as a transport joins them.
    ["7, 7", 7000],
    ["1,10,9", 10_000],
    ["7,", undefined],
    ["7, soon", undefined],
    ...["+7", "7s", "soon", "-1", "1.5", "1e3", " 5", "", "Wed 21 Oct", "2030-01-01"].map(
      (text): [string, undefined] => [text, undefined]
    ),
    ["Tue, 01 Jan 2030 00:00:07 GMT", 7000],
    ["Mon, 31 Dec 2029 23:59:59 GMT", 0],
    ["Tuesday, 01-Jan-30 00:00:07 GMT", 7000],
    ["Tue Jan  1 00:00:07 2030", 7000],
    ["at Tue, 01 Jan 2030 00:00:07 GMT", undefined],
    ["Please wait until 12:00:00 2030", undefined],
    ["Tue, 01 Jan 2030 00:00:07 GMT+0100", undefined],
    ["Tue, 41 Jan 2030 00:00:07 GMT", undefined]
  ])("%j is a wait of %j ms", (text, wait) => {
    expect(ErrorResponse.readRetryAfter(text, now)).toBe(wait)
  })

  it("is in the error of a 429, if it was sent", () => {
    const response = Memory.respond(429, "")
    expect(ErrorResponse.toError(request, response, 2, 7000)).toMatchObject({
      attempts: 2,
      retryAfter: 7000
    })
    expect(ErrorResponse.toError(request, response, 2, undefined)).not.toHaveProperty("retryAfter")
  })
})

it("an error has at most the first 16 KiB of the body of its response", () => {
  for (const length of [16_384, 1_000_000]) {
    const { body } = ErrorResponse.partsOf(Memory.respond(502, "x".repeat(length)))
    expect(Redacted.value(body).length).toBe(16_384)
  }
})
