/**
 * The laws of a gateway over ours, over the sandbox by its address, and over gateways with a bug.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { assert, beforeAll, describe, expect, it } from "vitest"
import * as Laws from "../src/Laws.ts"
import { Door, type Fresh, laws, ours } from "../src/Laws/Gateway.ts"
import * as Sandbox from "../src/Sandbox.ts"
import { gateways } from "./support/gateways.ts"
import { breaks, broken, names, rowsOf } from "./support/laws.ts"
import { control } from "./support/sandbox.ts"

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

describe("the laws of a gateway", () => {
  const lawOf = (beginning: string) => {
    const [name, ...others] = names(laws).filter((each) => each.startsWith(beginning))
    return others.length > 0 || name === undefined ? assert.fail(`no one law ${beginning}`) : name
  }

  /** Of each planted bug, the laws that find it. */
  let found: ReadonlyArray<readonly [bug: string, law: string, ReadonlyArray<Laws.LawBroken>]> = []
  beforeAll(async () => {
    found = await Promise.all(
      gateways.map(
        async ([bug, beginning, plant]) =>
          [
            bug,
            lawOf(beginning),
            await breaks(laws, planted(plant), { seed: 1, numRuns: 12 })
          ] as const
      )
    )
  }, 300_000)

  it.for(gateways)("catch it when %s", ([bug, beginning]) => {
    const [, , caught = []] = found.find(([each]) => each === bug) ?? []
    expect(broken(caught)).toContain(lawOf(beginning))
  })

  it("each catch what no other does", () => {
    const alone = found.flatMap(([, , caught]) => (caught.length === 1 ? broken(caught) : []))
    expect(new Set(alone)).toEqual(new Set(names(laws)))
  })

  it("are listed in docs/laws.md, with every planted bug and the fewest requests that show it", () => {
    const requests = (law: string, caught: ReadonlyArray<Laws.LawBroken>) => {
      const counterexample = caught.find((each) => each.law.name === law)?.counterexample
      return Array.isArray(counterexample) ? counterexample.length : "not caught"
    }
    expect(rowsOf("Of a gateway")).toEqual([
      ...laws.map(({ name, section }) => `|${name}|${section}|`),
      ...found.map(([bug, law, caught]) => `|${bug}|${law}|${requests(law, caught)}|`)
    ])
  })
})
