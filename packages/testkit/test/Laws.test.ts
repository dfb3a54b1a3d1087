import { bundleOf } from "@pawl/test-support/Program"
import { isStatus, isTerminal, rank, statuses } from "@pawl/core/Status"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { identity } from "effect/Function"
import * as fc from "fast-check"
import { execFile } from "node:child_process"
import { inspect } from "node:util"
import { describe, expect, it } from "vitest"
import * as Laws from "../src/Laws.ts"
import * as Reducer from "../src/Laws/Reducer.ts"
import * as Rule from "../src/Laws/Rule.ts"
import { broken as namesOf } from "@pawl/test-support/LawTests"
import type { PlantedBug } from "@pawl/test-support/Bugs"
import { describeBugs } from "@pawl/test-support/PlantedBugs"
import { documented, reducers, rules } from "./support/reducers.ts"
import { repeats } from "@pawl/test-support/Repeats"

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

/** A seed, so that laws check random values only. */
const randomOnly = () => ({ seed: fc.readConfigureGlobal().seed ?? 1, numRuns: repeats(3000) })

it.for(Rule.laws)("the laws of a rule hold for the documented rule: $name", (law) =>
  Laws.run(law, documented, { numRuns: repeats(5000) })
)

describe.for(["final", "always", "never"] as const)("the laws of a reducer, under %s", (policy) => {
  it.for(Reducer.laws(policy))("hold for the reducer of core: $name", (law) =>
    Laws.run(law, Reducer.evidenceReducer(policy), { numRuns: repeats(5000) })
  )
})

/** Random values show every bug, and short ones the smallest counterexample of its law. */
const describeSync = <Subject>(
  of: string,
  laws: ReadonlyArray<Laws.Law<Subject>>,
  bugs: ReadonlyArray<PlantedBug<Subject>>
) =>
  describeBugs(of, laws, bugs, (subject, name) => {
    const own = laws.filter((law) => law.name === name)
    const [by] = breaks(own, subject)
    return { broken: namesOf(breaks(laws, subject, randomOnly())), by }
  })

describeSync("a rule", Rule.laws, rules)
describeSync("a reducer", Reducer.laws(), reducers)

it("the laws of a reducer, under never, catch a claimed final status that stands before a confirmed one", () => {
  const right = Reducer.evidenceReducer("never")
  const reducer: Reducer.Reducer = (observations) => {
    const standing = right(observations)
    const claimed = statuses.filter((each) =>
      observations.some(({ source, status }) => source === "callback" && status === each)
    )
    const status = claimed.find(
      (each) =>
        isTerminal(each) && isStatus(standing.status) && rank(each) === rank(standing.status)
    )
    if (standing.conflict !== null || status === undefined) return standing
    const confirmed = observations.some(
      (each) => each.source !== "callback" && each.status === status
    )
    return { status, confirmed, conflict: null }
  }
  expect(namesOf(breaks(Reducer.laws("never"), reducer, randomOnly()))).toEqual([
    "the only status of the highest rank stands"
  ])
})

describe("in Node's own runner", () => {
  const child = (rule: string) =>
    new Promise<{ readonly code: unknown; readonly stdout: string }>((done) => {
      const file = bundleOf(`${import.meta.dirname}/lawsChild.ts`)
      // With this variable Node prints a format for the parent test run.
      const env = { ...process.env, NODE_TEST_CONTEXT: undefined }
      execFile(process.execPath, [file, rule], { env }, (error, stdout) =>
        done({ code: error?.code ?? 0, stdout })
      )
    })

  it("laws pass as tests", async () => {
    const { code, stdout } = await child("documented")
    expect(stdout).toMatch(new RegExp(`pass ${Rule.laws.length}\\b`, "u"))
    expect(code).toBe(0)
  })

  it("broken laws fail as tests, with the reason", async () => {
    const { code, stdout } = await child("lastWins")
    expect(stdout).toContain("This law does not hold: a late status changes nothing")
    expect(stdout).toContain('1. "PENDING" arrived')
    expect(code).toBe(1)
  })
})

