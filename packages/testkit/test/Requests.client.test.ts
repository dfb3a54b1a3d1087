import * as Checksum from "@pawl/core/Checksum"
import * as NodeHmac from "@pawl/core/NodeHmac"
import * as PawlConfig from "@pawl/http/PawlConfig"
import * as PawlPortable from "@pawl/http/PawlPortable"
import { type Response, Transport } from "@pawl/http/Transport"
import * as CallbackUrl from "@pawl/webhook/CallbackUrl"
import * as Ledger from "@pawl/webhook/Ledger"
import * as Requests from "@pawl/webhook/Requests"
import * as RequestStore from "@pawl/webhook/internal/ledger/RequestStore"
import * as Seal from "@pawl/webhook/Seal"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import * as TestClock from "effect/testing/TestClock"
import { expect, it } from "vitest"

const secret = Redacted.make("sandbox-secret")

const payment = (requestId: string) => ({
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

/**
 * The second function gets the number of the create and its body. `/auth` takes `authTime`
 * milliseconds.
 */
const run = (
  service: {
    readonly auth: (now: number) => Response
    readonly authTime?: number
    readonly create?: (number: number, body: string) => Response
    readonly secretOf?: () => Redacted.Redacted
  },
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
        return Effect.succeed(
          service.create?.(sent.length, body) ??
            answer(200, { transactionId: "100001", transactionStatus: "PENDING" })
        )
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
  return Effect.gen(() => test(sent)).pipe(
    Effect.provide(layer),
    Effect.provideService(References.MinimumLogLevel, "None"),
    Effect.scoped,
    Effect.runPromise
  )
}

const broken = [302, 400, 401, 403, 404, 409, 422, 429, 500, 503]

it.each(broken)("an /auth that answers %s for hours parks no request", (status) =>
  run({ auth: () => answer(status, {}) }, function* (sent) {
    const { enqueue, parked } = yield* Requests.Requests
    for (const requestId of ["p-1", "p-2"]) yield* enqueue("apm-payout", payment(requestId))
    yield* TestClock.adjust("3 hours")
    expect(yield* parked({ limit: 10 })).toEqual([])
    expect(sent).toEqual([])
  })
)

it.each(broken)("a request that got no token, because /auth answers %s, expires", (status) =>
  run({ auth: (now) => (now < 180 * minute ? answer(status, {}) : token()) }, function* (sent) {
    const { enqueue, get } = yield* Requests.Requests
    yield* enqueue("apm-payment", payment("o-1"), { expiresAt: 5 * minute })
    yield* TestClock.adjust("5 hours")
    expect(sent).toEqual([])
    expect((yield* get("o-1"))?.outcome).toEqual({ _tag: "NotSent", reason: "expired" })
  })
)

it("the retries of the client send no request that has expired", () =>
  run(
    {
      auth: token,
      create: (number) =>
        number === 1
          ? answer(429, {}, { "retry-after": "20" })
          : answer(200, { transactionId: "100001", transactionStatus: "PENDING" })
    },
    function* (sent) {
      const { enqueue, get } = yield* Requests.Requests
      yield* enqueue("apm-payment", payment("o-1"), { expiresAt: 2000 })
      yield* TestClock.adjust("10 minutes")
      expect(sent).toHaveLength(1)
      expect((yield* get("o-1"))?.outcome).toEqual({ _tag: "NotSent", reason: "expired" })
    }
  ))

it("a request that expires while its token is requested is not sent", () =>
  run({ auth: token, authTime: 5000 }, function* (sent) {
    const { enqueue, get } = yield* Requests.Requests
    yield* enqueue("apm-payment", payment("o-1"), { expiresAt: 2000 })
    yield* TestClock.adjust("10 minutes")
    expect(sent).toEqual([])
    expect((yield* get("o-1"))?.outcome).toEqual({ _tag: "NotSent", reason: "expired" })
  }))

it("a request that was enqueued before the secret was rotated is sent with a checksum of the new one", () => {
  let current = secret
  const rotated = Redacted.make("rotated-secret")
  const checksum = (requestId: string) =>
    Checksum.request(NodeHmac.keyed(rotated), "|", payment(requestId))
  return run(
    {
      // The service refuses every token until the secret is rotated.
      auth: () => (current === rotated ? token() : answer(503, {})),
      create: (_, body) => {
        const sent: { readonly checksum: string; readonly requestId: string } = JSON.parse(body)
        return sent.checksum === checksum(sent.requestId)
          ? answer(200, { transactionId: "100001", transactionStatus: "PENDING" })
          : answer(400, { error: "checksum" })
      },
      secretOf: () => current
    },
    function* (sent) {
      const { enqueue, get } = yield* Requests.Requests
      yield* enqueue("apm-payment", payment("o-1"))
      yield* TestClock.adjust("1 minute")
      current = rotated
      yield* TestClock.adjust("10 minutes")
      // The first attempt was signed before the token was requested, which reads the new secret.
      expect(sent).toHaveLength(2)
      expect((yield* get("o-1"))?.outcome).toMatchObject({ _tag: "Answered" })
    }
  )
})
