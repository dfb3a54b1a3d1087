import { Unreachable } from "@pawl/core/PaymentsError"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Endpoint from "../src/internal/wire/Endpoint.ts"
import * as Memory from "./support/memory.ts"
import { type Named, type Operation, operations } from "./support/operations.ts"

const requestId = "request-1"

const run = (operation: Operation, service: Memory.Service, named: Named = { requestId }) =>
  operation
    .call(named)
    .pipe(Effect.result, Memory.settled, Effect.provide(Memory.client(service)), Memory.virtual)

const answering = (answer: Memory.Answer) => new Memory.Service({ answer: () => answer })

const reset = (sent: boolean) =>
  Effect.fail(new Unreachable({ reason: "the connection was reset", sent, attempts: 1 }))

/** The error of each fault, and the number of requests for each kind of operation. */
const outcomes: Record<string, [Memory.Answer, Record<Operation["kind"], [string, number]>]> = {
  "a refusal": [
    Memory.answer(400, { errors: { mid: "unknown" } }),
    {
      create: ["ValidationFailed", 1],
      read: ["ValidationFailed", 1],
      change: ["ValidationFailed", 1],
      remove: ["ValidationFailed", 1]
    }
  ],
  "a refused token": [
    Memory.answer(401, ""),
    {
      create: ["Unauthorized", 2],
      read: ["Unauthorized", 2],
      change: ["Unauthorized", 2],
      remove: ["Unauthorized", 2]
    }
  ],
  "an unknown resource": [
    Memory.answer(404, ""),
    {
      create: ["NotFound", 1],
      read: ["NotFound", 1],
      change: ["NotFound", 1],
      remove: ["NotFound", 1]
    }
  ],
  "a limit": [
    Memory.answer(429, "", { "retry-after": "1" }),
    {
      create: ["RateLimited", 4],
      read: ["RateLimited", 4],
      change: ["RateLimited", 4],
      remove: ["RateLimited", 4]
    }
  ],
  "a failure": [
    Memory.answer(500, ""),
    {
      create: ["OutcomeUnknown", 4],
      read: ["ServiceFailed", 4],
      change: ["ServiceFailed", 1],
      remove: ["ServiceFailed", 4]
    }
  ],
  "a connection that breaks": [
    reset(true),
    {
      create: ["OutcomeUnknown", 4],
      read: ["Unreachable", 4],
      change: ["Unreachable", 1],
      remove: ["Unreachable", 4]
    }
  ],
  "no connection": [
    reset(false),
    {
      create: ["Unreachable", 4],
      read: ["Unreachable", 4],
      change: ["Unreachable", 4],
      remove: ["Unreachable", 4]
    }
  ],
  "a success that cannot be read": [
    Memory.answer(200, "{"),
    {
      create: ["OutcomeUnknown", 4],
      read: ["UnexpectedResponse", 4],
      change: ["UnexpectedResponse", 1],
      // A DELETE has no response body, so its body is not read.
      remove: ["no error", 1]
    }
  ],
  "a redirect": [
    Memory.answer(302, "", { location: "https://elsewhere.example" }),
    {
      create: ["OutcomeUnknown", 1],
      read: ["UnexpectedResponse", 1],
      change: ["UnexpectedResponse", 1],
      remove: ["UnexpectedResponse", 1]
    }
  ]
}

const creates = operations.filter(({ kind }) => kind === "create")

it("covers every endpoint of the contract that requires an access token", () => {
  const endpoints = Object.values(Endpoint)
    .map((each) => `${each.method} ${each.path.replace(/:\w+/u, "id")}`)
    .filter((each) => each !== "POST /api/v1/auth")
  const covered = operations.map(
    ({ method, path }) => `${method} ${path.replace(/\/[0-9]+$/u, "/id")}`
  )
  expect(endpoints.length).toBe(20)
  expect(new Set(covered)).toEqual(new Set(endpoints))
})

