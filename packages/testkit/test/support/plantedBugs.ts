/**
 * The named law catches each bug, each law catches a bug that no other law catches, and
 * docs/laws.md lists each law.
 */
import { assert, beforeAll, describe, expect, it } from "vitest"
import type * as Laws from "../../src/Laws.ts"
import {
  breaks,
  broken,
  expectDescribed,
  expectListed,
  expectSummary,
  names,
  stepsOf
} from "./lawTests.ts"

/** A description, the beginning of the law's name, and the bug. */
export type PlantedBug<Planted> = readonly [bug: string, beginning: string, plant: Planted]

/** The names of the laws that a bug breaks, and how it breaks its own, unless that has no steps. */
interface Found {
  readonly broken: ReadonlyArray<string>
  readonly by?: Laws.LawBroken | undefined
}

/** `more` declares tests that ask for what was found of a bug. */
interface Options {
  readonly hasSteps?: boolean
  readonly more?: (foundOf: (bug: string) => Found | undefined) => void
}

/** Declares the tests of the laws in the section `Of …` of docs/laws.md. */
export const describeBugs = <Planted>(
  of: string,
  laws: ReadonlyArray<Laws.LawText>,
  bugs: ReadonlyArray<PlantedBug<Planted>>,
  find: (plant: Planted, law: string) => Promise<Found>,
  { hasSteps = true, more }: Options = {}
) =>
  describe(`the laws of ${of}`, () => {
    const lawOf = (beginning: string) => {
      const [name, ...others] = names(laws).filter((each) => each.startsWith(beginning))
      return others.length > 0 || name === undefined
        ? assert.fail(`not exactly one law begins with ${beginning}`)
        : name
    }

    const found = new Map<string, Found>()
    beforeAll(async () => {
      const finding = bugs.map(([, beginning, plant]) => find(plant, lawOf(beginning)))
      for (const [at, each] of (await Promise.all(finding)).entries())
        found.set(bugs[at]?.[0] ?? "", each)
    }, 300_000)

    it.for(bugs)("catch the planted bug: %s", ([bug, beginning]) => {
      expect(found.get(bug)?.broken).toContain(lawOf(beginning))
    })

    it("each catch a planted bug that no other law catches", () => {
      const alone = [...found.values()].filter(({ broken }) => broken.length === 1)
      expect(new Set(alone.flatMap(({ broken }) => broken))).toEqual(new Set(names(laws)))
    })

    it("are listed in docs/laws.md, and the lengths of the counterexamples in docs/situations.md", () => {
      expectListed(of, laws)
      if (hasSteps)
        expectSummary(
          of,
          Array.from(found.values(), ({ by }) => stepsOf(by))
        )
    })

    it("have different names, a section and an explanation", () => expectDescribed(laws))

    more?.((bug) => found.get(bug))
  })

/** Declares the tests of laws that one run checks one after the other. */
export const describePlantedBugs = <Subject, Value, Planted>(
  of: string,
  laws: ReadonlyArray<Laws.Law<Subject, Value>>,
  bugs: ReadonlyArray<PlantedBug<Planted>>,
  subjectOf: (plant: Planted) => Subject,
  numRuns = 8
) =>
  describeBugs(of, laws, bugs, async (plant, law) => {
    const caught = await breaks(laws, subjectOf(plant), { seed: 1, numRuns })
    return { broken: broken(caught), by: caught.find((each) => each.law.name === law) }
  })
