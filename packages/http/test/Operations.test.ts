import { Unreachable } from "@pawl/core/PaymentsError"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import * as Endpoint from "../src/internal/wire/Endpoint.ts"
import * as Memory from "./support/memory.ts"
import {
  creates as operationsThatCreate,
  invoke,
  type Named,
  type Operation,
  operations,
  type services
} from "./support/operations.ts"

const requestId = "request-1"

const run = (operation: Operation, service: Memory.Service, named: Named = { requestId }) =>
  Memory.run(service, operation.call(named))

type Services = {
  readonly [Name in keyof typeof services]: (typeof services)[Name]["Service"]
}

type TagOf<Method> = Method extends (
  ...args: never
) => Effect.Effect<unknown, infer Failure extends { readonly _tag: string }>
  ? Failure["_tag"]
  : never

const reads = {
  Unauthorized: true,
  ValidationFailed: true,
  NotFound: true,
  ServiceFailed: true,
  RateLimited: true,
  Unreachable: true,
  UnexpectedResponse: true
} as const
const creates = { ...reads, OutcomeUnknown: true } as const
const transactions = { ...creates, Declined: true } as const

const declared: {
  readonly [Service in keyof Services]: {
    readonly [Method in keyof Services[Service]]: Record<TagOf<Services[Service][Method]>, true>
  }
} = {
  ApmPayments: { create: transactions, status: reads },
  ApmPayouts: { create: transactions, info: reads, status: reads },
  CardPayments: { create: transactions, charge: transactions, tokenize: creates, status: reads },
  CardPayouts: { create: transactions, info: reads, status: reads },
  PaymentIntents: { create: { ...creates, IntentRejected: true } },
  Refunds: { create: transactions, info: reads, status: reads },
  Subscriptions: {
    create: transactions,
    get: reads,
    update: reads,
    setStatus: reads,
    pause: reads,
    resume: reads,
    cancel: reads
  }
}

const methods = Object.entries(declared).flatMap(([service, tags]) =>
  Object.entries<Record<string, true>>(tags).map(
    ([method, each]) => [`${service}.${method}`, Object.keys(each)] as const
  )
)

type Outcome = readonly [tag: string, requests: number]

const toAll = (...outcome: Outcome): Record<Operation["kind"], Outcome> => ({
  create: outcome,
  read: outcome,
  change: outcome,
  remove: outcome
})

const headers = { "x-request-id": "service-1", "retry-after": "1" }
const respond = (status: number, body: unknown = ""): Memory.Options => ({
  answer: () => Memory.answer(status, body, headers)
})
const reset = (sent: boolean): Memory.Options => ({
  answer: () =>
    Effect.fail(new Unreachable({ reason: "the connection was reset", sent, attempts: 1 }))
})
const authResponds = (status: number): Memory.Options => ({
  auth: () => Memory.answer(status, "", headers)
})

const outcomes: Record<string, [Memory.Options, Record<Operation["kind"], Outcome>]> = {
  "a refusal": [respond(400, { errors: { mid: "unknown" } }), toAll("ValidationFailed", 1)],
  "a refused token": [respond(401), toAll("Unauthorized", 2)],
  "an unknown resource": [respond(404), toAll("NotFound", 1)],
  "a limit": [respond(429), toAll("RateLimited", 4)],
  "a failure": [
    respond(500),
    { ...toAll("ServiceFailed", 4), create: ["OutcomeUnknown", 4], change: ["ServiceFailed", 1] }
  ],
  "a connection that breaks": [
    reset(true),
    { ...toAll("Unreachable", 4), create: ["OutcomeUnknown", 4], change: ["Unreachable", 1] }
  ],
  "no connection": [reset(false), toAll("Unreachable", 4)],
  "a success that cannot be read": [
    respond(200, "{"),
    {
      create: ["OutcomeUnknown", 4],
      read: ["UnexpectedResponse", 4],
      change: ["UnexpectedResponse", 1],
      // A DELETE has no response body, but the page of a proxy is no success.
      remove: ["UnexpectedResponse", 4]
    }
  ],
  "a redirect": [
    respond(302),
    { ...toAll("UnexpectedResponse", 1), create: ["OutcomeUnknown", 1] }
  ],
  "a failure of /auth": [authResponds(500), toAll("ServiceFailed", 0)],
  "a redirect by /auth": [authResponds(302), toAll("UnexpectedResponse", 0)]
}

