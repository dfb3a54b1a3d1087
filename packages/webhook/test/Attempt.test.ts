import { StoreUnavailable } from "@pawl/core/CallbackError"
import { NotFound, Unauthorized, ValidationFailed } from "@pawl/core/PaymentsError"
import type { RequestError, RequestSender, SendOptions } from "@pawl/core/RequestSender"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { describe, expect, it } from "vitest"
import * as Attempt from "../src/internal/requests/Attempt.ts"
import * as RequestsError from "../src/internal/requests/RequestsError.ts"
import { RequestStore } from "../src/internal/ledger/RequestStore.ts"
import type { Outcome } from "../src/internal/rule/RequestRow.ts"
import * as RequestRule from "../src/internal/rule/RequestRule.ts"
import { card, sendAndLeave, start, stores, watched } from "./requestProcess.ts"
import { payment } from "./requestService.ts"
import { test } from "@pawl/test-support/Tests"
import { pass, keepLog } from "@pawl/test-support/World"

const failing = (...errors: ReadonlyArray<RequestError>) => {
  const sends: Array<SendOptions | undefined> = []
  const next = [...errors]
  const send: RequestSender["Service"]["send"] = (_, options) => {
    sends.push(options)
    const error = next.shift()
    return error === undefined ? Effect.never : Effect.fail(error as never)
  }
  return { sends, sender: { send } }
}

const fields = [{ path: "amount", message: "is too small" }]
const written = { digest: "digest", hasCardData: false } as const
const request = { requestId: "order-1", kind: "apm-payment", ...written } as const

describe("a refusal", () => {
  test("with 400 is final: it is stored with its fields, and given to each later call", function* () {
    const refusal = new ValidationFailed({ sent: true, status: 400, fields })
    const own = new ValidationFailed({ ...refusal, serviceRequestId: "service-1" })
    const { sender, sends } = failing(own)
    const shop = yield* start({ sender })
    yield* pass("5 seconds")
    const send = shop.send("apm-payment", payment("order-1"))
    expect(yield* Effect.flip(send)).toBe(own)
    expect(yield* Effect.flip(send)).toStrictEqual(refusal)
    expect(sends).toHaveLength(1)
    const row = yield* shop.get("order-1")
    expect(row).toMatchObject({ outcome: { _tag: "Refused" }, settledAt: 5000 })
    expect(JSON.stringify(row)).not.toContain("too small")
  })

  test.each([
    ["before sending", new ValidationFailed({ sent: false, fields })],
    ["of the credentials", new Unauthorized({ sent: true })],
    ["of the path", new NotFound({})]
  ])("%s had no effect, and the next call sends the request anew", function* (_, error) {
    const { sender, sends } = failing(error, error)
    const shop = yield* start({ sender })
    for (const _ of [1, 2]) {
      const send = shop.send("apm-payment", payment("order-1"))
      expect(yield* Effect.flip(send)).toBe(error)
      expect((yield* shop.get("order-1"))?.outcome).toEqual({
        _tag: "NotSent",
        reason: "no-effect"
      })
    }
    const sendWithin = 86_400_000
    expect(sends).toEqual([1, 2].map(() => ({ inDoubt: false, sendWithin })))
  })

  test.each<[Outcome, RequestError, string]>([
    [{ _tag: "Found" }, new ValidationFailed({ sent: true, fields }), "ResponseLost"],
    [{ _tag: "NotSent", reason: "expired" }, new Unauthorized({ sent: true }), "RequestNotSent"]
  ])(
    "of a request that another process ended meanwhile with %j is not its end",
    function* (outcome, error, tag) {
      const built = yield* stores
      const { get, settle } = Context.get(built, RequestStore)
      const send = () =>
        get("order-1").pipe(
          Effect.flatMap((row) => settle("order-1", { outcome, at: 0, lease: row?.lease?.id })),
          Effect.andThen(Effect.fail(error as never))
        )
      const shop = yield* start({ built, sender: { send: send as never } })
      const ended = yield* Effect.flip(shop.send("apm-payment", payment("order-1")))
      expect(ended).toMatchObject({ _tag: tag })
    }
  )

  test("of a request that was in doubt before leaves it in doubt", function* () {
    const { sender } = failing(new NotFound({}))
    const lost = yield* start({ fates: ["hang"] })
    yield* sendAndLeave(lost, "order-1")
    const shop = yield* start({ built: lost.built, sender })
    const error = yield* Effect.flip(shop.send("card-payment", card("order-1")))
    expect(error).toMatchObject({ _tag: "OutcomeUnknown", cause: { _tag: "NotFound" } })
    // The lease ends at once, so that a worker asks again.
    expect(yield* shop.get("order-1")).toMatchObject({
      outcome: undefined,
      begunAt: 0,
      lease: undefined
    })
  })

  it("that comes for the third time over ten minutes parks the request, with an alarm", async () => {
    const { counts, lines } = await watched(function* () {
      const shop = yield* start({
        fates: ["lost", ...Array.from({ length: 100 }, () => "404" as const)]
      })
      yield* Effect.flip(shop.send("apm-payment", payment("order-1")))
      yield* pass("20 minutes")
    })
    const reason = "the service keeps refusing a request: it is parked"
    expect(counts).toEqual([
      ["pawl.webhook.requests.parked", { reason: "refused" }, 1],
      ["pawl.webhook.alarms", { reason }, 1]
    ])
    expect(lines).toEqual([[{ _tag: "Alarm", reason }, { requestId: "order-1" }]])
  })
})

