/**
 * The named law catches each bug, each law catches a bug that no other law catches, and
 * docs/laws.md lists each law.
 */
import { assert, beforeAll, describe, expect, it } from "vitest"
import { repeats } from "./Repeats.ts"
import type * as Laws from "@pawl/testkit/Laws"
import type { PlantedBug } from "./Bugs.ts"
import * as LawTests from "./LawTests.ts"

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
  find: (plant: Planted, law: string) => Found | Promise<Found>,
  { hasSteps = true, more }: Options = {}
) =>
  describe(`the laws of ${of}`, () => {
    const lawOf = (beginning: string) => {
      const [name, ...others] = LawTests.names(laws).filter((each) => each.startsWith(beginning))
      return others.length > 0 || name === undefined
        ? assert.fail(`not exactly one law begins with ${beginning}`)
        : name
    }

    const found = new Map<string, Found>()
    beforeAll(async () => {
      for (const [bug, beginning, plant] of bugs)
        found.set(bug, await find(plant, lawOf(beginning)))
    })

    it.for(bugs)("catch the planted bug: %s", ([bug, beginning]) => {
      expect(found.get(bug)?.broken).toContain(lawOf(beginning))
    })

    it("each catch a planted bug that no other law catches", () => {
      const alone = [...found.values()].filter(({ broken }) => broken.length === 1)
      expect(new Set(alone.flatMap(({ broken }) => broken))).toEqual(new Set(LawTests.names(laws)))
    })

    it("are listed in docs/laws.md, and the lengths of the counterexamples in docs/situations.md", () => {
      expect(LawTests.lawsOf(`Of ${of}`)).toEqual(LawTests.names(laws))
      if (!hasSteps) return
      // Bugs that only a law of one example shows have no steps.
      const steps = Array.from(found.values(), ({ by }) => LawTests.stepsOf(by))
        .filter((each) => each !== undefined)
        .toSorted((one, two) => one - two)
      expect(LawTests.summaries.find(({ list }) => list === `of ${of}`)).toMatchObject({
        bugs: steps.length,
        median: steps[Math.floor(steps.length / 2)],
        most: steps.at(-1)
      })
    })

    it("say what is wrong, and not only that something is false", () => {
      for (const { by } of found.values()) {
        expect(by?.wrong ?? "").not.toMatch(/^Error: Expected\s+(?:true|false)\s/u)
        if (/^(?:BooksDiffer|Mismatch):/u.test(by?.wrong ?? "")) expect(by?.cause).toBeUndefined()
      }
    })

    it("have different names, a section and an explanation", () => {
      expect(new Set(LawTests.names(laws)).size).toBe(laws.length)
      for (const { explanation, section } of laws) {
        expect(section).toMatch(/^(spec\.md, ".+"|docs\/decisions\/\d{4})$/u)
        expect(explanation).toMatch(/\.$/u)
      }
    })

    more?.((bug) => found.get(bug))
  })

/**
 * Declares the tests of laws that one run checks one after the other. The other laws are checked until
 * a bug is found that a law alone catches.
 */
export const describePlantedBugs = <Subject, Value, Planted>(
  of: string,
  laws: ReadonlyArray<Laws.Law<Subject, Value>>,
  bugs: ReadonlyArray<PlantedBug<Planted>>,
  subjectOf: (plant: Planted) => Subject | Promise<Subject>,
  { numRuns = 8, ...options }: Options & { readonly numRuns?: number } = {}
) => {
  const alone = new Set<string>()
  describeBugs(
    of,
    laws,
    bugs,
    async (plant, name) => {
      const subject = await subjectOf(plant)
      const caught = (isNamed: boolean, numRuns: number) =>
        LawTests.breaks(
          laws.filter((law) => (law.name === name) === isNamed),
          subject,
          { seed: 1, numRuns }
        )
      const own = await caught(true, numRuns)
      const [by] = own
      if (by === undefined || alone.has(name)) return { broken: LawTests.broken(own), by }
      const others = await caught(false, repeats(numRuns))
      if (others.length === 0) alone.add(name)
      return { broken: LawTests.broken([...own, ...others]), by }
    },
    options
  )
}
