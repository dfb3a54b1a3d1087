import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import { inspect } from "node:util"
import { describe, expect, it } from "vitest"
import type { Hooks, RequestEvent, ResponseEvent } from "../src/Hooks.ts"
import * as Memory from "./support/memory.ts"
import * as Operations from "./support/operations.ts"

const token = Memory.jwt({ canary: "token-canary-77e0" })

const secrets = [
  "secret-canary-93ad",
  "key-canary-1b7c",
  token,
  Operations.checksum,
  ...Object.values(Operations.canaries)
]

const answering = (
  answer: (request: Memory.Service["requests"][number], n: number) => Memory.Answer
) => new Memory.Service({ auth: () => Memory.answer(200, { token }), answer })

const run = (operation: Operations.Operation, service: Memory.Service, hooks: Hooks) =>
  Memory.run(service, operation.call({ requestId: "request-1" }), { hooks })

const keeping = () => {
  const requests: Array<RequestEvent> = []
  const responses: Array<ResponseEvent> = []
  const hooks: Hooks = {
    onRequest: (event) => Effect.sync(() => requests.push(event)),
    onResponse: (event) => Effect.sync(() => responses.push(event))
  }
  return { hooks, requests, responses }
}

describe.each(Operations.operations)("$name", (operation) => {
  it("shows its requests and responses to the hooks, without a secret", async () => {
    const { hooks, requests, responses } = keeping()
    const service = answering((request, n) =>
      n === 1
        ? Memory.answer(429, { message: request.body, token }, { "x-request-id": "service-1" })
        : Memory.answer(operation.answer === "" ? 204 : 200, operation.answer)
    )
    expect(Result.isSuccess(await run(operation, service, hooks))).toBe(true)
    expect(
      requests.map(({ attempt, method, url }) => [method, new URL(url).pathname, attempt])
    ).toEqual([
      ["POST", "/api/v1/auth", 1],
      [operation.method, operation.path, 1],
      [operation.method, operation.path, 2]
    ])
    expect(responses.map(({ serviceRequestId, status }) => [status, serviceRequestId])).toEqual([
      [200, undefined],
      [429, "service-1"],
      [operation.answer === "" ? 204 : 200, undefined]
    ])
    if (operation.kind === "create") {
      expect(requests.slice(1).map(({ requestId }) => requestId)).toEqual([
        "request-1",
        "request-1"
      ])
    }
    const shown = inspect([requests, responses], { depth: 20, showHidden: true })
    for (const secret of secrets) expect(shown).not.toContain(secret)
  })
})

it.each([
  ["createApmPayment", "ApmPayments.create", "POST", "payments/apm", { requestId: "request-1" }],
  ["readApmPaymentStatus", "ApmPayments.status", "GET", "payments/apm/status/100001", {}]
])("the hooks get every part of %s", async (name, method, verb, path, ids) => {
  const operation = Operations.find(method)
  const { hooks, requests, responses } = keeping()
  const service = answering((_, n) =>
    Effect.delay(
      Memory.answer(n === 1 ? 503 : 200, operation.answer, { "request-id": `service-${n}` }),
      "250 millis"
    )
  )
  await run(operation, service, hooks)
  const url = `https://payments.example/api/v1/${path}`
  const events = [1, 2].map((attempt) => ({ operation: name, method: verb, url, attempt, ...ids }))
  expect(requests.slice(1)).toStrictEqual(events)
  expect(responses.slice(1)).toStrictEqual(
    events.map((event, at) => ({
      ...event,
      milliseconds: 250,
      status: at === 0 ? 503 : 200,
      serviceRequestId: `service-${at + 1}`
    }))
  )
  // The request for a token has no requestId.
  expect(requests[0]).not.toHaveProperty("requestId")
})

const create = Operations.find("ApmPayments.create")

it("a hook that fails, throws or dies changes nothing", async () => {
  const failures: ReadonlyArray<() => Effect.Effect<void, unknown>> = [
    () => Effect.fail("no"),
    () => Effect.die("no"),
    () => {
      throw new Error("no")
    }
  ]
  for (const hook of failures) {
    const service = answering(() => Memory.answer(200, create.answer))
    const result = await run(create, service, { onRequest: hook, onResponse: hook })
    expect(Result.isSuccess(result)).toBe(true)
  }
})

it("a hook that fails or hangs is logged at level debug", async () => {
  const logged: Array<unknown> = []
  const logger = Logger.make(({ logLevel, message }) => logged.push([logLevel, message]))
  await create.call({ requestId: "request-1" }).pipe(
    Memory.settled,
    Effect.provide(
      Memory.client(
        answering(() => Memory.answer(200, create.answer)),
        {
          hooks: { onRequest: () => Effect.fail("no"), onResponse: () => Effect.never }
        }
      )
    ),
    Effect.provide([TestClock.layer(), Logger.layer([logger])]),
    Effect.provideService(References.MinimumLogLevel, "Debug"),
    Effect.runPromise
  )
  const line = ["Debug", [expect.stringMatching(/^A hook failed/u)]]
  // Two of `/auth`, and two of the create.
  expect(logged).toEqual([line, line, line, line])
})

it("a hook that hangs is left after 10 seconds, also by a call that is interrupted", () => {
  const service = answering(() => Memory.answer(200, create.answer))
  const hooks: Hooks = { onRequest: () => Effect.never, onResponse: () => Effect.never }
  return Memory.against(
    service,
    function* () {
      const call = () => Memory.fork(create.call({ requestId: "request-1" }))
      const paid = yield* call()
      // Two hooks of `/auth`, and two of the create.
      yield* TestClock.adjust("40 seconds")
      expect(paid.pollUnsafe()?._tag).toBe("Success")
      const interrupted = yield* call()
      yield* TestClock.adjust("10 seconds")
      yield* Effect.forkChild(Fiber.interrupt(interrupted))
      yield* TestClock.adjust("10 seconds")
      expect(interrupted.pollUnsafe()?._tag).toBe("Failure")
      expect(service.requests.length).toBe(2)
    },
    { hooks, totalTimeout: "1 minute" }
  )
})

it("the time of a request begins after its first hook", async () => {
  const { hooks, responses } = keeping()
  const service = answering(() => Effect.delay(Memory.answer(200, create.answer), "250 millis"))
  await run(create, service, { ...hooks, onRequest: () => Effect.sleep("1 second") })
  expect(responses.map(({ milliseconds }) => milliseconds)).toEqual([0, 250])
})

it("a request without a response has the tag of its error", async () => {
  const { hooks, responses } = keeping()
  await run(
    create,
    answering(() => Effect.never),
    hooks
  )
  expect(responses.slice(1).map(({ error, status }) => [error, status])).toContainEqual([
    "Unreachable",
    undefined
  ])
})
