/**
 * Shows everything at once: a merchant, its receiver and the sandbox on loopback ports.
 *
 * The merchant makes payments, refunds, payouts, hosted pages and a subscription. Callbacks arrive
 * twice, out of order, late, forged, or not at all. At the end the demo prints a timeline of each
 * transaction, and the cost of the usual handler. The exit code is 0 only if the handler received
 * the status of each transaction.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeHmac from "@pawl/core/NodeHmac"
import * as Profile from "@pawl/core/Profile"
import * as Pawl from "@pawl/http/Pawl"
import { Subscriptions } from "@pawl/http/Subscriptions"
import * as Sandbox from "@pawl/sandbox/Sandbox"
import { VirtualClock } from "@pawl/testkit/VirtualClock"
import * as CallbackUrl from "@pawl/webhook/CallbackUrl"
import { type Entry, Journal } from "@pawl/webhook/Journal"
import * as Ledger from "@pawl/webhook/Ledger"
import * as Receiver from "@pawl/webhook/Receiver"
import * as Requests from "@pawl/webhook/Requests"
import * as Seal from "@pawl/webhook/Seal"
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
import * as HandlerLog from "./demo/HandlerLog.ts"
import * as Operations from "./demo/Operations.ts"
import * as ReceiverServer from "./demo/ReceiverServer.ts"
import * as Report from "./demo/Report.ts"
import * as Timeline from "./demo/Timeline.ts"
import * as UsualHandler from "./demo/UsualHandler.ts"

const merchantSecret = Redacted.make("sandbox-secret")
const pollIntervals = [Duration.millis(1200), Duration.millis(800)] as const

const sandbox = Sandbox.layer({ merchantKey: "sandbox-key", merchantSecret, pace: "150 millis" })

const client = Layer.unwrap(
  Effect.map(Sandbox.Sandbox, ({ baseUrl }) =>
    Pawl.layer({ baseUrl, merchantKey: "sandbox-key", merchantSecret })
  )
)

const receiver = Receiver.layer().pipe(
  Layer.provide(Verifier.layer({ current: merchantSecret })),
  Layer.provide(HandlerLog.layerHandler),
  Layer.provide(Profile.layer({ pollIntervals }))
)

const requests = Layer.unwrap(
  Effect.map(ReceiverServer.ReceiverServer, ({ url }) => Requests.layer({ callbackUrl: url }))
).pipe(
  Layer.provide([
    CallbackUrl.layer(merchantSecret),
    Seal.layer({ current: merchantSecret }),
    Requests.layerStore
  ])
)

const merchant = requests.pipe(
  Layer.provideMerge(ReceiverServer.layer),
  Layer.provideMerge(receiver),
  Layer.provide(NodeHmac.layer),
  Layer.provideMerge([Ledger.layerMemory, HandlerLog.layer, client])
)

/** Posts a forged callback with a wrong checksum and returns the HTTP status of the response. */
const postForgedCallback = Effect.gen(function* () {
  const { url } = yield* ReceiverServer.ReceiverServer
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
  const { url } = yield* ReceiverServer.ReceiverServer
  yield* Console.log(`sandbox   ${baseUrl}
receiver  ${url}

Times are in seconds. ✓ marks a status that the service confirmed; only final statuses need it. A transaction without callbacks is polled
after ${pollIntervals.map(Duration.format).join(", then every ")} (the defaults are minutes).
`)

  const journal: Array<Entry> = []
  yield* (yield* Journal).entries.pipe(
    Stream.runForEach((entry) => Effect.sync(() => journal.push(entry))),
    Effect.forkScoped({ startImmediately: true })
  )
  /** `expected` is the number of transactions. */
  const problemsNow = (expected: number) =>
    Effect.zipWith(Report.makeAll(journal), HandlerLog.transitions, (reports, told) =>
      Report.problemsOfAll(reports, expected, told)
    )
  const untilRight = (expected: number) =>
    Effect.repeat(problemsNow(expected), {
      until: (problems) => problems.length === 0,
      schedule: Schedule.spaced("100 millis")
    })

  const forgedStatus = yield* postForgedCallback
  yield* Effect.gen(function* () {
    const clock = yield* VirtualClock
    const { cancel } = yield* Subscriptions
    const { subscriptionId } = yield* Operations.runAll
    yield* untilRight(Operations.transactionCount)
    // The subscription makes one more charge.
    yield* clock.advance(month)
    yield* untilRight(Operations.transactionCount + 1)
    // After the cancel it makes none.
    yield* cancel(subscriptionId)
    yield* clock.advance(month)
  }).pipe(Effect.timeoutOption("60 seconds"))

  const reports = yield* Report.makeAll(journal)
  const transactionProblems = yield* problemsNow(Operations.transactionCount + 1)
  const problems =
    forgedStatus === 401
      ? transactionProblems
      : [...transactionProblems, "a callback with a wrong checksum was accepted"]
  yield* Console.log(Timeline.print(reports))
  yield* Console.log(UsualHandler.print(reports))
  yield* Console.log(
    forgedStatus === 401
      ? "A callback with a wrong checksum was refused with 401, as it has to be."
      : `The response to a callback with a wrong checksum was ${forgedStatus}, and has to be 401.`
  )
  yield* Console.log(Timeline.verdict(reports.length, problems))
  return problems.length === 0
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
