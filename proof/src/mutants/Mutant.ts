/** The mutants of a source: one edit of its text each. The site is the expression around an edit. */
import { type Node, parseSync } from "oxc-parser"
import { type Edit, editsOf } from "./Edits.ts"

/** Result of a mutant; `late`: its tests hang, or end their process. */
export type Status = "killed" | "late" | "alive" | "unseen" | "equal" | "invalid"

export interface Mutant extends Edit {
  readonly id: number
  readonly file: string
  readonly line: number
  readonly site: Node
  status?: Status
}

export const apply = (
  source: string,
  { end, start, text }: Edit,
  [from, to]: readonly [number, number] = [0, source.length]
): string => `${source.slice(from, start)}${text}${source.slice(end, to)}`

/** Types are no values, and a name or the source of an import is no expression. */
const isValue = (part: Node | null): part is Node =>
  /^(?!TS)|^TS(?:As|Satis|NonNull|Instan)/u.test(part?.type ?? "TS")
const isName = (node: Node, key: string): boolean =>
  /^(?:source|attributes)$/u.test(key) ||
  (/^(?:key|property)$/u.test(key) && !("computed" in node && node.computed))

export const mutantsOf = (sources: ReadonlyArray<string>, read: (path: string) => string) => {
  const found: Array<Mutant> = []
  for (const file of sources) {
    const source = read(file)
    const visit = (node: Node, site = node, decisions: ReadonlyArray<string> = []): void => {
      const { end, start, type } = node
      const ofDecision = decisions.map((text) => ({ start, end, text }))
      for (const edit of [...ofDecision, ...editsOf(node, source, decisions.length > 0)]) {
        const line = source.slice(0, edit.start).split("\n").length
        found.push({ ...edit, id: found.length, file, line, site })
      }
      for (const [key, parts] of Object.entries(node)) {
        // A link of an optional chain and the text of a tag are only switched as a whole.
        const isLink =
          site.type === "ChainExpression" && /^(?:object|callee|expression)$/u.test(key)
        // No loop is made endless.
        const texts = /^(?:If|Cond)/u.test(type) ? ["true", "false"] : ["false"]
        const isTest = key === "test" && type !== "SwitchCase"
        for (const part of isName(node, key) ? [] : [parts as Node | null].flat().filter(isValue))
          visit(part, isLink || key === "quasi" ? site : part, isTest ? texts : [])
      }
    }
    visit(parseSync(file, source).program)
  }
  return found
}

/** Puts all mutants of a source into it, each behind the question whether it is switched on. */
export const instrument = (source: string, mutants: ReadonlyArray<Mutant>): string => {
  const inserts = new Map<number, string>()
  const insertedAt = (at: number): string => inserts.get(at) ?? ""
  // An outer site comes before those in it.
  for (const [site, ofSite] of Map.groupBy(mutants, ({ site }) => site)) {
    const isStatement = site.type === "ExpressionStatement"
    const { end, start } = isStatement ? site.expression : site
    const switched = ofSite.map(
      (mutant) => `__pawlMutant(${mutant.id}) ? (${apply(source, mutant, [start, end])}) : `
    )
    // A statement begins with a word, because a parenthesis would continue the line before it.
    const before = `${isStatement ? "void " : ""}(${switched.join("")}(`
    inserts.set(start, `${insertedAt(start)}${before}`)
    inserts.set(end, `))${insertedAt(end)}`)
  }
  return [...source.split(""), ""].map((unit, at) => `${insertedAt(at)}${unit}`).join("")
}
