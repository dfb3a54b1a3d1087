import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Requests } from "@pawl/webhook/Requests"
import * as Effect from "effect/Effect"
import * as Merchant from "pawl/Merchant"

const apmPayload = { paymentMethod: "WALLET" }
const order = { requestId: "17", accountId: "4711", amount: "10.00", currency: "EUR", apmPayload }
const merchant = Merchant.layerConfig(Merchant.config, { handle: ({ to }) => Effect.log(to) })
const payment = Requests.use(({ send }) => send("apm-payment", order)).pipe(Effect.tap(Effect.log))
NodeRuntime.runMain(Effect.provide(Effect.andThen(payment, Effect.never), merchant))
