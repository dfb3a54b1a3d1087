import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as fc from "fast-check"
import { execFile } from "node:child_process"
import { describe, expect, it } from "vitest"
import * as Laws from "../src/Laws.ts"
import * as Reducer from "../src/Laws/Reducer.ts"
import * as Rule from "../src/Laws/Rule.ts"
import { broken as namesOf, rowsOf } from "./support/laws.ts"
import { documented, reducers, rules } from "./support/reducers.ts"

/** The breaks a subject has, one for each law that finds any. */
const breaks = <Subject>(
  laws: ReadonlyArray<Laws.Law<Subject>>,
  subject: Subject,
  options?: Laws.Options
): ReadonlyArray<Laws.LawBroken> =>
  laws.flatMap((law) =>
    Exit.match(Effect.runSyncExit(Effect.flip(law.check(subject, options))), {
      onFailure: () => [],
      onSuccess: (broken) => [broken]
    })
  )

const length = ({ counterexample }: Laws.LawBroken) => (counterexample as Array<unknown>).length

/** With the seed of the run, so that nothing but drawn values is tried. */
const drawn = () => ({ seed: fc.readConfigureGlobal().seed ?? 1, numRuns: 3000 })

describe("the laws of a rule", () => {
  it.for(Rule.laws)("hold for the documented rule: $name", (law) =>
    Laws.run(law, documented, { numRuns: 5000 })
  )

  it.for(rules)("catch it when %s", ([, expected, rule]) => {
    const short = breaks(Rule.laws, rule)
    const broken = breaks(Rule.laws, rule, drawn())
    expect(namesOf(broken)).toContain(expected)
    expect(namesOf(short)).toEqual(namesOf(broken))
    expect([...short, ...broken].filter((each) => length(each) > 3).map(String)).toEqual([])
  })

  it("each catch what no other does", () => {
    const alone = rules
      .map(([, , rule]) => breaks(Rule.laws, rule))
      .filter(({ length }) => length === 1)
    expect(new Set(alone.flatMap(namesOf))).toEqual(new Set(Rule.laws.map(({ name }) => name)))
  })
})

describe.for(["final", "always", "never"] as const)("the laws of a reducer, under %s", (policy) => {
  it.for(Reducer.laws(policy))("hold for ours: $name", (law) =>
    Laws.run(law, Reducer.ours(policy), { numRuns: 5000 })
  )
})

describe("the laws of a reducer", () => {
  const laws = Reducer.laws()

  it.for(reducers)("catch it when %s", ([, expected, reducer]) => {
    const broken = breaks(laws, reducer, drawn())
    expect(namesOf(broken)).toContain(expected)
    expect(broken.filter((each) => length(each) > 3).map(String)).toEqual([])
  })

  it("are tried on every short sequence first, and each catch what no other does", () => {
    const found = reducers.map(([, , reducer]) => breaks(laws, reducer))
    expect(Math.max(...found.flat().map(length))).toBeLessThanOrEqual(3)
    const alone = found.filter(({ length }) => length === 1)
    expect(new Set(alone.flatMap(namesOf))).toEqual(new Set(laws.map(({ name }) => name)))
  })
})

describe("docs/laws.md", () => {
  const table = <Subject>(
    laws: ReadonlyArray<Laws.Law<Subject>>,
    bugs: ReadonlyArray<readonly [bug: string, law: string, subject: Subject]>
  ) => [
    ...laws.map(({ name, section }) => `|${name}|${section}|`),
    ...bugs.map(([bug, name, subject]) => {
      const [broken] = breaks(
        laws.filter((law) => law.name === name),
        subject
      )
      return `|${bug}|${name}|${broken === undefined ? "not caught" : length(broken)}|`
    })
  ]

  it("lists every law, and every planted bug with the law that catches it and in how many events", () => {
    expect(rowsOf("Of a rule")).toEqual(table(Rule.laws, rules))
    expect(rowsOf("Of a reducer")).toEqual(table(Reducer.laws(), reducers))
  })
})

describe("in Node's own runner", () => {
  const child = (rule: string) =>
    new Promise<{ readonly code: unknown; readonly stdout: string }>((done) => {
      const file = `${import.meta.dirname}/lawsChild.ts`
      // Of a test inside a test run Node prints what only that run can read.
      const env = { ...process.env, NODE_TEST_CONTEXT: undefined }
      execFile(process.execPath, [file, rule], { env }, (error, stdout) =>
        done({ code: error?.code ?? 0, stdout })
      )
    })

  it("laws are tests that pass", async () => {
    const { code, stdout } = await child("documented")
    expect(stdout).toMatch(new RegExp(`pass ${Rule.laws.length}\\b`, "u"))
    expect(code).toBe(0)
  })

  it("laws are tests that fail, and say why", async () => {
    const { code, stdout } = await child("lastWins")
    expect(stdout).toContain("It does not hold that a status that comes late changes nothing")
    expect(stdout).toContain('1. "PENDING" came')
    expect(code).toBe(1)
  })
})