describe("a law", () => {
  const lastWins: Rule.Rule = (statuses) => statuses.at(-1)
  const late = Rule.laws.find(({ name }) => name === "a late status changes nothing")!
  const text = { name: "it holds", section: "docs/spec.md", explanation: "It is a test." }
  const numbers = { arbitrary: fc.nat({ max: 1000 }), show: String }

  it("that is broken reports the counterexample, the failure, the explanation, and how to reproduce it", async () => {
    const [found] = breaks([late], lastWins)
    expect(found?.message).toMatchInlineSnapshot(`
      "This law does not hold: a late status changes nothing

        1. "PENDING" arrived
        2. "NEW" arrived

        "PENDING" was stored. Expected "PENDING" to be stored next, not "NEW".

        Callbacks can arrive out of order: a status that ranks earlier is out of date.
        (spec.md, "States and transitions")

        reproduce: run it again"
    `)
  })

  it("that is broken by a random value reproduces it by seed and path", () => {
    const [one] = breaks([late], lastWins, randomOnly())
    expect(one?.path).toMatch(/^\d+(:\d+)*$/)
    const { path = "", seed = 0 } = one ?? {}
    const [two] = breaks([late], lastWins, { path, seed })
    expect(two?.counterexample).toEqual(one?.counterexample)
    expect(two?.message).toContain(`{ seed: ${seed}, path: "${path}" }`)
  })

  it("checks examples that were read from a file", async () => {
    const examples = JSON.parse('[["PENDING", "FAILED", "NEW", "PENDING"]]') as Array<Array<string>>
    const afterFailed: Rule.Rule = (statuses) =>
      statuses.join() === examples[0]?.join() ? "NEW" : documented(statuses)
    const options = { examples, numRuns: 10 }
    await expect(
      Promise.all(Rule.laws.map((law) => Laws.run(law, documented, options)))
    ).resolves.toBeDefined()
    const found = Rule.laws.flatMap((law) =>
      Exit.isFailure(Effect.runSyncExit(law.check(afterFailed, options))) ? [law.name] : []
    )
    expect(found).toEqual(["a late status does not replace a terminal one"])
  })

  it("runs as a promise, rejected if the law is broken", async () => {
    await expect(Laws.run(late, documented)).resolves.toBeUndefined()
    await expect(Laws.run(late, lastWins)).rejects.toBeInstanceOf(Laws.LawBroken)
  })

  it("of one example holds if its body ends, and not if it fails, dies or throws", async () => {
    const law = Laws.example(text, (body: Effect.Effect<unknown, unknown>) => body)
    await expect(Laws.run(law, Effect.succeed(1))).resolves.toBeUndefined()
    for (const [body, wrong] of [
      [Effect.fail("no"), "it failed with no"],
      [Effect.fail(new TestError()), "TestError: it failed"],
      [Effect.die(Object.create(null)), "it failed with {}"],
      [Effect.die(new TypeError("not a thing")), "TypeError: not a thing"],
      [Effect.sync(() => expect(1).toBe(2)), "expected 1 to be 2"]
    ] as const) {
      await expect(Laws.run(law, body)).rejects.toMatchObject({
        law: text,
        wrong: expect.stringContaining(wrong)
      })
    }
  })

  it("has as its cause what the subject threw, with the stack, and prints both", async () => {
    const thrown = new TypeError("not a thing")
    const values = { ...numbers, values: [1], body: () => Effect.die(thrown) }
    const subject = (): never => {
      throw thrown
    }
    for (const law of [
      Laws.example(text, () => Effect.fail(thrown)),
      Laws.each(text, values),
      Laws.propertyEffect(text, values),
      Laws.property(text, { ...numbers, wrong: subject }),
      Laws.property(text, { ...numbers, short: () => [1], wrong: subject })
    ]) {
      const found = await Laws.run(law, 0).catch(identity)
      expect(found).toMatchObject({ _tag: "LawBroken", cause: thrown })
      expect(inspect(found)).toMatch(/^This law does not hold[^]+TypeError: not a thing\n +at /u)
    }
    const own = await Laws.run(late, lastWins).catch(identity)
    expect(own).not.toHaveProperty("cause")
    expect(inspect(own)).toBe(own.message)
  })

  it("of a few values checks the examples first, then all values in their order", async () => {
    const checked: Array<number> = []
    const law = Laws.each(text, {
      values: [1, 2, 3],
      show: String,
      body: (most: number, value) =>
        Effect.suspend(() =>
          checked.push(value) && value > most ? Effect.fail(new TestError()) : Effect.void
        )
    })
    await expect(Laws.run(law, 9, { examples: [7] })).resolves.toBeUndefined()
    expect(checked.splice(0)).toEqual([7, 1, 2, 3])
    await expect(Laws.run(law, 1)).rejects.toMatchObject({
      counterexample: 2,
      shown: "2",
      wrong: "TestError: it failed"
    })
    expect(checked).toEqual([1, 2])
  })

  it("of effects checks random values and examples, and shrinks", async () => {
    const law = Laws.propertyEffect(text, {
      ...numbers,
      numRuns: 50,
      body: (most: number, value) =>
        Effect.andThen(Effect.yieldNow, value > most ? Effect.fail(new TestError()) : Effect.void)
    })
    await expect(Laws.run(law, 1000)).resolves.toBeUndefined()
    await expect(Laws.run(law, 1, { seed: 1 })).rejects.toMatchObject({
      counterexample: 2,
      shown: "2",
      wrong: "TestError: it failed",
      seed: 1
    })
  })

  it("of effects does not shrink a value for which its subject hangs", async () => {
    let checked = 0
    const law = Laws.propertyEffect(text, {
      ...numbers,
      body: () => Effect.suspend(() => Effect.fail({ isHanging: true, checked: ++checked }))
    })
    await expect(Laws.run(law, 1)).rejects.toBeInstanceOf(Laws.LawBroken)
    expect(checked).toBe(1)
  })

  it.for<[Laws.Options]>([[{ numRuns: 0 }], [{ path: "0:99999" }]])(
    "is broken if %o leads to no value",
    async ([options]) => {
      const run = (more: object) => Laws.run(late, documented, { ...options, ...more, seed: 1 })
      await expect(run({})).rejects.toThrow("no value was checked")
      await expect(run({ examples: [["NEW"]] })).resolves.toBeUndefined()
    }
  )

  it.for<[string, object]>([
    ["numruns", { numruns: 1 }],
    ["numRuns", { numRuns: Number.NaN }],
    ["numRuns", { numRuns: 1.5 }],
    ["numRuns", { numRuns: "5" }],
    ["examples", { examples: 5 }],
    ["seed", { seed: "1" }],
    ["seed", { path: "0:1" }],
    ["path", { seed: 1, path: "twice" }]
  ])("names the wrong option %s of %o", async ([name, options]) => {
    const body = () => Effect.void
    const sampled = { ...numbers, values: [], body }
    const laws: ReadonlyArray<Laws.Law<never>> = [
      ...Rule.laws,
      Laws.example(text, body),
      Laws.each(text, sampled),
      Laws.propertyEffect(text, sampled)
    ]
    for (const law of laws) {
      const run = Laws.run(law, documented as never, options)
      await expect(run).rejects.toThrow(new RegExp(`no value was checked: .*${name}`, "u"))
    }
  })

  it("of effects reports an example without a seed, and a random value as without the examples", async () => {
    const law = Laws.propertyEffect(text, {
      ...numbers,
      body: (most: number, value) => (value > most ? Effect.fail(new TestError()) : Effect.void)
    })
    const lawBroken = async (most: number, options: Laws.Options<number>) => {
      const found = await Laws.run(law, most, options).catch(identity)
      return found instanceof Laws.LawBroken ? found : expect.unreachable()
    }
    const example = await lawBroken(2000, { examples: [3000] })
    expect(example.counterexample).toBe(3000)
    expect(example.message).toContain("reproduce: run it again")
    const { path = "", seed = 0 } = await lawBroken(500, { examples: [1, 2, 3] })
    expect((await lawBroken(500, { path, seed })).counterexample).toBe(501)
  })
})

class TestError extends Data.TaggedError("TestError")<{}> {
  override readonly message = "it failed"
}
