/** Only a readable response that names the transaction ends the doubt. */
import * as PaymentsError from "@pawl/core/PaymentsError"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"
import { describe, expect, it } from "vitest"
import type { CreateOptions } from "../src/CallOptions.ts"
import * as Creates from "../src/internal/call/Creates.ts"
import type { Request } from "../src/Transport.ts"
import * as Memory from "./support/memory.ts"
import { creates } from "./support/operations.ts"

const create = (options?: CreateOptions) => Memory.settled(Effect.result(Memory.pay({}, options)))

const { against: run, answering } = Memory

const lost: Memory.Answer = Effect.fail(
  // The answer of the service was lost.
  new PaymentsError.Unreachable({ reason: "the connection was reset", sent: true, attempts: 1 })
)

const firsts: ReadonlyArray<[string, Memory.Answer]> = [
  ["a lost response", lost],
  ["a time-out", Effect.never],
  ["502", Memory.answer(502, "<html>")],
  ["504", Memory.answer(504, "")],
  ["a success that cannot be read", Memory.answer(200, "{")]
]

const refusals: ReadonlyArray<[string, Memory.Answer, string]> = [
  ["404", Memory.answer(404, "no such path"), "NotFound"],
  ["400", Memory.answer(400, { errors: { amount: "too small" } }), "ValidationFailed"],
  ["401", Memory.answer(401, ""), "Unauthorized"],
  ["429", Memory.answer(429, ""), "RateLimited"]
]

describe("C26 a create whose first attempt is in doubt", () => {
  it.each(
    firsts.flatMap(([first, doubt]) =>
      refusals.map(([second, refusal, tag]) => [first, second, doubt, refusal, tag] as const)
    )
  )("stays unknown after %s, then %s", async (_first, _second, doubt, refusal, tag) => {
    const service = answering(doubt, refusal)
    const result = await run(service, create())
    expect(result).toMatchObject({
      failure: { _tag: "OutcomeUnknown", requestId: "order-1", refusal: { _tag: tag } }
    })
  })

  it.each(["NEW", "FAILED"])(
    "is settled by a readable response with the status %s",
    async (status) => {
      const body = { transactionId: "7", transactionStatus: status }
      const result = await run(answering(lost, Memory.answer(200, body)), create())
      expect(Result.merge(result)).toMatchObject(
        status === "FAILED" ? { _tag: "Declined", transactionId: "7" } : body
      )
    }
  )

  it("has the redacted body and the request id of the service", async () => {
    const service = answering(
      Memory.answer(502, "<html>bad gateway</html>", { "x-request-id": "edge-1" }),
      Memory.answer(404, "")
    )
    const result = await run(service, create())
    if (Result.isSuccess(result) || result.failure._tag !== "OutcomeUnknown") throw new Error("no")
    expect(Redacted.value(result.failure.body!)).toBe("<html>bad gateway</html>")
    expect(result.failure.serviceRequestId).toBe("edge-1")
  })

  it("has the body and the id of the refusal if its cause has none", async () => {
    const refusal = Memory.answer(404, "no such path", { "x-request-id": "edge-2" })
    const result = await run(answering(lost, refusal), create())
    if (Result.isSuccess(result) || result.failure._tag !== "OutcomeUnknown") throw new Error("no")
    expect(result.failure).toMatchObject({ status: 404, serviceRequestId: "edge-2" })
    expect(`${result.failure.body && Redacted.value(result.failure.body)}`).toBe("no such path")
  })

  it("remains in doubt in the next call, until a readable response", () => {
    const named = Memory.answer(200, { transactionId: "7", transactionStatus: "NEW" })
    const gone = Memory.answer(404, "")
    return run(answering(lost, lost, lost, lost, gone, named, gone), function* () {
      for (const tag of ["OutcomeUnknown", "OutcomeUnknown", undefined, "NotFound"])
        expect(Result.merge(yield* create())).toMatchObject(
          tag === undefined ? { transactionId: "7" } : { _tag: tag }
        )
    })
  })

  it("has the cause of the call that left it, also if a later one is only told of it", () =>
    run(answering(lost, lost, lost, lost, Memory.answer(404, "")), function* () {
      yield* create()
      expect(Result.merge(yield* create({ inDoubt: true }))).toMatchObject({
        _tag: "OutcomeUnknown",
        cause: { _tag: "Unreachable" },
        refusal: { _tag: "NotFound" }
      })
    }))

  it.each([
    ["holds no token", []],
    ["holds a token", [Memory.status("NEW")]]
  ])("remains in doubt after it was interrupted, if the client %s", (_, earlier) =>
    run(answering(...earlier, Effect.never, Memory.answer(404, "")), function* () {
      if (earlier.length > 0) yield* Memory.readStatus()
      yield* Memory.interrupted(Memory.pay())
      expect(Result.merge(yield* create())).toMatchObject({ _tag: "OutcomeUnknown" })
    })
  )
})

it("C26 a create whose transport dies remains in doubt in the next call", () =>
  run(answering(Effect.die("a defect"), Memory.answer(400, {})), function* () {
    yield* Effect.exit(create())
    expect(Result.merge(yield* create())).toMatchObject({ _tag: "OutcomeUnknown" })
  }))

