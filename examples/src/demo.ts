/**
 * The main job, end to end: a merchant, its receiver and the service on loopback ports.
 *
 * The merchant takes payments, refunds some, pays out, sells on the hosted page and charges a
 * subscription. Each operation says what is to become of it; callbacks come twice, shuffled, late,
 * forged, or not at all. In the end every transaction that the service has is held against what the
 * handler was told; the exit code is 0 only if it was told right of every one.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeHmac from "@pawl/core/NodeHmac"
import * as Profile from "@pawl/core/Profile"
import * as Pawl from "@pawl/http/Pawl"
import { Subscriptions } from "@pawl/http/Subscriptions"
import * as Sandbox from "@pawl/testkit/Sandbox"
import { VirtualClock } from "@pawl/testkit/VirtualClock"
import * as CallbackUrl from "@pawl/webhook/CallbackUrl"
import { type Entry, Journal } from "@pawl/webhook/Journal"
import * as Ledger from "@pawl/webhook/Ledger"
import * as Receiver from "@pawl/webhook/Receiver"
import * as Verifier from "@pawl/webhook/Verifier"
import * as Console from "effect/Console"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { MinimumLogLevel } from "effect/References"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import * as Callbacks from "./demo/Callbacks.ts"
import * as Day from "./demo/Day.ts"
import * as Orders from "./demo/Orders.ts"
import * as Story from "./demo/Story.ts"
import * as Timeline from "./demo/Timeline.ts"

const merchantSecret = Redacted.make("sandbox-secret")
const pollGaps = [Duration.millis(1200), Duration.millis(800)] as const

const sandbox = Sandbox.layer({ merchantKey: "sandbox-key", merchantSecret, pace: "150 millis" })

const client = Layer.unwrap(
  Effect.map(Sandbox.Sandbox, ({ baseUrl }) =>
    Pawl.layer({ baseUrl, merchantKey: "sandbox-key", merchantSecret })
  )
)

const receiver = Receiver.layer().pipe(
  Layer.provide(Verifier.layer({ current: merchantSecret })),
  Layer.provide(Orders.layerHandler),
  Layer.provide(Profile.layer({ pollGaps }))
)

const merchant = Callbacks.layer.pipe(
  Layer.provideMerge(receiver),
  Layer.provideMerge(CallbackUrl.layer(merchantSecret)),
  Layer.provide(NodeHmac.layer),
  Layer.provideMerge([Ledger.layerMemory, Orders.layer, client])
)

/** Posts a callback as somebody would who does not have the secret, and returns the answer. */
const intrude = Effect.gen(function* () {
  const { url } = yield* Callbacks.Callbacks
  const { status } = yield* HttpClientRequest.post(url).pipe(
    HttpClientRequest.setUrlParams({ paymentMethod: "apm", apmType: "WALLET" }),
    HttpClientRequest.setHeader("x-checksum", "bm90IHRoZSBzZWNyZXQgYnV0IGEgZ29vZCB0cnkhISE="),
    HttpClientRequest.bodyJson({
      transactionId: "100001",
      transactionStatus: "SUCCEED",
      accountId: "4711",
      amount: "10.50",
      currency: "EUR"
    }),
    Effect.flatMap(HttpClient.execute)
  )
  return status
})

const month = Duration.days(31)

const demo = Effect.gen(function* () {
  const { baseUrl } = yield* Sandbox.Sandbox
  const { url } = yield* Callbacks.Callbacks
  yield* Console.log(`sandbox   ${baseUrl}
receiver  ${url}

The times are seconds. ✓ is what the service itself confirmed. A transaction that stays silent is polled
after ${pollGaps.map(Duration.format).join(", then every ")}: for this demo, minutes by default.
`)

  const journal: Array<Entry> = []
  yield* (yield* Journal).entries.pipe(
    Stream.runForEach((entry) => Effect.sync(() => journal.push(entry))),
    Effect.forkScoped({ startImmediately: true })
  )
  /** What is wrong by now, if so many transactions are to be there. */
  const wrong = (expected: number) =>
    Effect.zipWith(Story.gather(journal), Orders.told, (stories, told) =>
      Story.faultsOfAll(stories, expected, told)
    )
  const untilRight = (expected: number) =>
    Effect.repeat(wrong(expected), {
      until: (faults) => faults.length === 0,
      schedule: Schedule.spaced("100 millis")
    })

  const intrusion = yield* intrude
  yield* Effect.gen(function* () {
    const clock = yield* VirtualClock
    const { cancel } = yield* Subscriptions
    const { subscriptionId } = yield* Day.trade
    yield* untilRight(Day.transactions)
    yield* clock.advance(month)
    yield* untilRight(Day.transactions + 1)
    // The month after brings no charge.
    yield* cancel(subscriptionId)
    yield* clock.advance(month)
  }).pipe(Effect.timeoutOption("60 seconds"))

  const stories = yield* Story.gather(journal)
  const ended = yield* wrong(Day.transactions + 1)
  const faults =
    intrusion === 401 ? ended : [...ended, "a callback without the right checksum was taken in"]
  yield* Console.log(Timeline.print(stories))
  yield* Console.log(`A callback without the right checksum was answered ${intrusion}.`)
  yield* Console.log(Timeline.verdict(stories.length, faults))
  return faults.length === 0
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