test("the limits of a call are those of its request", function* () {
  const { sender, sends } = failing(new NotFound({}))
  const shop = yield* start({ sender })
  yield* Effect.flip(shop.send("apm-payment", payment("order-1"), { maxAttempts: 2 }))
  expect(sends).toMatchObject([{ maxAttempts: 2, inDoubt: false }])
})

describe("an attempt whose lease is lost", () => {
  const slow = () => {
    const counts = { sent: 0, interrupted: 0 }
    const send: RequestSender["Service"]["send"] = () =>
      Effect.delay(
        Effect.succeed({ transactionId: "1" } as never),
        counts.sent++ === 0 ? "20 seconds" : 0
      ).pipe(Effect.onInterrupt(() => Effect.sync(() => counts.interrupted++)))
    return { counts, sender: { send } }
  }
  const plant = () => ({ renew: () => Effect.succeed(false) })

  test("goes on for a call that waits for its answer", function* () {
    const { counts, sender } = slow()
    const shop = yield* start({ sender, plant })
    const call = yield* Effect.forkChild(shop.send("apm-payment", payment("order-1")))
    yield* pass("20 seconds")
    expect(yield* Fiber.join(call)).toEqual({ transactionId: "1" })
    expect(counts.interrupted).toBe(0)
  })

  test("is interrupted if nobody waits for it", function* () {
    const { counts, sender } = slow()
    const { kept, lines } = keepLog("Error")
    const shop = yield* kept(start({ sender, plant }))
    yield* shop.enqueue("apm-payment", payment("order-1"))
    yield* pass("9 seconds")
    expect(counts.interrupted).toBe(0)
    yield* pass("1 second")
    expect(counts.interrupted).toBe(1)
    expect(lines).toEqual([["A request could not be worked on", "its lease was lost"]])
    yield* pass("1 second")
    expect(yield* shop.get("order-1")).toMatchObject({ outcome: { _tag: "Answered" } })
  })
})

it.each([
  ["answer", { _tag: "Answered", text: undefined }],
  ["unsent", { _tag: "Answered", text: undefined }],
  ["unsent", { _tag: "Found" }]
] as const)(
  "after %s, the outcome %j that another process wrote before counts, and is not counted again",
  async (fate, outcome) => {
    const { counts } = await watched(function* () {
      const shop = yield* start({ fates: [fate] })
      shop.service.beforeAnswer(shop.store.settle("order-1", { outcome, at: 0 }))
      const result = yield* Effect.result(shop.send("apm-payment", payment("order-1")))
      expect(result).toMatchObject(
        fate === "answer"
          ? { success: { transactionId: "100001" } }
          : { failure: { _tag: "ResponseLost", requestId: "order-1", transactionId: "" } }
      )
      expect(yield* shop.get("order-1")).toMatchObject({ outcome })
    })
    expect(counts).toEqual([])
  }
)

it.each([
  RequestsError.RequestConflict,
  RequestsError.RequestNotSent,
  RequestsError.RequestParked,
  RequestsError.ResponseLost,
  RequestsError.CardDataRefused
])("the code of an error is its tag: %o", (Made) => {
  const { _tag, code } = new Made({ requestId: "1" } as never)
  expect(code).toBe(_tag)
})

it("an outcome that cannot be written is logged with its request", async () => {
  const { lines } = await watched(function* () {
    const shop = yield* start({
      plant: () => ({ settle: () => Effect.fail(new StoreUnavailable({})) })
    })
    const response = yield* shop.send("apm-payment", payment("order-1"))
    expect(response).toMatchObject({ transactionId: "100001" })
  })
  expect(lines).toEqual([
    [
      [
        "The outcome of a request was not written",
        new StoreUnavailable({}).message,
        "the store does not answer"
      ],
      { requestId: "order-1" }
    ]
  ])
})

const parked = (
  ["refused", "window", "card-data", "rebuilt-differently", "no-key", "unreadable"] as const
).map((reason) => ({
  end: `parked as ${reason}`,
  row: { parked: { reason, at: 0 } },
  count: ["pawl.webhook.requests.parked", { reason }, 1],
  text: /: it is parked$/u
}))

it.each([
  ...parked,
  {
    end: "given up",
    row: { outcome: { _tag: "NotSent", reason: "expired" } as const },
    count: ["pawl.webhook.requests.settled", { outcome: "NotSent" }, 1],
    text: /: it is given up$/u
  }
])("a request that is $end raises an alarm of its own", async ({ count, row, text }) => {
  const { counts, lines } = await watched(function* () {
    yield* Attempt.report({ ...RequestRule.write(request, 0, undefined), ...row })
  })
  const alarm = { _tag: "Alarm", reason: expect.stringMatching(text) }
  expect(lines).toEqual([[alarm, { requestId: "order-1" }]])
  expect(counts).toEqual([count, ["pawl.webhook.alarms", { reason: alarm.reason }, 1]])
})
