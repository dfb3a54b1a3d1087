import { parseSync } from "oxc-parser"
import { globSync } from "node:fs"
import { describe, expect, it } from "vitest"
import equal from "../../mutants/equal.json" with { type: "json" }
import { apply, instrument, type Mutant, mutantsOf, type Status } from "../../src/mutants/Mutant.ts"
import * as Report from "../../src/mutants/Report.ts"
import { isIn, read, root } from "../../src/mutants/Sources.ts"
import { isRefused } from "../../src/mutants/Types.ts"

const mutated = (source: string): ReadonlyArray<string> =>
  mutantsOf(["source.ts"], () => source).map((mutant) => apply(source, mutant))

const examples: ReadonlyArray<readonly [source: string, mutants: ReadonlyArray<string>]> = [
  ["x = a < b", ["undefined", "x = a <= b", "x = a >= b"]],
  ["x = a === b", ["undefined", "x = a !== b"]],
  ["x = a ?? b", ["undefined", "x = a"]],
  ["x = a && b", ["undefined", "x = b", "x = a"]],
  ["x = !a", ["undefined", "x = a"]],
  ["x += 1n", ["undefined", "x -= 1n", "x += 2n"]],
  ["x = a ? b : c", ["undefined", "x = true ? b : c", "x = false ? b : c"]],
  ["x = [a, b]", ["undefined", "x = [b]", "x = [a]"]],
  ["x = { a, b: c }", ["undefined", "x = { b: c }", "x = { a}"]],
  ["x = a.some(f)", ["undefined", "x = a.every(f)"]],
  ["x = a.filter(f)", ["undefined", "x = a"]],
  ["while (a) b()", ["while (false) b()", "while (a) undefined"]],
  ['x = "30 seconds"', ["undefined", 'x = "60 seconds"']],
  ['x = { message: "text" }', ["undefined", "x = { }"]],
  [
    "x = /^a{1,64}$/iu",
    ["undefined", "/a{1,64}$/iu", "/^a{1,65}$/iu", "/^a{1,64}/iu", "/^a{1,64}$/u"].map((each, at) =>
      at === 0 ? each : `x = ${each}`
    )
  ],
  [
    "x = sql`UPDATE t SET a = a | ${b} WHERE c = ${d} AND e <= 1 FOR UPDATE SKIP LOCKED`",
    [
      "undefined",
      "x = sql`UPDATE t SET a = a & ${b} WHERE c = ${d} AND e <= 1 FOR UPDATE SKIP LOCKED`",
      "x = sql`UPDATE t SET a = a | ${b} WHERE c <> ${d} AND e <= 1 FOR UPDATE SKIP LOCKED`",
      "x = sql`UPDATE t SET a = a | ${b} WHERE c = ${d} OR e <= 1 FOR UPDATE SKIP LOCKED`",
      "x = sql`UPDATE t SET a = a | ${b} WHERE c = ${d} AND e < 1 FOR UPDATE SKIP LOCKED`",
      "x = sql`UPDATE t SET a = a | ${b} WHERE c = ${d} AND e <= 2 FOR UPDATE SKIP LOCKED`",
      "x = sql`UPDATE t SET a = a | ${b} WHERE c = ${d} AND e <= 1 `",
      "x = sql`UPDATE t SET a = a | ${b} WHERE c = ${d} AND e <= 1 FOR UPDATE`"
    ]
  ]
]

describe("the mutants", () => {
  it.each(examples)("of %j", (source, mutants) => {
    expect(mutated(source).toSorted()).toEqual([...mutants].toSorted())
  })

  it.each([
    'import { a } from "a"',
    "interface A { readonly a: 1 }",
    "type A = 1 | 2",
    'x["a b c"]',
    "const f = <A = 1>(a: A): a is 1 => g(a as 1)"
  ])("are none in types, imports and prose: %j", (source) => {
    expect(mutated(source).filter((text) => text !== "undefined")).toEqual([])
  })
})

