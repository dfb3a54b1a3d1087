import { forAll, optional } from "@pawl/test-support/Properties"
import {
  IntentRejected,
  NotFound,
  OutcomeUnknown,
  RateLimited,
  ServiceFailed,
  Unauthorized,
  Unreachable,
  UnexpectedResponse,
  ValidationFailed
} from "@pawl/core/PaymentsError"
import { defaults } from "@pawl/core/Profile"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as RequestFailure from "../src/internal/requests/RequestFailure.ts"
import { declined } from "./requestService.ts"

const unreachable = (sent: boolean) => new Unreachable({ reason: "reset", sent, attempts: 1 })
const unexpected = (status: number) => new UnexpectedResponse({ status, reason: "it is odd" })
const invalid = (sent: boolean) => new ValidationFailed({ sent, fields: [] })

const errors: ReadonlyArray<
  readonly [error: RequestFailure.Failure, hadNoEffect: boolean, isRefusal: boolean]
> = [
  [new Unauthorized({ sent: true, status: 401 }), true, false],
  [new RateLimited({ attempts: 1, status: 429 }), true, false],
  [new NotFound({}), true, true],
  [invalid(true), true, true],
  [invalid(false), true, false],
  [unreachable(false), true, false],
  [unreachable(true), false, false],
  [new ServiceFailed({ status: 503, attempts: 1 }), false, false],
  // Responses to the request for an access token.
  [new Unauthorized({ sent: false, status: 401 }), true, false],
  [new RateLimited({ attempts: 1, status: 429, sent: false }), true, false],
  [new ServiceFailed({ status: 503, attempts: 1, sent: false }), true, false],
  ...[200, 302, 400, 403, 404, 409, 422].map(
    (status) =>
      [new UnexpectedResponse({ status, reason: "it is odd", sent: false }), true, false] as const
  ),
  ...[400, 401, 404, 429].map((status) => [unexpected(status), true, true] as const),
  ...[402, 403, 405, 418, 422, 424, 499].map(
    (status) => [unexpected(status), false, true] as const
  ),
  ...[200, 302, 399, 409, 423, 500, 503].map(
    (status) => [unexpected(status), false, false] as const
  )
]

describe("an error without an answer", () => {
  it.each(errors)(
    "%s: had no effect: %s, refuses the request: %s",
    (error, hadNoEffect, refuses) => {
      expect(RequestFailure.hadNoEffect(error, defaults)).toBe(hadNoEffect)
      expect(RequestFailure.reasonOf(error)).toBe(refuses ? error.message : undefined)
      expect(RequestFailure.isAnswer(error)).toBe(false)
    }
  )

  it("with 422 had no effect if the profile says so", () => {
    expect(RequestFailure.hadNoEffect(unexpected(422), { status422: "no-effect" })).toBe(true)
    expect(RequestFailure.hadNoEffect(unexpected(403), { status422: "no-effect" })).toBe(false)
  })

  it("that leaves the outcome unknown may have had an effect, and refuses as its last attempt did", () => {
    const [doubt, refused] = [unreachable(true), new NotFound({})]
    const unknown = new OutcomeUnknown({ requestId: "r", cause: doubt })
    expect(RequestFailure.hadNoEffect(unknown, defaults)).toBe(false)
    expect(RequestFailure.reasonOf(unknown)).toBeUndefined()
    const onlyCause = new OutcomeUnknown({ requestId: "r", cause: refused })
    expect(RequestFailure.reasonOf(onlyCause)).toBe(refused.message)
    const then = new OutcomeUnknown({ requestId: "r", cause: doubt, refusal: invalid(true) })
    expect(RequestFailure.reasonOf(then)).toBe(invalid(true).message)
    const after = new OutcomeUnknown({ requestId: "r", cause: refused, refusal: doubt })
    expect(RequestFailure.reasonOf(after)).toBeUndefined()
  })

  it("gives at most 500 characters of its reason", () => {
    const long = new UnexpectedResponse({ status: 400, reason: "x".repeat(600) })
    expect(RequestFailure.reasonOf(long)).toBe(long.message.slice(0, 500))
  })

  it("asks to wait only if the service limits the rate of calls and says how long", () => {
    const limited = new RateLimited({ attempts: 1, retryAfter: 2500 })
    expect(RequestFailure.retryAfter(limited)).toBe(2500)
    const unknown = { requestId: "r", cause: unreachable(true) }
    expect(RequestFailure.retryAfter(new OutcomeUnknown({ ...unknown, refusal: limited }))).toBe(
      2500
    )
    expect(RequestFailure.retryAfter(new OutcomeUnknown(unknown))).toBe(0)
    expect(RequestFailure.retryAfter(new RateLimited({ attempts: 1 }))).toBe(0)
    expect(RequestFailure.retryAfter(unreachable(true))).toBe(0)
  })
})

it("a declined transaction and a rejected intent are answers", () => {
  expect(RequestFailure.isAnswer(declined({}))).toBe(true)
  expect(RequestFailure.isAnswer(new IntentRejected({ requestId: "r", errorCode: "E1" }))).toBe(
    true
  )
})

describe("a stored refusal", () => {
  it("is read as it was written", () => {
    const field = fc.record({ path: fc.string(), message: fc.string() })
    return forAll(
      [fc.array(field, { maxLength: 3 }), optional(fc.integer({ min: 400, max: 499 }))],
      (fields, status) => {
        const refusal = new ValidationFailed({
          sent: true,
          fields,
          ...(status !== undefined && { status })
        })
        const read = RequestFailure.fromText(RequestFailure.encode(refusal))
        expect(read).toStrictEqual(refusal)
      }
    )
  })

  it.each(["", "[]", '{"fields":1}', '{"status":"400","fields":[]}', "no JSON"])(
    "that cannot be read, as %j, names no field and no status",
    (text) => {
      expect(RequestFailure.fromText(text)).toStrictEqual(
        new ValidationFailed({ sent: true, fields: [] })
      )
    }
  )
})

it("a request in doubt keeps the doubt that it has, or gets one with the error as its cause", () => {
  const unknown = RequestFailure.unknown("order-17", "no answer")
  expect(unknown).toMatchObject({
    requestId: "order-17",
    cause: { _tag: "Unreachable", reason: "no answer", sent: true, attempts: 0 }
  })
  expect(unknown.message).toBe(
    "Request order-17 may have taken effect: call again with the same requestId. The outcome could not be read (no answer)"
  )
  expect(RequestFailure.inDoubt("order-18", unknown)).toBe(unknown)
  const refused = new NotFound({})
  expect(RequestFailure.inDoubt("order-18", refused)).toMatchObject({
    _tag: "OutcomeUnknown",
    requestId: "order-18",
    cause: refused
  })
})