it("C26 a create that was interrupted before its request was sent is not in doubt", () => {
  // The create waits for the first request for a token, which hangs.
  const service: Memory.Service = new Memory.Service({
    auth: (n) => (n === 1 ? Effect.never : service.issue()),
    answer: () => Memory.answer(400, {})
  })
  return run(service, function* () {
    yield* Memory.interrupted(Memory.pay())
    expect(service.requests.length).toBe(0)
    expect(Result.merge(yield* create())).toMatchObject({ _tag: "ValidationFailed" })
  })
})

describe("C26 the doubts of a client", () => {
  it("are those of the last 10,000 requestIds", () => {
    const doubts = Creates.make()
    const refused = { error: new PaymentsError.NotFound({}), doubt: undefined }
    const has = (id: string) => doubts.toError(id, refused, false)._tag === "OutcomeUnknown"
    for (let n = 0; n < 10_000; n++) doubts.add(`order-${n}`)
    expect(has("order-0")).toBe(true)
    doubts.add("order-10000")
    expect(["order-0", "order-1", "order-10000"].map(has)).toEqual([false, true, true])
    doubts.delete("order-1")
    expect(has("order-1")).toBe(false)
  })

  it("are more than 10,000 during a call, which keeps its own", () => {
    const service = answering(
      lost,
      Effect.delay(Memory.answer(400, {}), "1 second"),
      Memory.answer(400, {})
    )
    return run(service, function* () {
      // The first create waits for its retry, and the second one for its response.
      const fibers = yield* Effect.forEach([false, true], (inDoubt) =>
        Memory.fork(Effect.flip(Memory.pay({ requestId: `order-${inDoubt}` }, { inDoubt })))
      )
      for (let n = 0; n < 10_000; n++) {
        const requestId = `other-${n}`
        yield* Effect.flip(Memory.pay({ requestId }, { inDoubt: true, maxAttempts: 0 }))
      }
      yield* TestClock.adjust("1 hour")
      for (const fiber of fibers)
        expect(yield* Fiber.join(fiber)).toMatchObject({ _tag: "OutcomeUnknown" })
      expect(service.requests.length).toBe(3)
    })
  })

  it("have no create that was refused, or that was never in doubt", () => {
    const service = answering(Memory.answer(400, {}), Memory.answer(404, ""))
    return run(service, function* () {
      for (const tag of ["ValidationFailed", "NotFound"])
        expect(Result.merge(yield* create())).toMatchObject({ _tag: tag })
    })
  })
})

describe("C26 a create that is told to be in doubt", () => {
  it.each(refusals)("stays unknown after %s", async (_, refusal, tag) => {
    const result = await run(answering(refusal), create({ inDoubt: true }))
    expect(result).toMatchObject({
      failure: { _tag: "OutcomeUnknown", requestId: "order-1", cause: { _tag: tag } }
    })
  })

  it("remains in doubt in the next call, which is not told", async () => {
    const service = answering(Memory.answer(400, {}))
    const tags = await run(
      service,
      Effect.all([create({ inDoubt: true }), create()]).pipe(
        Effect.map((results) => results.map((result) => Result.merge(result)))
      )
    )
    expect(tags).toMatchObject([{ _tag: "OutcomeUnknown" }, { _tag: "OutcomeUnknown" }])
  })

  it("stays unknown when its own input is invalid", async () => {
    const invalid = Memory.pay({ amount: "1e3" }, { inDoubt: true })
    const result = await Memory.run(new Memory.Service(), invalid)
    expect(result).toMatchObject({
      failure: { _tag: "OutcomeUnknown", cause: { _tag: "ValidationFailed", sent: false } }
    })
  })

  it("is settled by a readable response", async () => {
    const result = await run(new Memory.Service(), create({ inDoubt: true }))
    expect(result).toMatchObject({ success: { transactionId: "100001" } })
  })

  it("names the refusal, which is its cause too, once in its message", async () => {
    const result = await run(answering(Memory.answer(404, "")), create({ inDoubt: true }))
    const error = Result.merge(result)
    expect(error).toMatchObject({ cause: { _tag: "NotFound" }, refusal: { _tag: "NotFound" } })
    const message = "message" in error ? error.message : ""
    expect(message.split(new PaymentsError.NotFound({}).message).length).toBe(2)
  })
})

