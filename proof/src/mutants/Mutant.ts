/** The mutants of a source: one edit of its text each. The site is the expression around an edit. */
import { type Node, parseSync, visitorKeys } from "oxc-parser"
import { type Edit, editsOf } from "./Edits.ts"
import { question } from "./Job.ts"

export interface Mutant extends Edit {
  readonly id: number
  readonly file: string
  readonly line: number
  readonly site: Node
}

export const apply = (
  source: string,
  { end, start, text }: Edit,
  [from, to]: readonly [number, number] = [0, source.length]
): string => `${source.slice(from, start)}${text}${source.slice(end, to)}`

/** The parts of a node that are values. */
const partsOf = (node: Node): ReadonlyArray<readonly [key: string, part: Node]> =>
  /^(?:Import|ExportAll)Declaration$/u.test(node.type)
    ? []
    : (visitorKeys[node.type] ?? []).flatMap((key) => {
        const isName = /^(?:key|property)$/u.test(key) && !("computed" in node && node.computed)
        const parts = isName || key === "source" ? [] : [Reflect.get(node, key) as Node].flat()
        return parts
          .filter((part) => /^(?!TS)|^TS(?:As|Satis|NonNull|Instan)/u.test(part?.type ?? "TS"))
          .map((part) => [key, part] as const)
      })

const mutantsIn = (file: string, source: string): ReadonlyArray<Omit<Mutant, "id">> => {
  const found: Array<Omit<Mutant, "id">> = []
  const visit = (node: Node, site = node, decisions: ReadonlyArray<string> = []): void => {
    const { end, start, type } = node
    const edits = [
      ...decisions.map((text) => ({ operator: "condition", start, end, text })),
      ...editsOf(node, source).filter((edit) => !decisions[0] || edit.operator !== "opposite")
    ]
    for (const edit of edits)
      found.push({ ...edit, file, line: source.slice(0, edit.start).split("\n").length, site })
    for (const [key, part] of partsOf(node)) {
      // A link of an optional chain and the text of a tag are only switched as a whole.
      const isLink = site.type === "ChainExpression" && /^(?:object|callee|expression)$/u.test(key)
      const isTest = key === "test" && type !== "SwitchCase"
      // No loop is made endless.
      const texts = /^(?:If|Cond)/u.test(type) ? ["true", "false"] : ["false"]
      visit(part, isLink || key === "quasi" ? site : part, isTest ? texts : [])
    }
  }
  visit(parseSync(file, source).program)
  return found.toSorted((one, two) => one.start - two.start || one.end - two.end)
}

/** The same sources have the same numbers in every process. */
export const mutantsOf = (
  sources: ReadonlyArray<string>,
  read: (path: string) => string
): ReadonlyArray<Mutant> =>
  sources.flatMap((path) => mutantsIn(path, read(path))).map((mutant, id) => ({ ...mutant, id }))

/** Puts all mutants of a source into it, each behind a question: is it switched on? */
export const instrument = (source: string, mutants: ReadonlyArray<Mutant>): string => {
  const inserts = [...Map.groupBy(mutants, ({ site }) => site)].flatMap(([site, ofSite]) => {
    const isStatement = site.type === "ExpressionStatement"
    const { end, start } = isStatement ? site.expression : site
    const switched = ofSite.map(
      (mutant) => `${question}(${mutant.id}) ? (${apply(source, mutant, [start, end])}) : `
    )
    // A statement begins with a word, because a parenthesis would continue the line before it.
    const before = `${isStatement ? "void " : ""}(${switched.join("")}(`
    return [
      { at: start, order: isStatement ? -Infinity : -end, text: before },
      { at: end, order: -Infinity, text: "))" }
    ]
  })
  let [text, from] = [`const ${question} = globalThis.${question};`, 0]
  for (const { at, order: _, text: inserted } of inserts.toSorted(
    (one, two) => one.at - two.at || one.order - two.order
  )) {
    text += source.slice(from, at) + inserted
    from = at
  }
  return text + source.slice(from)
}
