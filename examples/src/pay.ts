import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { ApmPayments } from "@pawl/http/ApmPayments"
import * as Pawl from "@pawl/http/Pawl"
import * as Effect from "effect/Effect"

Effect.gen(function* () {
  const apmPayload = { paymentMethod: "WALLET" }
  const order = { accountId: "4711", amount: "10.00", currency: "EUR", apmPayload }
  const payment = yield* ApmPayments.use(({ create }) => create(order))
  yield* Effect.log(`${payment.transactionId} is ${payment.transactionStatus}`)
}).pipe(
  Effect.catchTag("Declined", ({ message }) => Effect.logWarning(message)),
  Effect.provide(Pawl.layerConfig),
  NodeRuntime.runMain
)
