import { forAll } from "@pawl/test-support/Properties"
import * as Handler from "@pawl/core/Handler"
import type { RequestKind } from "@pawl/core/RequestSender"
import * as NodeHmac from "@pawl/core/NodeHmac"
import * as CallbackUrl from "@pawl/webhook/CallbackUrl"
import * as Ledger from "@pawl/webhook/Ledger"
import * as Receiver from "@pawl/webhook/Receiver"
import * as Requests from "@pawl/webhook/Requests"
import * as RequestStore from "@pawl/webhook/internal/ledger/RequestStore"
import * as Seal from "@pawl/webhook/Seal"
import * as Verifier from "@pawl/webhook/Verifier"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import * as Struct from "effect/Struct"
import * as TestClock from "effect/testing/TestClock"
import fc from "fast-check"
import { expect, it } from "vitest"
import * as Fake from "../src/Fake.ts"
import { Faults } from "../src/Faults.ts"
import { Gateway } from "../src/Gateway.ts"
import { creates, prepare, type Resources } from "@pawl/test-support/Creates"
import { repeats } from "@pawl/test-support/Repeats"
import { payment, type Test, toEffect } from "@pawl/test-support/TestGateway"
import * as Checksum from "@pawl/core/Checksum"
import * as PawlConfig from "@pawl/http/PawlConfig"
import * as PawlPortable from "@pawl/http/PawlPortable"
import { type Response, Transport } from "@pawl/http/Transport"
import * as Clock from "effect/Clock"

const secret = Redacted.make("sandbox-secret")

/** A receiver without the service's secret refuses every callback. */
const world = (callbackSecret = secret, kind?: RequestKind) => {
  const told: Array<string> = []
  const handler = Handler.layer(({ requestId, to }) =>
    Effect.sync(() => void told.push(`${requestId} ${to}`))
  )
  const layer = Requests.layer({
    callbackUrl: "https://shop.example/callback",
    // Card data is not stored, so a create with a card is made again from its input.
    ...(kind !== undefined && {
      rebuild: () => Effect.sync(() => inputOf(kind, { cardToken: "token", paymentId: 1 }))
    })
  }).pipe(
    Layer.provideMerge(RequestStore.layerMemory),
    Layer.provideMerge(Layer.provideMerge(Fake.layerReceiver, Receiver.layer())),
    Layer.provideMerge(Layer.fresh(Ledger.layerMemory)),
    Layer.provide([
      handler,
      Verifier.layer({ current: callbackSecret }),
      CallbackUrl.layer(secret),
      Seal.layer({ current: secret })
    ]),
    Layer.provide(NodeHmac.layer),
    Layer.provideMerge(Fake.layer()),
    Layer.provideMerge(TestClock.layer())
  )
  return { told, layer }
}

const run = <A, R, E>(layer: Layer.Layer<R, E>, test: Test<A, R>) =>
  toEffect(test).pipe(
    Effect.provide(layer),
    Effect.provideService(References.MinimumLogLevel, "None"),
    Effect.scoped,
    Effect.runPromise
  )

it("tells the handler of a payment whose answers were lost, and makes it once", () => {
  const { layer, told } = world()
  return run(layer, function* () {
    const { get, send } = yield* Requests.Requests
    const faults = yield* Faults
    yield* faults.add({
      endpoint: "POST /v1/payments/apm",
      fault: "reset-after",
      rate: 1,
      times: 12
    })
    const call = yield* Effect.forkChild(
      Effect.result(send("apm-payment", payment({ scenario: "succeed+silent" })))
    )
    yield* TestClock.adjust("12 hours")
    yield* Fiber.join(call)
    expect(yield* get("r-1")).toMatchObject({ outcome: { _tag: "Answered" } })
    expect(yield* faults.list).toEqual([])
    // Without a callback only the recovery's response names the transaction.
    expect(told.at(-1)).toBe("r-1 SUCCEED")
    const { transactions } = yield* Gateway
    expect(yield* transactions).toHaveLength(1)
  })
})

it("sends what was enqueued, and keeps a declined payment as declined", () => {
  const { layer, told } = world()
  return run(layer, function* () {
    const { enqueue, send } = yield* Requests.Requests
    const declined = payment({ scenario: "decline:51" })
    yield* enqueue("apm-payment", declined)
    yield* TestClock.adjust("1 hour")
    expect(told.at(-1)).toBe("r-1 FAILED")
    // The stored outcome, without another request.
    expect((yield* Effect.flip(send("apm-payment", declined)))._tag).toBe("Declined")
    const { transactions } = yield* Gateway
    expect(yield* transactions).toHaveLength(1)
  })
})

