/**
 * The main job, end to end: a shop, its receiver and the sandbox on three loopback ports.
 *
 * Customers order; each order says what is to become of its payment. Callbacks come twice, shuffled,
 * late, forged, or not at all. In the end every transaction is held against the service's own truth;
 * the exit code is 0 only if the handler was told right of every one.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeHmac from "@pawl/core/NodeHmac"
import * as Profile from "@pawl/core/Profile"
import * as Pawl from "@pawl/http/Pawl"
import { Courier } from "@pawl/testkit/Courier"
import { Gateway } from "@pawl/testkit/Gateway"
import * as Sandbox from "@pawl/testkit/Sandbox"
import * as Scenario from "@pawl/testkit/Scenario"
import { type Entered, Journal } from "@pawl/webhook/Journal"
import * as Ledger from "@pawl/webhook/Ledger"
import * as Receiver from "@pawl/webhook/Receiver"
import * as Verifier from "@pawl/webhook/Verifier"
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { MinimumLogLevel } from "effect/References"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import * as Callbacks from "./demo/Callbacks.ts"
import * as Orders from "./demo/Orders.ts"
import * as Shop from "./demo/Shop.ts"
import * as Timeline from "./demo/Timeline.ts"

const scenarios = [
  "succeed",
  "succeed+duplicate",
  "succeed+shuffle",
  "succeed+shuffle+duplicate",
  "succeed+late",
  "succeed+silent",
  "succeed+lost",
  "succeed+forged",
  "decline:51",
  "decline:5+duplicate+shuffle",
  "decline:51+forged",
  "decline:14+forged+shuffle",
  "challenge",
  "challenge+shuffle+duplicate",
  "cancel",
  "cancel+forged",
  "refund",
  "refund+shuffle",
  "chargeback",
  "chargeback+duplicate",
  "chargeback+shuffle",
  "conflict",
  "conflict+duplicate",
  "stuck+duplicate"
]

const merchantSecret = Redacted.make("sandbox-secret")
const pollGaps = [Duration.millis(1500), Duration.millis(900)] as const

const sandbox = Sandbox.layer({ merchantKey: "sandbox-key", merchantSecret, pace: "250 millis" })

const client = Layer.unwrap(
  Effect.map(Sandbox.Sandbox, ({ baseUrl }) =>
    Pawl.layer({ baseUrl, merchantKey: "sandbox-key", merchantSecret })
  )
)

const receiver = Receiver.layer().pipe(
  Layer.provide(Verifier.layer({ current: merchantSecret })),
  Layer.provide(NodeHmac.layer),
  Layer.provide(Orders.layerHandler),
  Layer.provide(Profile.layer({ pollGaps }))
)

const merchant = Shop.layer.pipe(
  Layer.provideMerge(Callbacks.layer),
  Layer.provideMerge(receiver),
  Layer.provideMerge([Ledger.layerMemory, Orders.layer]),
  Layer.provide(client)
)

/** Orders as a customer does, over HTTP. */
const order = Effect.fnUntraced(function* (scenario: string, index: number) {
  const { url } = yield* Shop.Shop
  const startedAt = yield* Clock.currentTimeMillis
  const receipt = yield* HttpClientRequest.post(`${url}/orders`).pipe(
    HttpClientRequest.bodyJson({
      orderId: `order-${index + 1}`,
      amount: `${index + 10}.50`,
      scenario
    }),
    Effect.flatMap(HttpClient.execute),
    Effect.flatMap(HttpClientResponse.schemaBodyJson(Shop.Receipt))
  )
  return { ...receipt, scenario, startedAt, answeredAt: yield* Clock.currentTimeMillis }
})

/** Gathers a transaction from every side: the truth, the journal, the merchant's books. */
const gather = Effect.fnUntraced(function* (
  receipt: Effect.Success<ReturnType<typeof order>>,
  journal: ReadonlyArray<Entered>
) {
  const { transaction } = yield* Gateway
  const { told } = yield* Orders.Orders
  const courier = yield* Courier
  const ledger = yield* Ledger.Ledger
  const { transactionId } = receipt
  const truth = yield* Effect.flatMap(transaction(transactionId), Effect.fromNullishOr)
  const entries = journal.filter((entry) => entry.transactionId === transactionId)
  const deliveries = (yield* courier.deliveries).filter(
    (delivery) => delivery.transactionId === transactionId
  )
  const row = yield* ledger.get("apm", transactionId)
  const accepted = row?.callbacks ?? 0
  return { ...receipt, truth, entries, told: told(transactionId), deliveries, accepted }
})

