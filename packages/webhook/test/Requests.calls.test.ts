import { StoreUnavailable } from "@pawl/core/CallbackError"
import type { RequestSender } from "@pawl/core/RequestSender"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Tracer from "effect/Tracer"
import { describe, expect, it } from "vitest"
import { card, sendAndLeave, start, watched } from "./requestProcess.ts"
import * as fake from "./requestService.ts"
import { test } from "@pawl/test-support/Tests"
import { apm, verified } from "@pawl/test-support/Service"
import { pass, run } from "@pawl/test-support/World"

const sentBody = (service: ReturnType<typeof fake.make>, at = 0) =>
  JSON.parse(service.seen[at]?.body ?? "{}") as Readonly<Record<string, unknown>>

const orderIn = (service: ReturnType<typeof fake.make>, at = 0) => {
  const { search } = new URL(String(sentBody(service, at)["callbackUrl"]))
  return verified("apm", apm(), `${search}&paymentMethod=apm`).ordered
}

const lost = Array<"lost">(9).fill("lost")

const without = <A extends object>(input: A, name: keyof A) => ({ ...input, [name]: undefined })

describe("a request", () => {
  test("has a requestId of its own if the merchant gives none", function* () {
    const shop = yield* start()
    const { requestId: _, ...input } = fake.payment("none")
    const { requestId } = yield* shop.enqueue("apm-payment", input)
    expect(requestId).toMatch(/^[\w-]{8,64}$/u)
    yield* pass("1 second")
    expect(shop.service.seen).toMatchObject([{ requestId }])
    expect(sentBody(shop.service)["requestId"]).toBe(requestId)
    expect(orderIn(shop.service)?.requestId).toBe(requestId)
    const other = yield* shop.enqueue("apm-payment", input)
    expect(other.requestId).not.toBe(requestId)
  })

  test.each(["send", "enqueue"] as const)(
    "of a repeated %s has the requestId that was made first, because another would pay twice",
    function* (name) {
      let isFirst = true
      const shop = yield* start({
        plant: ({ write }) => ({
          write: (...call) =>
            Effect.tap(write(...call), () => {
              const isLost = isFirst
              isFirst = false
              return isLost ? new StoreUnavailable({}) : Effect.void
            })
        })
      })
      const { requestId: _, ...input } = fake.payment("none")
      const call: Effect.Effect<unknown, unknown> = shop[name]("apm-payment", input)
      const repeated = yield* Effect.forkChild(Effect.retry(call, { times: 1 }))
      yield* pass("2 minutes")
      yield* Fiber.join(repeated)
      expect(shop.service.effects.size).toBe(1)
    }
  )

  test.each(["send", "enqueue"] as const)(
    "of a %s that dies has the frame of the caller in its cause",
    function* (name) {
      const encode = () => Effect.die(new Error("a defect"))
      const shop = yield* start({ sender: { encode } })
      const call: Effect.Effect<unknown, unknown> = shop[name]("apm-payment", fake.payment("none"))
      const printed = Cause.pretty(yield* Effect.flip(Effect.sandbox(call)))
      const frame = new RegExp(`Requests\\.${name} \\(.*Requests\\.calls\\.test\\.ts`, "u")
      expect(printed).toMatch(frame)
    }
  )

  test("is refused if its requestId has no value, because the order's id is missing", function* () {
    const shop = yield* start()
    const input = without(fake.payment("none"), "requestId")
    const refused = { _tag: "ValidationFailed", fields: [{ path: "requestId" }] }
    expect(yield* Effect.flip(shop.enqueue("apm-payment", input))).toMatchObject(refused)
    expect(yield* Effect.flip(shop.send("apm-payment", input))).toMatchObject(refused)
    expect(shop.service.seen).toEqual([])
  })

  test("has the callback URL of its input, else that of the options, with the order in its token", function* () {
    const shop = yield* start({ callbackUrl: "https://shop.example/all" })
    yield* shop.send("apm-payment", fake.payment("order-1"))
    yield* shop.send("apm-payment", without(fake.payment("order-2"), "callbackUrl"))
    const urls = [0, 1].map((at) => String(sentBody(shop.service, at)["callbackUrl"]))
    const paths = urls.map((url) => url.split("?")[0])
    expect(paths).toEqual(["https://shop.example/callback", "https://shop.example/all"])
    const ordered = { requestId: "order-2", account: "4711", amount: "10.00", currency: "EUR" }
    expect(orderIn(shop.service, 1)).toEqual(ordered)
  })

  test("has no callback URL if neither has one", function* () {
    const inputs: Array<object> = []
    const encode: RequestSender["Service"]["encode"] = (kind, input) => {
      inputs.push(input)
      return Effect.succeed({ kind, requestId: "order-1", body: '{"requestId":"order-1"}' })
    }
    const shop = yield* start({ sender: { encode } })
    const { callbackUrl: _, ...input } = fake.payment("order-1")
    yield* shop.send("apm-payment", input)
    expect(inputs).toStrictEqual([input])
  })
})

