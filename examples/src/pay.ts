import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Pawl from "@pawl/http/Pawl"
import * as NodeRequests from "@pawl/webhook/NodeRequests"
import { Requests } from "@pawl/webhook/Requests"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const apmPayload = { paymentMethod: "WALLET" }
const order = { requestId: "17", accountId: "4711", amount: "10.00", currency: "EUR", apmPayload }
const payment = Requests.use(({ send }) => send("apm-payment", order))
const report = Effect.tap(payment, ({ transactionId: id }) => Effect.log(`17 is payment ${id}`))
const requests = NodeRequests.layerConfig({ filename: "orders.db" })
const layer = Layer.provide(requests, Pawl.layerConfig())
NodeRuntime.runMain(Effect.provide(report, layer))