/** The creates of a transaction: a card token and a hosted page are none. */
const makeTransactions = operationsThatCreate.filter(
  ({ answer }) => "transactionStatus" in JSON.parse(answer)
)

it("covers every method, and every endpoint of the contract that requires an access token", () => {
  expect(methods.map(([name]) => name).toSorted()).toEqual(
    operations.map(({ name }) => name).toSorted()
  )
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
  const { answer, body, kind, method, name, path, value } = operation
  const success = Memory.answer(method === "DELETE" ? 204 : 200, answer)

  it("sends exactly its request, and returns the typed response", async () => {
    const service = Memory.answering(success)
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

  it("C36 fails with each error of its type, and with no other", async () => {
    const seen = new Set<string>()
    const special: typeof outcomes = {
      ...(makeTransactions.includes(operation) && {
        "a decline": [
          respond(200, { ...JSON.parse(answer), transactionStatus: "FAILED" }),
          toAll("Declined", 1)
        ]
      }),
      ...(name === "PaymentIntents.create" && {
        "a rejection": [respond(200, { errorCode: "LIMIT_EXCEEDED" }), toAll("IntentRejected", 1)]
      })
    }
    for (const [fault, [options, expected]] of Object.entries({ ...outcomes, ...special })) {
      const service = new Memory.Service(options)
      const result = await run(operation, service)
      const error = Result.isFailure(result) ? result.failure : undefined
      const tag = error?._tag ?? "no error"
      expect([fault, tag, service.requests.length]).toEqual([fault, ...expected[kind]])
      if (tag === "OutcomeUnknown") expect(error).toMatchObject({ requestId, isRetryable: true })
      if (error !== undefined && !fault.includes("connection"))
        expect(error).toMatchObject({ status: expect.any(Number), serviceRequestId: "service-1" })
      if (error !== undefined) seen.add(tag)
    }
    expect([...seen].toSorted()).toEqual(methods.find(([each]) => each === name)?.[1].toSorted())
  })

  it("succeeds only with the response of the specification", async () => {
    for (const status of [200, 204]) {
      const result = await run(operation, Memory.answering(Memory.answer(status, "")))
      expect(Result.isSuccess(result)).toBe(kind === "remove")
    }
  })
})

describe.each(operationsThatCreate)("$name", (operation) => {
  it("makes a new requestId for each call without one", async () => {
    const made = new Set<unknown>()
    for (let n = 0; n < 5; n++) {
      const service = Memory.answering(Memory.answer(200, operation.answer))
      await run(operation, service, {})
      const { requestId } = JSON.parse(service.requests[0]?.body ?? "{}")
      expect(requestId).toMatch(
        /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u
      )
      made.add(requestId)
    }
    expect(made.size).toBe(5)
  })
})

describe.each(makeTransactions)("$name", (operation) => {
  it("fails with Declined, which has the whole response, when the status is FAILED", async () => {
    const declined = { transactionStatus: "FAILED", declineCode: 51 }
    const failed = { ...JSON.parse(operation.answer), ...declined }
    const { eci, ...known } = failed
    const result = await run(operation, Memory.answering(Memory.answer(200, failed)))
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

it("B01 an id that could change the path of an operation is refused before sending, by the name of its field", async () => {
  const change: Record<string, unknown> = {
    "Subscriptions.update": { status: "ACTIVE" },
    "Subscriptions.setStatus": "ACTIVE"
  }
  const named = operations.filter(({ kind }) => kind !== "create")
  for (const id of ["", ".", "..", undefined, 7, 12_345_678_901_234_567_890n, ["1"]]) {
    for (const { name } of named) {
      const service = new Memory.Service()
      const path = name.startsWith("Subscriptions") ? "subscriptionId" : "id"
      expect(await Memory.failureOf(service, invoke(name, id, change[name]))).toMatchObject(
        Memory.refusalOf(path)
      )
      expect(service.requests.length + service.auths.length).toBe(0)
    }
  }
})
