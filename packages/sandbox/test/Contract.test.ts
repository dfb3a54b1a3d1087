/** `Contract.long.test.ts` has the other services. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import * as Gateway from "@pawl/testkit/Gateway"
import { testGateway, Receiver } from "@pawl/test-support/TestGateway"
import { ServiceUnderTest } from "./support/contractService.ts"
import {
  anotherOf,
  clockAt,
  keepsContract,
  pressing,
  type ServiceLayer
} from "./support/contractTests.ts"

const gateway: ServiceLayer = (options, startsAt = 0) =>
  Layer.effect(
    ServiceUnderTest,
    Effect.gen(function* () {
      const service = yield* Gateway.Gateway
      const { handle, reset } = service
      const { received } = yield* Receiver
      return {
        handle,
        reset,
        press: pressing(service),
        pass: TestClock.adjust,
        another: anotherOf(gateway, options),
        callbackUrl: "http://127.0.0.1:4020/callback?t=1",
        arrived: Effect.sync(() =>
          received.map((each) => ({ ...each, method: "POST", search: new URL(each.url).search }))
        )
      }
    })
  ).pipe(Layer.provideMerge(testGateway(options, () => 200, clockAt(startsAt))))

keepsContract("gateway", gateway)