/** The transaction is at rest, every callback that was to come has come, and the handler knows the end. */
const isOver = (story: Timeline.Story): boolean => {
  const scenario = Scenario.parse(story.scenario)
  if (scenario === undefined || Timeline.faults(story).length > 0) return false
  const { manner, statuses } = scenario
  const lost = manner.silent ? statuses.length : manner.lost ? 1 : 0
  const isAtRest = story.truth.history.length === statuses.length
  return isAtRest && Timeline.missing(story).length === lost
}

/** Posts a callback as somebody would who does not have the secret, and returns the answer. */
const intrude = Effect.fnUntraced(function* (transactionId: string) {
  const { url } = yield* Callbacks.Callbacks
  const { status } = yield* HttpClientRequest.post(url).pipe(
    HttpClientRequest.setUrlParams({ paymentMethod: "apm", apmType: "WALLET" }),
    HttpClientRequest.setHeader("x-checksum", "bm90IHRoZSBzZWNyZXQgYnV0IGEgZ29vZCB0cnkhISE="),
    HttpClientRequest.bodyJson({
      transactionId,
      transactionStatus: "SUCCEED",
      accountId: "4711",
      amount: "10.50",
      currency: "EUR"
    }),
    Effect.flatMap(HttpClient.execute)
  )
  return status
})

const byId = (one: Timeline.Story, two: Timeline.Story) =>
  Number(one.truth.transactionId) - Number(two.truth.transactionId)

const demo = Effect.gen(function* () {
  const { baseUrl } = yield* Sandbox.Sandbox
  const { url: shopUrl } = yield* Shop.Shop
  const { url: callbackUrl } = yield* Callbacks.Callbacks
  const { entries } = yield* Journal
  const gaps = pollGaps.map(Duration.format).join(", then every ")
  yield* Console.log(`shop      ${shopUrl}
receiver  ${callbackUrl}
sandbox   ${baseUrl}

${scenarios.length} orders are placed. A transaction that stays silent is polled after ${gaps}:
fractions of a second for this demo, minutes by default.
`)

  const journal: Array<Entered> = []
  yield* entries.pipe(
    Stream.runForEach((entry) => Effect.sync(() => journal.push(entry))),
    Effect.forkScoped({ startImmediately: true })
  )
  const receipts = yield* Effect.forEach(scenarios, order, { concurrency: "unbounded" })
  const gathered = Effect.forEach(receipts, (receipt) => gather(receipt, journal))
  const intrusion = yield* intrude(receipts[0]?.transactionId ?? "")
  const inTime = yield* gathered.pipe(
    Effect.repeat({ until: (all) => all.every(isOver), schedule: Schedule.spaced("100 millis") }),
    Effect.timeoutOption("20 seconds")
  )
  const stories = (yield* gathered).toSorted(byId)
  for (const story of stories) yield* Console.log(Timeline.print(story))
  yield* Console.log(`A callback without the right checksum was answered ${intrusion}.`)
  if (Option.isNone(inTime)) yield* Console.log("Not everything had ended after 20 seconds.")
  yield* Console.log(Timeline.verdict(stories))
  return (
    intrusion === 401 &&
    Option.isSome(inTime) &&
    stories.every((story) => Timeline.faults(story).length === 0)
  )
})

demo.pipe(
  Effect.scoped,
  Effect.provide(
    merchant.pipe(Layer.provideMerge(sandbox), Layer.provideMerge(NodeHttpClient.layerUndici))
  ),
  Effect.provideService(MinimumLogLevel, "Error"),
  Effect.flatMap((isRight) =>
    Effect.sync(() => {
      process.exitCode = isRight ? 0 : 1
    })
  ),
  NodeRuntime.runMain
)
