import { parseSync } from "oxc-parser"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import equal from "../../mutants/equal.json" with { type: "json" }
import { apply } from "../../src/mutants/Edit.ts"
import { instrument } from "../../src/mutants/Instrument.ts"
import { mutantsOf, numbered } from "../../src/mutants/Mutant.ts"
import { linesOf } from "../../src/mutants/Report.ts"

const root = join(import.meta.dirname, "../../..")
const read = (path: string): string => readFileSync(join(root, path), "utf8")

const mutated = (source: string): ReadonlyArray<string> =>
  mutantsOf("source.ts", source).map((mutant) => apply(source, mutant))

const examples: ReadonlyArray<readonly [source: string, mutants: ReadonlyArray<string>]> = [
  ["x = a < b", ["undefined", "x = a <= b", "x = a >= b"]],
  ["x = a === b", ["undefined", "x = a !== b"]],
  ["x = a ?? b", ["undefined", "x = a"]],
  ["x = a && b", ["undefined", "x = b", "x = a"]],
  ["x = !a", ["undefined", "x = a"]],
  ["x += 1n", ["undefined", "x -= 1n", "x += 2n"]],
  ["x = a ? b : c", ["undefined", "x = true ? b : c", "x = false ? b : c"]],
  ["x = a?.b?.(c)", ["undefined", "x = a.b?.(c)", "x = a?.b(c)"]],
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
      "x = sql`UPDATE t SET a = a | ${b} WHERE c = ${d} AND e <= 1 FOR UPDATE `"
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
    const inside = mutantsOf("source.ts", source).filter(({ operator }) => operator !== "statement")
    expect(inside.map((mutant) => apply(source, mutant))).toEqual([])
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
    const mutants = numbered(["source.ts"], () => wrapped)
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
      const { errors } = parseSync(path, instrument(read(path), numbered([path], read)))
      expect([path, errors]).toEqual([path, []])
    }
  })
})

describe("the list of equal mutants", () => {
  it("has only mutants of today's sources, each once and with a reason", () => {
    const keys = equal.map(({ file, line, mutant }) => `${file}\n${line}\n${mutant}`)
    expect(new Set(keys).size).toBe(keys.length)
    const files = Map.groupBy(equal, ({ file }) => file)
    const found = Array.from(files.keys()).flatMap((file) =>
      mutantsOf(file, read(file)).map((mutant) => {
        const lines = linesOf(mutant, read(file))
        return `${file}\n${lines.line}\n${lines.mutant}`
      })
    )
    expect(keys.filter((key) => !found.includes(key))).toEqual([])
    expect(equal.filter(({ why }) => why.length < 20)).toEqual([])
  })
})
