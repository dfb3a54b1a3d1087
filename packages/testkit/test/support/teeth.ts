/**
 * What is held of laws that are put to planted bugs: each bug is caught by the law that is for it, each law
 * catches one that no other does, and the page says so.
 */
import { assert, beforeAll, describe, expect, it } from "vitest"
import type * as Laws from "../../src/Laws.ts"
import { breaks, broken, names, rowsOf } from "./laws.ts"

/** A bug in words, how the name of the law for it begins, and the bug. */
export type Bug<Planted> = readonly [bug: string, beginning: string, plant: Planted]

/** Describes the teeth of the laws of something, which are the section `Of …` of `docs/laws.md`. */
export const describeTeeth = <Subject, Value, Planted>(
  of: string,
  laws: ReadonlyArray<Laws.Law<Subject, Value>>,
  bugs: ReadonlyArray<Bug<Planted>>,
  subjectOf: (plant: Planted) => Subject
) =>
  describe(`the laws of ${of}`, () => {
    const lawOf = (beginning: string) => {
      const [name, ...others] = names(laws).filter((each) => each.startsWith(beginning))
      return others.length > 0 || name === undefined ? assert.fail(`no one law ${beginning}`) : name
    }

    /** Of each bug, the laws that find it. */
    let found: ReadonlyArray<readonly [bug: string, law: string, ReadonlyArray<Laws.LawBroken>]> =
      []
    beforeAll(async () => {
      found = await Promise.all(
        bugs.map(async ([bug, beginning, plant]) => {
          const caught = await breaks(laws, subjectOf(plant), { seed: 1, numRuns: 12 })
          return [bug, lawOf(beginning), caught] as const
        })
      )
    }, 300_000)

    it.for(bugs)("catch it when %s", ([bug, beginning]) => {
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
      expect(rowsOf(`Of ${of}`)).toEqual([
        ...laws.map(({ name, section }) => `|${name}|${section}|`),
        ...found.map(([bug, law, caught]) => `|${bug}|${law}|${events(law, caught)}|`)
      ])
    })
  })
