import { ApmPayments } from "@pawl/http/ApmPayments"
import { InvalidConfig } from "@pawl/http/PawlConfig"
import { Faults } from "@pawl/testkit/Faults"
import { Gateway } from "@pawl/testkit/Gateway"
import * as Sandbox from "@pawl/sandbox/Sandbox"
import { files } from "@pawl/test-support/Stores"
import { live } from "@pawl/test-support/Tests"
import { Ledger } from "@pawl/webhook/Ledger"
import { Requests } from "@pawl/webhook/Requests"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Redacted from "effect/Redacted"
import * as Merchant from "pawl/Merchant"
import { expect, it } from "vitest"
import { freePort } from "@pawl/test-support/FreePort"
import { order } from "./doors.ts"

const test = live.with(() =>
  Layer.provide(Sandbox.layer({ pace: "10 millis" }), NodeHttpClient.layerUndici)
)

const settings = (baseUrl: string): Merchant.Settings => ({
  baseUrl,
  merchantKey: "sandbox-key",
  merchantSecret: Redacted.make("sandbox-secret"),
  store: "memory"
})

const handlers = { handle: () => Effect.void }

const environment = (env: Readonly<Record<string, string>>) =>
  ConfigProvider.layer(ConfigProvider.fromEnv({ env }))

/** The prefix that the handler of a test needs as a service. */
const Prefix = Context.Reference<string>("test/Prefix", { defaultValue: () => "none" })

test("pays, listens for callbacks, and tells a handler that has services of its own", function* () {
  const { baseUrl } = yield* Sandbox.Sandbox
  const port = yield* Effect.promise(freePort)
  const told = yield* Queue.unbounded<string>()
  const merchant = Merchant.layer(
    { ...settings(baseUrl), port, publicUrl: `http://127.0.0.1:${port}` },
    {
      handle: ({ requestId, to }) =>
        Effect.flatMap(Prefix, (prefix) => Queue.offer(told, `${prefix} ${requestId} ${to}`))
    }
  )
  yield* Effect.gen(function* () {
    const payment = yield* Requests.use(({ send }) => send("apm-payment", order))
    yield* Effect.repeat(Queue.take(told), { until: (text) => text === "shop order-1 SUCCEED" })
    const row = yield* Ledger.use(({ get }) => get("apm", payment.transactionId))
    expect(row?.told).toBe("SUCCEED")
    expect(row?.callbacks).toBeGreaterThan(0)
  }).pipe(Effect.provide(Layer.provide(merchant, Layer.succeed(Prefix, "shop"))))
})

test("has a handler with the requests, the client and the ledger of its merchant", function* () {
  const { baseUrl } = yield* Sandbox.Sandbox
  const told = yield* Queue.unbounded<string>()
  const port = yield* Effect.promise(freePort)
  const merchant = Merchant.layer(
    { ...settings(baseUrl), port, publicUrl: `http://127.0.0.1:${port}` },
    {
      handle: Effect.fn(function* ({ kind, requestId, to, transactionId }) {
        if (to === "SUCCEED" && kind === "apm-payment") {
          expect(yield* ApmPayments.use(({ status }) => status(transactionId))).toBe(to)
          expect(yield* Ledger.use(({ get }) => get("apm", transactionId))).toBeDefined()
          const { enqueue } = yield* Requests
          yield* enqueue("apm-payout", { ...order, requestId: `${requestId}-payout` })
        }
        yield* Queue.offer(told, `${requestId} ${to}`)
      })
    }
  )
  yield* Requests.use(({ send }) => send("apm-payment", order)).pipe(
    Effect.andThen(
      Effect.repeat(Queue.take(told), { until: (text) => text === "order-1-payout SUCCEED" })
    ),
    Effect.provide(merchant)
  )
})

test("sends a create with card data again from the input that rebuild returns", function* () {
  const { baseUrl } = yield* Sandbox.Sandbox
  const { add } = yield* Faults
  const rebuilt = yield* Queue.unbounded<string>()
  const card = { number: "4242424242424242", expMonth: "04", expYear: "2030" }
  const input = { requestId: "order-1", mid: "4711", amount: "10.00", card }
  const rebuild = (requestId: string) => Effect.as(Queue.offer(rebuilt, requestId), input)
  yield* add({ endpoint: "POST /v1/payouts/card", fault: "reset-before", times: 1 })
  yield* Requests.use(({ send }) =>
    Effect.andThen(
      Effect.flip(send("card-payout", input)),
      Effect.timeout(Queue.take(rebuilt), "30 seconds")
    )
  ).pipe(
    Effect.provide(
      Merchant.layer({ ...settings(baseUrl), maxAttempts: 1 }, { ...handlers, rebuild })
    )
  )
})

test("takes the settings of a Config, each of its own or all together", function* () {
  const { baseUrl } = yield* Sandbox.Sandbox
  const { transactions } = yield* Gateway
  const variables = environment({
    PAWL_BASE_URL: baseUrl,
    PAWL_MERCHANT_KEY: "sandbox-key",
    PAWL_MERCHANT_SECRET: "sandbox-secret",
    PAWL_STORE: "memory",
    PAWL_TOTAL_TIMEOUT: "20 seconds"
  })
  for (const [requestId, merchant] of [
    ["1", Merchant.layerConfig(Merchant.config, handlers)],
    [
      "2",
      Merchant.layer(
        { ...settings(baseUrl), attemptTimeout: Duration.seconds(5), totalTimeout: 20_000 },
        handlers
      )
    ]
  ] as const) {
    yield* Requests.use(({ send }) => send("apm-payment", { ...order, requestId })).pipe(
      Effect.provide(Layer.provide(merchant, variables))
    )
  }
  expect(yield* transactions).toHaveLength(2)
})

it("fails with a sentence that names what is missing or wrong", async () => {
  const failure = (env: Readonly<Record<string, string>>) =>
    Merchant.layerConfig(Merchant.config, handlers).pipe(
      Layer.provide(environment(env)),
      Layer.build,
      Effect.scoped,
      Effect.flip,
      Effect.runPromise
    )
  expect((await failure({})).message).toMatch(/^Set PAWL_STORE in the environment: /u)
  const missing = await failure({ PAWL_STORE: "memory", PAWL_MERCHANT_KEY: "key" })
  expect(missing).toBeInstanceOf(InvalidConfig)
  expect(missing.message).toMatch(/^Set PAWL_BASE_URL, PAWL_MERCHANT_SECRET in the environment: /u)
  const wrong = await failure({
    PAWL_STORE: "memory",
    PAWL_BASE_URL: "http://127.0.0.1:9/api",
    PAWL_MERCHANT_KEY: "key",
    PAWL_MERCHANT_SECRET: "hunter2",
    PAWL_TOTAL_TIMEOUT: "hunter3"
  })
  expect(wrong.message).toMatch(/^PAWL_TOTAL_TIMEOUT cannot be used: /u)
  expect(wrong.message).not.toContain("hunter")
})

const file = files()

test("refuses the store of a sandbox when it is opened against another service", function* () {
  const { baseUrl } = yield* Sandbox.Sandbox
  const { filename } = file()
  const open = (url: string) =>
    Merchant.layer({ ...settings(url), store: `sqlite:${filename}` }, handlers).pipe(
      Layer.fresh,
      Layer.build,
      Effect.scoped,
      Effect.exit
    )
  expect((yield* open(baseUrl))._tag).toBe("Success")
  const refused = yield* open("https://pay.example/api")
  expect(String(refused)).toContain(`The store belongs to the service at ${baseUrl}`)
  expect((yield* open(baseUrl))._tag).toBe("Success")
})