const paths: Readonly<Record<RequestKind, string>> = {
  "apm-payment": "/payments/apm",
  "apm-payout": "/payouts/apm",
  "card-payment": "/payments/card",
  "card-charge": "/payments/card/charge",
  "card-payout": "/payouts/card",
  refund: "/refunds/card",
  "payment-intent": "/payments/intent",
  subscription: "/payments/card/recurring"
}

const inputOf = (kind: RequestKind, resources: Resources) =>
  ({
    ...Struct.omit(creates[paths[kind]]!(resources), ["callbackUrl", "checksum"]),
    ...(kind === "refund" && { transactionId: String(resources.paymentId) })
  }) as never

it.each(Struct.keys(paths))(
  "Q13: whatever the answer to a %s names is in the ledger before the caller has it, and is told without a callback",
  (kind) => {
    const { layer, told } = world(Redacted.make("another-secret"))
    return run(layer, function* () {
      const { send } = yield* Requests.Requests
      const input = inputOf(kind, yield* prepare)
      yield* TestClock.adjust("1 hour")
      const ledger = yield* Ledger.Ledger
      const answer: object = yield* send(kind, input)
      const [id] = ["refundId", "transactionId"].flatMap((name) => Reflect.get(answer, name) ?? [])
      if (kind === "payment-intent") return expect(id).toBeUndefined()
      const method = kind.startsWith("apm") ? "apm" : "card"
      const row = yield* ledger.get(method, id)
      expect(row).toMatchObject({ registered: true, ordered: { requestId: "r-1" } })
      yield* TestClock.adjust("1 day")
      expect(told.at(-1)).toBe("r-1 SUCCEED")
    })
  }
)

/** Passes time in steps, between which tokens and seals are computed in real time. */
const hours = (count: number) =>
  Effect.replicateEffect(TestClock.adjust("10 minutes"), 6 * count, { discard: true })

const chaos = fc.array(
  fc.record({
    fault: fc.constantFrom("500", "503", "401", "delay", "truncate", "reset-before", "reset-after"),
    times: fc.integer({ min: 1, max: 4 })
  }),
  { maxLength: 3 }
)

it.each(Struct.keys(paths))(
  "a %s takes effect once and is answered and told, whatever the service and the network do for hours",
  (kind) =>
    forAll(
      [chaos],
      { numRuns: repeats(20), examples: [[[{ fault: "401", times: 4 }]]] },
      (faultsOf) => {
        const { layer, told } = world(undefined, kind)
        return run(layer, function* () {
          const { get, send } = yield* Requests.Requests
          const { transactions } = yield* Gateway
          const input = inputOf(kind, yield* prepare)
          yield* hours(1)
          const before = (yield* transactions).length
          const faults = yield* Faults
          for (const each of faultsOf) {
            yield* faults.add({ endpoint: `POST /v1${paths[kind]}`, rate: 1, ...each })
          }
          const call = yield* Effect.forkChild(Effect.result(send(kind, input)))
          yield* hours(2)
          yield* Fiber.interrupt(call)
          // A create that surely had no effect is made again by its caller: two 401 end a call.
          const again = yield* Effect.forkChild(
            Effect.result(Effect.retry(send(kind, input), { times: 6 }))
          )
          yield* hours(6)
          yield* Fiber.join(again)
          // A callback also settles it after the responses were lost.
          expect((yield* get("r-1"))?.outcome?._tag).toMatch(/^(?:Answered|Found)$/u)
          const made = (yield* transactions).length - before
          // The customer of an intent makes its transaction.
          const isIntent = kind === "payment-intent"
          expect(made).toBe(isIntent ? 0 : 1)
          expect(told.at(-1)).toBe(isIntent ? undefined : "r-1 SUCCEED")
        })
      }
    )
)

const order = (requestId: string) => ({
  requestId,
  accountId: "4711",
  amount: "10.00",
  currency: "EUR",
  apmPayload: { paymentMethod: "WALLET" }
})

const minute = 60_000

const answer = (status: number, body: object, headers: Record<string, string> = {}): Response => ({
  status,
  headers,
  body: new TextEncoder().encode(JSON.stringify(body))
})

const token = () => {
  const exp = Buffer.from(JSON.stringify({ exp: 30 * 86_400 })).toString("base64url")
  return answer(200, { accessToken: `e30.${exp}.c2ln` })
}

