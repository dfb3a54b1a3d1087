/** The laws of a gateway, in memory, in a sandbox over HTTP, and with planted bugs. */
import * as Laws from "@pawl/testkit/Laws"
import * as Sandbox from "@pawl/sandbox/Sandbox"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { readFileSync } from "node:fs"
import { assert, beforeAll, describe, expect, it } from "vitest"
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
        }),
      merchantKey: "sandbox-key",
      merchantSecret: "sandbox-secret"
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

/** The name of the one law that begins so. */
const lawOf = (beginning: string): string => {
  const [name, ...others] = laws
    .map(({ name }) => name)
    .filter((name) => name.startsWith(beginning))
  return name === undefined || others.length > 0 ? assert.fail(`no one law ${beginning}`) : name
}

const catching = async (plant: (typeof plantedBugs)[number][2]) => {
  const results = await Effect.runPromise(
    Effect.forEach(laws, (law) => Effect.result(law.check(withBug(plant), { seed: 1, numRuns: 8 })))
  )
  return results.flatMap((result) => (Result.isFailure(result) ? [result.failure] : []))
}

const page = readFileSync(`${import.meta.dirname}/../../../docs/laws.md`, "utf8")

const documentedLaws = (): ReadonlyArray<string> => {
  const text = page.split(/^## /mu).find((section) => section.startsWith("Of a gateway\n")) ?? ""
  return Array.from(text.matchAll(/^- (.+)$/gmu), ([, law = ""]) => law)
}

describe("the laws of a gateway", () => {
  let found: ReadonlyArray<
    readonly [bug: string, law: string, broken: ReadonlyArray<Laws.LawBroken>]
  > = []
  beforeAll(async () => {
    found = await Promise.all(
      plantedBugs.map(
        async ([bug, beginning, plant]) => [bug, lawOf(beginning), await catching(plant)] as const
      )
    )
  }, 300_000)

  it.for(plantedBugs)("catch it when %s", ([bug, beginning]) => {
    const [, , broken = []] = found.find(([each]) => each === bug) ?? []
    expect(broken.map(({ law }) => law.name)).toContain(lawOf(beginning))
  })

  it("each catch a bug that no other law catches", () => {
    const alone = found.flatMap(([, , [first, ...others]]) =>
      first === undefined || others.length > 0 ? [] : [first.law.name]
    )
    expect(new Set(alone)).toEqual(new Set(laws.map(({ name }) => name)))
  })

  it("are listed in docs/laws.md", () => {
    expect(documentedLaws()).toEqual(laws.map(({ name }) => name))
  })

  it("have the lengths of their counterexamples in docs/situations.md", () => {
    const situations = readFileSync(`${import.meta.dirname}/../../../docs/situations.md`, "utf8")
    const steps = found
      .map(([, law, broken]) => {
        const counterexample = broken.find((each) => each.law.name === law)?.counterexample
        return Array.isArray(counterexample) ? counterexample.length : Infinity
      })
      .toSorted((one, two) => one - two)
    const row = [steps.length, steps[Math.floor(steps.length / 2)], steps.at(-1)]
    expect(situations.replaceAll(/ +/gu, " ")).toContain(`| of a gateway | ${row.join(" | ")} |`)
  })
})
