/**
 * The laws of a client over ours, over one written by hand, and over that with a bug.
 */
import { assert, beforeAll, describe, expect, it } from "vitest"
import * as Laws from "../src/Laws.ts"
import { laws, ours } from "../src/Laws/Client.ts"
import { byHand } from "./support/byHand.ts"
import { clients } from "./support/clients.ts"
import { breaks, broken, names, rowsOf } from "./support/laws.ts"

describe("the laws of a client hold", () => {
  it.for(laws)("for ours: $name", (law) => Laws.run(law, ours))
  it.for(laws)("for one written by hand: $name", (law) => Laws.run(law, byHand()))
  it.for(laws)("for one that only creates and reads: $name", (law) =>
    Laws.run(
      law,
      (service) => {
        const { create, status } = byHand()(service)
        return { create, status }
      },
      { numRuns: 5 }
    )
  )
})

describe("the laws of a client", () => {
  const lawOf = (beginning: string) => {
    const [name, ...others] = names(laws).filter((each) => each.startsWith(beginning))
    return others.length > 0 || name === undefined ? assert.fail(`no one law ${beginning}`) : name
  }

  /** Of each planted bug, the laws that find it. */
  let found: ReadonlyArray<readonly [bug: string, law: string, ReadonlyArray<Laws.LawBroken>]> = []
  beforeAll(async () => {
    found = await Promise.all(
      clients.map(
        async ([bug, beginning, habits]) =>
          [
            bug,
            lawOf(beginning),
            await breaks(laws, byHand(habits), { seed: 1, numRuns: 12 })
          ] as const
      )
    )
  }, 300_000)

  it.for(clients)("catch it when %s", ([bug, beginning]) => {
    const [, , caught = []] = found.find(([each]) => each === bug) ?? []
    expect(broken(caught)).toContain(lawOf(beginning))
  })

  it("each catch what no other does", () => {
    const alone = found.flatMap(([, , caught]) => (caught.length === 1 ? broken(caught) : []))
    expect(new Set(alone)).toEqual(new Set(names(laws)))
  })

  it("are listed in docs/laws.md, with every planted bug and the fewest events that show it", () => {
    const events = (law: string, caught: ReadonlyArray<Laws.LawBroken>) => {
      const counterexample = caught.find((each) => each.law.name === law)?.counterexample
      return Array.isArray(counterexample) ? counterexample.length : "not caught"
    }
    expect(rowsOf("Of a client")).toEqual([
      ...laws.map(({ name, section }) => `|${name}|${section}|`),
      ...found.map(([bug, law, caught]) => `|${bug}|${law}|${events(law, caught)}|`)
    ])
  })
})
