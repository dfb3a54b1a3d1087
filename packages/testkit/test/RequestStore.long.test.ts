import * as Ledger from "@pawl/webhook/Ledger"
import * as NodePostgres from "@pawl/webhook/NodePostgres"
import { layerMemory, RequestStore } from "@pawl/webhook/internal/ledger/RequestStore"
import { server } from "@pawl/test-support/Postgres"
import { describeWithDatabase } from "@pawl/test-support/PostgresTests"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { assert, beforeAll, describe, expect, it } from "vitest"
import { requestLaws as laws } from "../src/Laws/Store.ts"
import { breaks, broken, expectListed, names } from "./support/lawTests.ts"
import { brokenFacets, examples, type Fresh, hold } from "./support/requestStoreLaws.ts"
import { requestStores } from "./support/requestStores.ts"
import { emptied } from "./support/sqlStore.ts"

await describeWithDatabase((database) => {
  const postgres = emptied(NodePostgres.layer({ ...server, database, maxConnections: 4 }))
  hold("in PostgreSQL", () => postgres, 3)
})

describe("the laws of a request store", () => {
  const lawOf = (beginning: string) => {
    const [law, ...others] = names(laws).filter((name) => name.startsWith(beginning))
    return others.length > 0 || law === undefined
      ? assert.fail(`not exactly one law begins with ${beginning}`)
      : law
  }

  let found: ReadonlyArray<{ readonly bug: string; readonly broken: ReadonlyArray<string> }> = []
  beforeAll(async () => {
    found = await Promise.all(
      requestStores.map(async ([bug, , plant]) => {
        const fresh: Fresh = () =>
          Layer.provideMerge(
            Layer.effect(RequestStore, Effect.map(RequestStore, plant)).pipe(
              Layer.provide(layerMemory)
            ),
            Layer.fresh(Ledger.layerMemory)
          )
        const options = { seed: 10, numRuns: 150 }
        return {
          bug,
          broken: [
            ...(await brokenFacets(fresh, options)),
            ...broken(await breaks(examples, fresh, options))
          ]
        }
      })
    )
  }, 300_000)

  it.for(requestStores)("catch it when %s", ([bug, beginning]) => {
    expect(found.find((one) => one.bug === bug)?.broken).toContain(lawOf(beginning))
  })

  it("each catch a bug that no other law catches", () => {
    const alone = found.flatMap(({ broken }) => (broken.length === 1 ? broken : []))
    expect(new Set(alone)).toEqual(new Set(names(laws)))
  })

  it("are listed in docs/laws.md", () => {
    expectListed("a request store", laws)
  })

  it("have different names, a section and an explanation", () => {
    expect(new Set(names(laws)).size).toBe(laws.length)
    for (const { explanation, section } of laws) {
      expect(section).toMatch(/^docs\/decisions\/\d{4}$/u)
      expect(explanation).toMatch(/\.$/u)
    }
  })
})