describe.each(creates)("C26 a doubt about $name", (operation) => {
  const unreadable = Memory.answer(200, operation.name === "PaymentIntents.create" ? {} : "{")
  // After a 401 the request is sent again, so that answer is the last.
  const later = refusals.toSorted(
    ([one], [other]) => Number(one === "401") - Number(other === "401")
  )
  const calls = (attempts: ReadonlyArray<number>, ...answers: ReadonlyArray<Memory.Answer>) =>
    run(
      answering(...answers),
      Effect.forEach(attempts, (maxAttempts) =>
        operation
          .call({ requestId: "request-1" }, { maxAttempts })
          .pipe(Effect.result, Effect.map(Result.merge), Memory.settled)
      )
    )

  it.each(["lost", "unreadable"])("stays the cause of every later refusal: %s", async (first) => {
    const answer = first === "lost" ? lost : unreadable
    const errors = await calls(Array(5).fill(1), answer, ...later.map(([, refusal]) => refusal))
    const cause = { _tag: first === "lost" ? "Unreachable" : "UnexpectedResponse" }
    expect(errors[0]).toMatchObject({ _tag: "OutcomeUnknown", cause })
    expect(errors[0]).not.toHaveProperty("refusal")
    for (const [at, error] of errors.slice(1).entries()) {
      const refusal = { _tag: later[at]?.[2] }
      expect(error).toMatchObject({ _tag: "OutcomeUnknown", cause, refusal })
    }
  })

  it("has no person to ask after calls that the service did not refuse", async () => {
    // The second and the third are refused before sending, the others with 401.
    const results = await calls([1, 0, 0, 1, 1], unreadable, Memory.answer(401, ""))
    expect(results.at(-1)).toMatchObject({
      _tag: "OutcomeUnknown",
      message: expect.stringContaining(": call again with the same requestId. ")
    })
  })

  it("has a person to ask after the second refused call, until a new doubt or an answer", async () => {
    const refused = Memory.answer(400, { errors: { amount: "too small" } })
    const found = Memory.answer(200, operation.answer)
    const limited = Memory.answer(429, "")
    const results = await calls(
      Array(7).fill(1),
      unreadable,
      refused,
      limited,
      refused,
      lost,
      found,
      refused
    )
    const messages = results.map((result) =>
      Schema.is(PaymentsError.OutcomeUnknown)(result) ? result.message : ""
    )
    const again = /: call again with the same requestId\. /u
    const person = /2 calls with this requestId were refused, so ask the service/u
    for (const at of [0, 1, 2]) expect(messages[at]).toMatch(again)
    expect(messages[3]).toMatch(person)
    expect(messages[3]).not.toMatch(again)
    expect(messages[4]).toMatch(again)
    expect(results[6]).toMatchObject({ _tag: "ValidationFailed" })
  })
})

// A proxy answers with these, perhaps after it has forwarded the request.
const proxies = [
  402, 403, 405, 406, 407, 410, 411, 412, 413, 414, 415, 416, 417, 418, 421, 422, 424, 431, 451,
  460, 499
]

const leavesDoubt: ReadonlyArray<readonly [attempts: number, codes: ReadonlyArray<number>]> = [
  [4, [409, 423, 425]],
  // A redirect is not followed.
  [1, [300, 301, 302, 303, 307, 308, 399]],
  [1, proxies]
]

describe.each(creates)("C27 Q12 $name", ({ answer, call }) => {
  const resultOf = (service: Memory.Service) =>
    Memory.run(service, call({ requestId: "request-1" }))

  it.each([409, 423, 425])(
    "is sent again after a %i, and succeeds when the service has processed it",
    async (code) => {
      const service = answering(Memory.answer(code, ""), Memory.answer(200, answer))
      expect(Result.isSuccess(await resultOf(service))).toBe(true)
      const [first, ...others] = service.requests.map(({ body }) => body)
      expect(others).toEqual([first])
    }
  )

  it.each(leavesDoubt)(
    "ends unknown after %i requests with a status of %j",
    async (sent, codes) => {
      for (const status of codes) {
        const location = "https://elsewhere.example"
        const service = answering(Memory.answer(status, "", { location }))
        expect(await resultOf(service)).toMatchObject({
          failure: { _tag: "OutcomeUnknown", cause: { status } }
        })
        expect([status, service.requests.length]).toEqual([status, sent])
      }
    }
  )
})

it("C27 422 to a create is refused for certain if the profile says so", async () => {
  const client = Layer.provide(
    Memory.client(answering(Memory.answer(422, ""))),
    Memory.profile({ status422: "no-effect" })
  )
  const result = await Effect.provide(create(), client).pipe(Memory.virtual)
  expect(result).toMatchObject({ failure: { _tag: "UnexpectedResponse", status: 422 } })
})

const request: Request = { method: "POST", url: "https://a.example/x", headers: {}, body: "{}" }

it("a requestId has one request at a time, which may be in flight several times", () => {
  const { enter, leave } = Creates.make()
  expect(enter("order-1", request)).toBe(true)
  expect(enter("order-1", { ...request, headers: { authorization: "Bearer other" } })).toBe(true)
  for (const other of [
    { ...request, url: "https://a.example/y" },
    { ...request, body: "{ }" }
  ]) {
    expect(enter("order-1", other)).toBe(false)
    expect(enter("order-2", other)).toBe(true)
    leave("order-2")
  }
  leave("order-1")
  expect(enter("order-1", { ...request, body: "{ }" })).toBe(false)
  leave("order-1")
  expect(enter("order-1", { ...request, body: "{ }" })).toBe(true)
})

it("the end of a create that is not in flight changes nothing", () => {
  const { enter, leave } = Creates.make()
  leave("order-1")
  expect(enter("order-1", request)).toBe(true)
})
