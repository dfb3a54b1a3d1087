/** The laws of a gateway, in memory, in a sandbox over HTTP, and with planted bugs. */
import * as Laws from "@pawl/testkit/Laws"
import * as Sandbox from "@pawl/sandbox/Sandbox"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { assert, describe, it } from "vitest"
import { describePlantedBugs } from "@pawl/test-support/PlantedBugs"
import { GatewayUnderTest, type MakeGateway } from "../../src/gateway/GatewayLaw.ts"
import { gatewayInMemory, laws } from "../../src/gateway/GatewayLaws.ts"
import { plantedBugs } from "./plantedBugs.ts"

const sandbox: MakeGateway = () =>
  Layer.effect(
    GatewayUnderTest,
    Effect.map(Sandbox.Sandbox, ({ baseUrl }) => ({
      handle: ({ body, headers, method, path }) =>
        Effect.promise(async () => {
          const response = await fetch(new URL(path, baseUrl), {
            method,
            headers: Object.entries(headers).map(([name, value = ""]): [string, string] => [
              name,
              value
            ]),
            body: method === "GET" ? null : new TextDecoder().decode(body)
          })
          const { status } = response
          return {
            status,
            headers: Object.fromEntries(response.headers),
            body: await response.text()
          }
        }),
      pass: (duration) =>
        Effect.promise(async () => {
          const response = await fetch(new URL("/sandbox/clock", baseUrl), {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify({ advance: `${Duration.toMillis(duration)} millis` })
          })
          assert.strictEqual(response.status, 200, await response.text())
        })
    }))
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
