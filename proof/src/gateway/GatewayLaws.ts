/**
 * The laws of a gateway: the payments service itself, or a substitute. Some select a scenario of
 * the sandbox (`sandbox.scenario`).
 */
import { pass } from "@pawl/test-support/World"
import * as Fake from "@pawl/testkit/Fake"
import * as Gateway from "@pawl/testkit/Gateway"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { type GatewayLaw, GatewayUnderTest, type MakeGateway } from "./GatewayLaw.ts"
import { requestLaws } from "./RequestLaws.ts"
import { transactionLaws } from "./TransactionLaws.ts"

/** Makes the gateway in memory, in virtual time; transactions move every 15 minutes. */
export const gatewayInMemory: MakeGateway = () =>
  Layer.effect(
    GatewayUnderTest,
    Effect.map(Gateway.Gateway, ({ handle }) => ({ handle, pass }))
  ).pipe(
    Layer.provide(Fake.layer({ pace: "15 minutes" })),
    Layer.provideMerge(TestClock.layer({ warningDelay: "1 hour" }))
  )

export const laws: ReadonlyArray<GatewayLaw> = [...requestLaws, ...transactionLaws]