describe("a law", () => {
  const lastWins: Rule.Rule = (seen) => seen.at(-1)
  const late = Rule.laws.find(({ name }) => name === "a status that comes late changes nothing")
  const about = { name: "all is well", section: "docs/spec.md", explanation: "As it should be." }

  it("that is broken lays out what came, what was to hold, why, and how to meet it again", async () => {
    expect(late).toBeDefined()
    const [found] = late === undefined ? [] : breaks([late], lastWins)
    expect(found?.message).toMatchInlineSnapshot(`
      "It does not hold that a status that comes late changes nothing

        1. "PENDING" came
        2. "NEW" came

        "PENDING" held. Now "PENDING" is to hold, and "NEW" does.

        Callbacks can arrive out of order: one that ranks earlier tells of the past.
        (spec.md, "States and transitions")

        again: run it once more"
    `)
  })

  it("that is broken by a drawn value is broken by the same again", () => {
    if (late === undefined) return expect.unreachable()
    const [one] = breaks([late], lastWins, drawn())
    expect(one?.path).toMatch(/^\d+(:\d+)*$/)
    const { path = "", seed = 0 } = one ?? {}
    const [two] = breaks([late], lastWins, { path, seed })
    expect(two?.counterexample).toEqual(one?.counterexample)
    expect(two?.message).toContain(`{ seed: ${seed}, path: "${path}" }`)
  })

  it("tries the examples that are kept, whatever they were read from", async () => {
    const kept = JSON.parse('[["PENDING", "FAILED", "NEW", "PENDING"]]') as Array<Array<string>>
    const afterFailed: Rule.Rule = (seen) =>
      seen.join() === kept[0]?.join() ? "NEW" : documented(seen)
    const options = { examples: kept, numRuns: 10 }
    await expect(
      Promise.all(Rule.laws.map((law) => Laws.run(law, documented, options)))
    ).resolves.toBeDefined()
    const found = Rule.laws.flatMap((law) =>
      Exit.isFailure(Effect.runSyncExit(law.check(afterFailed, options))) ? [law.name] : []
    )
    expect(found).toEqual(["an end stays, whatever comes late"])
  })

  it("is run as a promise, rejected with what is wrong", async () => {
    if (late === undefined) return expect.unreachable()
    await expect(Laws.run(late, documented)).resolves.toBeUndefined()
    await expect(Laws.run(late, lastWins)).rejects.toBeInstanceOf(Laws.LawBroken)
  })

  it("of one example holds when its body ends, and not when that fails, dies, or asserts in vain", async () => {
    const law = Laws.example(about, (body: Effect.Effect<unknown, unknown>) => body)
    await expect(Laws.run(law, Effect.succeed(1))).resolves.toBeUndefined()
    for (const [body, wrong] of [
      [Effect.fail("no"), "it failed with no"],
      [Effect.fail(new Odd()), "Odd: it is odd"],
      [Effect.die(new TypeError("not a thing")), "TypeError: not a thing"],
      [Effect.sync(() => expect(1).toBe(2)), "expected 1 to be 2"]
    ] as const) {
      await expect(Laws.run(law, body)).rejects.toMatchObject({
        law: about,
        wrong: expect.stringContaining(wrong)
      })
    }
  })

  it("of a few values is tried on the examples and then on all of them, in their order", async () => {
    const tried: Array<number> = []
    const law = Laws.each(about, {
      values: [1, 2, 3],
      show: String,
      body: (most: number, value) =>
        Effect.suspend(() =>
          tried.push(value) && value > most ? Effect.fail(new Odd()) : Effect.void
        )
    })
    await expect(Laws.run(law, 9, { examples: [7] })).resolves.toBeUndefined()
    expect(tried.splice(0)).toEqual([7, 1, 2, 3])
    await expect(Laws.run(law, 1)).rejects.toMatchObject({
      counterexample: 2,
      shown: "2",
      wrong: "Odd: it is odd"
    })
    expect(tried).toEqual([1, 2])
  })

  it("of effects is tried on drawn values and examples, and shrinks", async () => {
    const law = Laws.propertyEffect(about, {
      arbitrary: fc.nat({ max: 1000 }),
      show: String,
      numRuns: 50,
      body: (most: number, value) =>
        Effect.andThen(Effect.yieldNow, value > most ? Effect.fail(new Odd()) : Effect.void)
    })
    await expect(Laws.run(law, 1000)).resolves.toBeUndefined()
    await expect(Laws.run(law, 1, { seed: 1 })).rejects.toMatchObject({
      counterexample: 2,
      shown: "2",
      wrong: "Odd: it is odd",
      seed: 1
    })
    await expect(Laws.run(law, 2000, { examples: [3000] })).rejects.toMatchObject({
      wrong: "Odd: it is odd"
    })
  })
})

class Odd extends Data.TaggedError("Odd")<{}> {
  override readonly message = "it is odd"
}