describe("an enqueued request", () => {
  test("is accepted again with the same body, and refused with another body or kind", function* () {
    const shop = yield* start({ fates: lost })
    const input = fake.payment("order-1")
    for (const _ of [1, 2]) {
      expect(yield* shop.enqueue("apm-payment", input)).toEqual({ requestId: "order-1" })
    }
    const conflict = { _tag: "RequestConflict", requestId: "order-1" }
    const payout = yield* Effect.flip(shop.enqueue("apm-payout", input))
    expect(payout).toMatchObject(conflict)
    const other = fake.payment("order-1", "11.00")
    expect(yield* Effect.flip(shop.enqueue("apm-payment", other))).toMatchObject({
      ...conflict,
      message:
        "Request order-1 was stored before with another body: read the stored one with requests.get first, because it may have taken effect"
    })
    expect(yield* Effect.flip(shop.send("apm-payment", other))).toMatchObject(conflict)
    // From now on the request is in doubt, so it is not sealed anew.
    yield* pass("1 second")
    // Another kind is another request, whatever its body.
    const rotated = yield* start({ built: shop.built, key: "newer" })
    const message = expect.stringContaining(
      "give the secret or the key that sealed it, then redrive it or make the same create again"
    )
    const parked = { _tag: "RequestParked", requestId: "order-1", reason: "no-key", message }
    for (const [kind, refusal] of [
      ["apm-payout", conflict],
      ["apm-payment", parked]
    ] as const) {
      expect(yield* Effect.flip(rotated.enqueue(kind, input))).toMatchObject(refusal)
      expect(yield* Effect.flip(rotated.send(kind, input))).toMatchObject(refusal)
    }
  })

  test("is accepted again after the callback URL of the options has changed", function* () {
    const before = yield* start({ fates: lost, callbackUrl: "https://old.example/callback" })
    const input = without(fake.payment("order-1"), "callbackUrl")
    yield* before.enqueue("apm-payment", input)
    yield* pass("1 second")
    const after = yield* start({ built: before.built, callbackUrl: "https://new.example/callback" })
    expect(yield* after.enqueue("apm-payment", input)).toEqual({ requestId: "order-1" })
    expect(yield* after.send("apm-payment", input)).toMatchObject({ transactionStatus: "PENDING" })
  })
})

describe("a request with card data", () => {
  test("is rebuilt under the same requestId", function* () {
    const rebuild = (requestId: string) => Effect.succeed(without(card(requestId), "requestId"))
    const shop = yield* start({ fates: ["hang"], rebuild })
    yield* sendAndLeave(shop, "order-1")
    expect(shop.service.seen).toMatchObject([
      { requestId: "order-1", inDoubt: false },
      { requestId: "order-1", inDoubt: true }
    ])
    expect(yield* shop.get("order-1")).toMatchObject({ outcome: { _tag: "Answered" } })
  })

  test("that is redriven without doubt is sent if it can be rebuilt, else it is not sent", function* () {
    let amount = "11.00"
    const shop = yield* start({
      fates: ["hang"],
      rebuild: (requestId) => Effect.sync(() => ({ ...card(requestId), amount }))
    })
    yield* sendAndLeave(shop, "order-1")
    const parked = { reason: "rebuilt-differently" }
    expect(yield* shop.get("order-1")).toMatchObject({ parked })
    amount = "10.00"
    expect(yield* shop.redrive("order-1", { hadNoEffect: true })).toBe(true)
    yield* pass("1 second")
    expect(yield* shop.get("order-1")).toMatchObject({ outcome: { _tag: "Answered" } })

    const alone = yield* start({ fates: ["hang"] })
    yield* sendAndLeave(alone, "order-1")
    expect(yield* alone.get("order-1")).toMatchObject({ parked: { reason: "card-data" } })
    expect(yield* alone.redrive("order-1", { hadNoEffect: true })).toBe(true)
    expect(yield* alone.get("order-1")).toMatchObject({
      outcome: { _tag: "NotSent", reason: "no-effect" }
    })
  })
})

test("a request that is unknown is not redriven", function* () {
  const shop = yield* start()
  expect(yield* shop.redrive("order-1")).toBe(false)
})

it("each call is a span of its own name", () => {
  const names = new Set<string>()
  const tracer = Tracer.make({
    span: (options) => {
      names.add(options.name)
      return new Tracer.NativeSpan(options)
    }
  })
  return run(
    Effect.gen(function* () {
      const shop = yield* start()
      yield* shop.send("apm-payment", fake.payment("order-1"))
      yield* shop.enqueue("apm-payment", fake.payment("order-2"))
      yield* shop.redrive("order-1")
      expect([...names]).toEqual(
        expect.arrayContaining(["Requests.send", "Requests.enqueue", "Requests.redrive"])
      )
    }).pipe(Effect.provideService(Tracer.Tracer, tracer))
  )
})

describe("an outcome", () => {
  it("is counted once, when it becomes known", async () => {
    const { counts, lines } = await watched(function* () {
      const shop = yield* start({ fates: ["answer", "unsent"] })
      yield* shop.send("apm-payment", fake.payment("order-1"))
      yield* shop.send("apm-payment", fake.payment("order-1"))
      yield* Effect.flip(shop.send("apm-payment", fake.payment("order-2")))
    })
    expect(counts).toEqual([
      ["pawl.webhook.requests.settled", { outcome: "Answered" }, 1],
      ["pawl.webhook.requests.settled", { outcome: "NotSent" }, 1]
    ])
    expect(lines).toEqual([])
  })

  it.each([{ amount: "9.99" }, { requestId: "order-0" }])(
    "of an operation that is registered with another order raises an alarm",
    async (order) => {
      const reason =
        "the response to a request names an operation that is registered with another order"
      const { lines } = await watched(function* () {
        const shop = yield* start()
        const other = { kind: "apm-payment", transactionId: "100001", ...order } as const
        yield* shop.ledger.register(other, 0)
        yield* shop.send("apm-payment", fake.payment("order-1"))
      })
      expect(lines).toEqual([[{ _tag: "Alarm", reason }, { requestId: "order-1" }]])
    }
  )
})
