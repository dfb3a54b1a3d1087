/**
 * The mutants of a source: one edit of its text each. The site is the expression around an edit.
 */
import { parseSync } from "oxc-parser"
import * as CodeEdits from "./CodeEdits.ts"
import { type Edit, shift } from "./Edit.ts"
import * as RegexEdits from "./RegexEdits.ts"
import * as SqlEdits from "./SqlEdits.ts"
import { childrenOf, isNode, type Node } from "./Tree.ts"

export interface Mutant extends Edit {
  readonly file: string
  readonly line: number
  readonly site: readonly [start: number, end: number]
  readonly isStatement: boolean
}

export const mutantsOf = (file: string, source: string): ReadonlyArray<Mutant> => {
  const found: Array<Mutant> = []
  const add = (site: Node, edits: ReadonlyArray<Edit>, isStatement = false): void => {
    for (const edit of edits) {
      const line = source.slice(0, edit.start).split("\n").length
      found.push({ ...edit, file, line, site: [site.start, site.end], isStatement })
    }
  }

  const conditions = new Set<Node>()
  /** Only a whole optional chain can be switched. */
  const visit = (node: Node, isLink: boolean): void => {
    const edits = isLink ? [] : CodeEdits.edits(node, source)
    add(node, conditions.has(node) ? edits.filter(CodeEdits.isNoOpposite) : edits)
    for (const condition of CodeEdits.conditionsOf(node)) {
      conditions.add(condition)
      add(condition, CodeEdits.decided(condition, /^(?:While|For|DoWhile)/u.test(node.type)))
    }
    const expression = node["expression"]
    if (
      node.type === "ExpressionStatement" &&
      isNode(expression) &&
      !("directive" in node && node["directive"])
    ) {
      add(expression, CodeEdits.removed(expression), true)
    }
    for (const { edits, start } of textsIn(node, source)) add(node, shift(edits, start))
    const isChain = isLink || node.type === "ChainExpression"
    for (const [key, child] of childrenOf(node)) {
      visit(child, isChain && /^(?:object|callee|expression)$/u.test(key))
    }
  }

  visit(parseSync(file, source).program as unknown as Node, false)
  return found.toSorted((one, two) => one.start - two.start || one.end - two.end)
}

const textsIn = (
  node: Node,
  source: string
): ReadonlyArray<{ readonly start: number; readonly edits: ReadonlyArray<Edit> }> => {
  const text = source.slice(node.start, node.end)
  if (node.type === "Literal") {
    const { regex, value } = node
    if (regex !== undefined && regex !== null)
      return [{ start: node.start, edits: RegexEdits.edits(text) }]
    return typeof value === "string" && SqlEdits.isSql(value)
      ? [{ start: node.start, edits: SqlEdits.edits(text) }]
      : []
  }
  const isTagged = node.type === "TaggedTemplateExpression" && /^sql\b/u.test(text)
  const template = isTagged ? node["quasi"] : node
  if (!isNode(template) || template.type !== "TemplateLiteral") return []
  const pieces = (
    template["quasis"] as ReadonlyArray<Node & { readonly value: { readonly raw: string } }>
  ).map(({ start, value }) => ({ start: start + 1, text: value.raw }))
  return isTagged || pieces.some(({ text }) => SqlEdits.isSql(text))
    ? pieces.map(({ start, text }) => ({ start, edits: SqlEdits.edits(text) }))
    : []
}

export interface Numbered extends Mutant {
  readonly id: number
}

export const numbered = (
  sources: ReadonlyArray<string>,
  read: (path: string) => string
): ReadonlyArray<Numbered> =>
  sources.flatMap((path) => mutantsOf(path, read(path))).map((mutant, id) => ({ ...mutant, id }))