describe("an instrumented source", () => {
  const source = `
    let total = 0
    for (let at = 0; at < list.length; at++) {
      if (list[at] > 2 && list[at] !== 5) total += list[at] * 2
      else total++
    }
    const parts = [total, ...(total > 4 ? ["more"] : []), list?.length ?? 0]
    return { parts, text: \`\${total}/x\`, isLong: parts.length >= 3 }`
  const run = (body: string): unknown => {
    try {
      // oxlint-disable-next-line no-implied-eval, typescript/no-implied-eval -- the source is above
      return new Function("list", body)([1, 3, 5, 7]) as unknown
    } catch (error) {
      return String(error)
    }
  }

  it("means with each mutant switched on what the mutated source means", () => {
    const wrapped = `const f = (list) => {${source}}`
    const mutants = mutantsOf(["source.ts"], () => wrapped)
    // A loop that never ends cannot be compared.
    const finite = mutants.filter((mutant) => !apply(wrapped, mutant).includes("at--"))
    const text = `${instrument(wrapped, mutants)}; return f(list)`
    expect(finite.length).toBeGreaterThan(30)
    for (const mutant of finite) {
      Object.assign(globalThis, { __pawlMutant: (id: number) => id === mutant.id })
      expect(run(text)).toEqual(run(`${apply(wrapped, mutant)}; return f(list)`))
    }
  })

  it("is a correct program, for each source of core and webhook's SQL", () => {
    const paths = globSync("packages/{core/src,core/src/internal,webhook/src/internal/sql}/*.ts", {
      cwd: root
    })
    expect(paths.length).toBeGreaterThan(40)
    for (const path of paths) {
      const { errors } = parseSync(path, instrument(read(path), mutantsOf([path], read)))
      expect([path, errors]).toEqual([path, []])
    }
  })
})

it("TypeScript refuses the mutants that do not compile, and no other", () => {
  const source = `export const f = (a?: string, b = 1): string => (a ?? "").padStart(2, "0")`
  const importing = `import { add } from "./Amount.ts"\nexport const isKnown = [add, 1]`
  const sources = new Map([
    ["packages/core/src/Amount.ts", source],
    ["packages/core/src/Evidence.ts", importing]
  ])
  const readSource = (path: string): string => sources.get(path) ?? ""
  const refused = mutantsOf([...sources.keys()], readSource).filter((mutant) =>
    isRefused(mutant, readSource(mutant.file))
  )
  expect(refused.map((mutant) => apply(source, mutant))).toEqual([source.replace(' ?? ""', "")])
})

it("the report leaves equal and invalid mutants out of the score, and lists those that are alive", () => {
  const source = `export const f = (a: number, b = "x"): number =>
    a > 1 ? b.length : a`
  const statuses: ReadonlyArray<Status> = ["killed", "late", "alive", "unseen", "invalid"]
  const mutants = mutantsOf(["packages/core/src/F.ts"], () => source)
  for (const [at, mutant] of mutants.entries()) mutant.status = statuses[at] ?? "equal"
  const report = Report.print(mutants, () => source)
  expect(report).toContain(
    "core/src: 1 alive, 1 invalid, 1 killed, 1 late, 1 unseen; 2 of 4 found\n"
  )
  const listed = mutants.filter(Report.isAlive)
  expect(listed.length).toBe(2)
  for (const mutant of listed) {
    const { after, before } = Report.linesOf(mutant, source)
    expect(report).toContain(`\n  - ${before}\n  + ${after}`)
  }
  expect(report.match(/^ {2}\+ /gmu)?.length).toBe(2)
})

it.each([
  ["packages/core", true],
  ["packages/core/src/F.ts:2", true],
  ["packages/core/src/F.ts:1-2", true],
  ["packages/core/src/F.ts:3-9", false],
  ["packages/core/src/F.ts:2-1", false],
  ["packages/http", false]
])("a mutant in line 2 is in %s: %s", (part, expected) => {
  const mutants = mutantsOf(["packages/core/src/F.ts"], () => "\nx = 1")
  expect(mutants.map((mutant) => isIn(mutant, [part]))).toEqual(mutants.map(() => expected))
})

describe("the list of equal mutants", () => {
  const matches = (equal: Report.Equal) => (mutant: Mutant) =>
    Report.isEqual(equal, mutant, read(mutant.file))

  it("has only parts of mutants of today's sources, and reasons", () => {
    const unused = Object.entries<Readonly<Record<string, Array<string>>>>(equal).flatMap(
      ([file, reasons]) => {
        const mutants = mutantsOf([file], read)
        return Object.entries(reasons).flatMap(([why, parts]) => {
          expect(why.length).toBeGreaterThanOrEqual(20)
          return parts
            .filter((part) => !mutants.some(matches({ [file]: { why: [part] } })))
            .map((part) => [file, part])
        })
      }
    )
    expect(unused).toEqual([])
  })
})
