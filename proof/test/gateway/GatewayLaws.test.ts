/** The laws of a gateway, in memory, in a sandbox over HTTP, and with planted bugs. */
import * as Laws from "@pawl/testkit/Laws"
import * as Sandbox from "@pawl/sandbox/Sandbox"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { assert, describe, it } from "vitest"
import { overHttp } from "@pawl/test-support/OverHttp"
import { bytes } from "@pawl/test-support/Service"
import { describePlantedBugs } from "@pawl/test-support/PlantedBugs"
import { GatewayUnderTest, type MakeGateway } from "../../src/gateway/GatewayLaw.ts"
import { gatewayInMemory, laws } from "../../src/gateway/GatewayLaws.ts"
import { plantedBugs } from "./plantedBugs.ts"

const sandbox: MakeGateway = () =>
  Layer.effect(
    GatewayUnderTest,
    Effect.map(Sandbox.Sandbox, ({ baseUrl }) => {
      const handle = overHttp(new URL(baseUrl).origin)
      const headers = { "content-type": "application/json" }
      const clock = { method: "POST", path: "/sandbox/clock", headers }
      return {
        handle,
        pass: (duration) => {
          const advance = `${Duration.toMillis(duration)} millis`
          return Effect.map(
            handle({ ...clock, body: bytes(JSON.stringify({ advance })) }),
            ({ body, status }) => assert.strictEqual(status, 200, body)
          )
        }
      }
    })
  ).pipe(Layer.provide(Sandbox.layer({ pace: "15 minutes" })))

describe("the laws of a gateway hold", () => {
  it.for(laws)("in memory: $name", (law) => Laws.run(law, gatewayInMemory, { numRuns: 20 }))
  it.for(laws)("over a socket: $name", (law) => Laws.run(law, sandbox, { numRuns: 3 }))
})

const withBug =
  (plant: (typeof plantedBugs)[number][2]): MakeGateway =>
  () =>
    Layer.effect(
      GatewayUnderTest,
      Effect.map(GatewayUnderTest, (gateway) => ({ ...gateway, handle: plant(gateway.handle) }))
    ).pipe(Layer.provideMerge(gatewayInMemory()))

describePlantedBugs("a gateway", laws, plantedBugs, withBug)