describe.each(operations)("$name", (operation) => {
  const { answer, body, kind, method, path, value } = operation
  const success = Memory.answer(method === "DELETE" ? 204 : 200, answer)

  it("sends exactly its request, and returns the typed response", async () => {
    const service = answering(success)
    const result = Result.getOrThrow(await run(operation, service))
    expect(result).toEqual("value" in operation ? value : JSON.parse(answer))
    const [token] = service.valid
    expect(
      service.requests.map(({ body: text, ...rest }) => ({
        ...rest,
        body: text === undefined ? text : JSON.parse(text)
      }))
    ).toEqual([
      {
        method,
        url: `https://payments.example${path}`,
        headers: {
          accept: "application/json",
          "user-agent": "pawl/0.0.0",
          ...(method === "GET" ? {} : { "content-type": "application/json" }),
          authorization: `Bearer ${token}`
        },
        body: body === undefined || kind !== "create" ? body : { ...body, requestId }
      }
    ])
  })

  it.each(Object.entries(outcomes))("fails as expected after %s", async (_, [fault, expected]) => {
    const [tag, attempts] = expected[kind]
    const service = answering(fault)
    const result = await run(operation, service)
    expect(Result.isFailure(result) ? result.failure._tag : "no error").toBe(tag)
    expect(service.requests.length).toBe(attempts)
    if (Result.isFailure(result) && tag === "OutcomeUnknown")
      expect(result.failure).toMatchObject({ requestId, isRetryable: true })
  })
})

describe.each(creates)("$name", (operation) => {
  it("makes a new requestId for each call without one", async () => {
    const made = new Set<unknown>()
    for (let n = 0; n < 5; n++) {
      const service = answering(Memory.answer(200, operation.answer))
      await run(operation, service, {})
      const { requestId } = JSON.parse(service.requests[0]?.body ?? "{}")
      expect(requestId).toMatch(
        /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u
      )
      made.add(requestId)
    }
    expect(made.size).toBe(5)
  })

  it.each(["a|b", undefined, null])(
    "refuses the requestId %s before it sends anything",
    async (requestId) => {
      const service = new Memory.Service()
      const result = await run(operation, service, { requestId } as Named)
      expect(Result.merge(result)).toMatchObject({
        _tag: "ValidationFailed",
        sent: false,
        fields: [{ path: "requestId" }]
      })
      expect(service.auths.length + service.requests.length).toBe(0)
    }
  )
})

/** The creates of a transaction: a card token and a hosted page are none. */
const transactions = creates.filter(({ answer }) => "transactionStatus" in JSON.parse(answer))

it("covers every create that makes a transaction", () => {
  expect(transactions.map(({ name }) => name)).toEqual(
    creates
      .map(({ name }) => name)
      .filter((name) => !["CardPayments.tokenize", "PaymentIntents.create"].includes(name))
  )
})

describe.each(transactions)("$name", (operation) => {
  it("fails with Declined, which has the whole response, when the status is FAILED", async () => {
    const failed = {
      ...JSON.parse(operation.answer),
      transactionStatus: "FAILED",
      declineCode: 51
    }
    const { eci, ...known } = failed
    const result = await run(operation, answering(Memory.answer(200, failed)))
    const ids = Object.entries(failed).filter(([name]) => /^[a-z]+Id$/u.test(name))
    expect(ids.length).toBeGreaterThan(0)
    expect(Result.merge(result)).toMatchObject({
      requestId,
      ...Object.fromEntries(ids),
      _tag: "Declined",
      declineCode: 51,
      isRetryable: false,
      response: eci === undefined ? known : { ...known, unknownFields: { eci } }
    })
  })
})

it("C03 takes effect once and returns the original response, for every create and all faults", () =>
  fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...creates),
      fc.array(fc.option(fc.constantFrom(...Memory.faults), { nil: undefined }), { maxLength: 8 }),
      async (operation, faults) => {
        const effects: Array<string | undefined> = []
        const service = new Memory.Service({
          faults,
          act: ({ body }) => {
            if (!effects.includes(body)) effects.push(body)
            return Memory.respond(200, operation.answer)
          }
        })
        const result = await run(operation, service)
        expect(new Set(service.requests.map(({ body }) => body)).size).toBe(1)
        expect(effects.length).toBeLessThanOrEqual(1)
        if (Result.isSuccess(result)) expect(effects.length).toBe(1)
        else if (result.failure._tag !== "OutcomeUnknown") expect(effects.length).toBe(0)
      }
    ),
    { numRuns: 120 }
  ))

describe.each(operations.filter(({ kind }) => kind !== "create"))("$name", (operation) => {
  it("succeeds only with the response of the specification", async () => {
    for (const status of [200, 204]) {
      const result = await run(operation, answering(Memory.answer(status, "")))
      expect(Result.isSuccess(result)).toBe(operation.kind === "remove")
    }
  })
})