const pending = answer(200, { transactionId: "100001", transactionStatus: "PENDING" })

/** `create` gets the number of the create and its body. `/auth` takes `authTime` milliseconds. */
interface Service {
  readonly auth: (now: number) => Response
  readonly authTime?: number
  readonly create?: (number: number, body: string) => Response
  readonly secretOf?: () => Redacted.Redacted
}

const runOver = (
  service: Service,
  test: (
    sent: ReadonlyArray<number>
  ) => Generator<Effect.Effect<unknown, unknown, Requests.Requests>, void, never>
) => {
  const sent: Array<number> = []
  const transport = Layer.succeed(Transport, {
    send: ({ body = "", url }) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        if (url.endsWith("/v1/auth")) {
          return Effect.delay(Effect.succeed(service.auth(now)), service.authTime ?? 0)
        }
        sent.push(now)
        return Effect.succeed(service.create?.(sent.length, body) ?? pending)
      })
  })
  const client = PawlPortable.layer.pipe(
    Layer.provide(transport),
    Layer.provideMerge(
      PawlConfig.layer({
        baseUrl: "https://pay.example/api",
        merchantKey: "key",
        merchantSecret: Effect.sync(service.secretOf ?? (() => secret))
      })
    )
  )
  const layer = Requests.layer({ callbackUrl: "https://shop.example/callback" }).pipe(
    Layer.provide(RequestStore.layerMemory),
    Layer.provide(Layer.fresh(Ledger.layerMemory)),
    Layer.provide([CallbackUrl.layer(secret), Seal.layer({ current: secret }), client]),
    Layer.provide(NodeHmac.layer),
    Layer.provideMerge(TestClock.layer())
  )
  return run(layer, () => test(sent))
}

const broken = [302, 400, 401, 403, 404, 409, 422, 429, 500, 503]

it.each(broken)("an /auth that answers %s for hours parks no request", (status) =>
  runOver({ auth: () => answer(status, {}) }, function* (sent) {
    const { enqueue, parked } = yield* Requests.Requests
    for (const requestId of ["p-1", "p-2"]) yield* enqueue("apm-payout", order(requestId))
    yield* TestClock.adjust("3 hours")
    expect(yield* parked({ limit: 10 })).toEqual([])
    expect(sent).toEqual([])
  })
)

/** A request expires at a time, after as many attempts as were begun by then. */
const expires = (service: Service, expiresAt: number, attempts = 0) =>
  runOver(service, function* (sent) {
    const { enqueue, get } = yield* Requests.Requests
    yield* enqueue("apm-payment", order("o-1"), { expiresAt })
    yield* TestClock.adjust("5 hours")
    expect(sent).toHaveLength(attempts)
    expect((yield* get("o-1"))?.outcome).toEqual({ _tag: "NotSent", reason: "expired" })
  })

it.each(broken)("a request that got no token, because /auth answers %s, expires", (status) =>
  expires({ auth: (now) => (now < 180 * minute ? answer(status, {}) : token()) }, 5 * minute)
)

it("the retries of the client send no request that has expired", () => {
  const busy = answer(429, {}, { "retry-after": "20" })
  return expires({ auth: token, create: (number) => (number === 1 ? busy : pending) }, 2000, 1)
})

it("a request that expires while its token is requested is not sent", () =>
  expires({ auth: token, authTime: 5000 }, 2000))

it("Q11: a request that was enqueued before the secret was rotated is sent with a checksum of the new one", () => {
  let current = secret
  const rotated = Redacted.make("rotated-secret")
  const checksum = (requestId: string) =>
    Checksum.request(NodeHmac.keyed(rotated), "|", order(requestId))
  return runOver(
    {
      auth: () => (current === rotated ? token() : answer(503, {})),
      create: (_, body) => {
        const sent: { readonly checksum: string; readonly requestId: string } = JSON.parse(body)
        return sent.checksum === checksum(sent.requestId)
          ? pending
          : answer(400, { error: "checksum" })
      },
      secretOf: () => current
    },
    function* (sent) {
      const { enqueue, get } = yield* Requests.Requests
      yield* enqueue("apm-payment", order("o-1"))
      yield* TestClock.adjust("1 minute")
      current = rotated
      yield* TestClock.adjust("10 minutes")
      // The first attempt was signed before the token was requested, which reads the new secret.
      expect(sent).toHaveLength(2)
      expect((yield* get("o-1"))?.outcome).toMatchObject({ _tag: "Answered" })
    }
  )
})
