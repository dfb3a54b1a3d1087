/**
 * The named law catches each bug, each law catches a bug that no other law catches, and
 * docs/laws.md lists each law.
 */
import { assert, beforeAll, describe, expect, it } from "vitest"
import type * as Laws from "../../src/Laws.ts"
import { breaks, broken, expectListed, expectSummary, names, stepsOf } from "./lawTests.ts"

/** A description, the beginning of the law's name, and the bug. */
export type PlantedBug<Planted> = readonly [bug: string, beginning: string, plant: Planted]

/** Declares the tests of the laws in the section `Of …` of docs/laws.md. */
export const describePlantedBugs = <Subject, Value, Planted>(
  of: string,
  laws: ReadonlyArray<Laws.Law<Subject, Value>>,
  bugs: ReadonlyArray<PlantedBug<Planted>>,
  subjectOf: (plant: Planted) => Subject,
  numRuns = 8
) =>
  describe(`the laws of ${of}`, () => {
    const lawOf = (beginning: string) => {
      const [name, ...others] = names(laws).filter((each) => each.startsWith(beginning))
      return others.length > 0 || name === undefined
        ? assert.fail(`not exactly one law begins with ${beginning}`)
        : name
    }

    let found: ReadonlyArray<readonly [bug: string, law: string, ReadonlyArray<Laws.LawBroken>]> =
      []
    beforeAll(async () => {
      found = await Promise.all(
        bugs.map(async ([bug, beginning, plant]) => {
          const caught = await breaks(laws, subjectOf(plant), { seed: 1, numRuns })
          return [bug, lawOf(beginning), caught] as const
        })
      )
    }, 300_000)

    it.for(bugs)("catch the planted bug: %s", ([bug, beginning]) => {
      const [, , caught = []] = found.find(([each]) => each === bug) ?? []
      expect(broken(caught)).toContain(lawOf(beginning))
    })

    it("each catch a planted bug that no other law catches", () => {
      const alone = found.flatMap(([, , caught]) => (caught.length === 1 ? broken(caught) : []))
      expect(new Set(alone)).toEqual(new Set(names(laws)))
    })

    it("are listed in docs/laws.md, and the lengths of the counterexamples in docs/situations.md", () => {
      expectListed(of, laws)
      expectSummary(
        of,
        found.map(([, law, caught]) => stepsOf(caught.find((each) => each.law.name === law)))
      )
    })
  })
