/**
 * The laws of a gateway over ours, over the sandbox by its address, and over gateways with a bug.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { assert, describe, it } from "vitest"
import * as Laws from "@pawl/testkit/Laws"
import { Door, type Fresh, laws, ours } from "../src/gateway/GatewayLaws.ts"
import * as Sandbox from "@pawl/testkit/Sandbox"
import { gateways } from "./gateways.ts"
import { control } from "../../packages/testkit/test/support/sandbox.ts"
import { describePlantedBugs } from "../../packages/testkit/test/support/plantedBugs.ts"

const sandbox: Fresh = () =>
  Layer.effect(
    Door,
    Effect.gen(function* () {
      const { baseUrl } = yield* Sandbox.Sandbox
      const context = yield* Effect.context<Sandbox.Sandbox>()
      return {
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
          control("POST", "/clock", { advance: `${Duration.toMillis(duration)} millis` }).pipe(
            Effect.map(({ status }) => assert.strictEqual(status, 200)),
            Effect.provideContext(context)
          ),
        merchantKey: "sandbox-key",
        merchantSecret: "sandbox-secret"
      }
    })
  ).pipe(Layer.provide(Sandbox.layer({ pace: "15 minutes" })))

const planted =
  (plant: (typeof gateways)[number][2]): Fresh =>
  () =>
    Layer.effect(
      Door,
      Effect.map(Door, (door) => ({ ...door, handle: plant(door.handle) }))
    ).pipe(Layer.provideMerge(ours()))

describe("the laws of a gateway hold", () => {
  it.for(laws)("in memory: $name", (law) => Laws.run(law, ours))
  it.for(laws)("over a socket: $name", (law) => Laws.run(law, sandbox, { numRuns: 3 }))
})

describePlantedBugs("a gateway", laws, gateways, planted)
