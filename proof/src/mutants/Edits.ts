/** The small changes of code, of SQL and of regular expressions. */
import type { Node } from "oxc-parser"

export interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

type Edits = ReadonlyArray<Edit>

const edit = (start: number, end: number, text = ""): Edits => [{ start, end, text }]

const bothWays = (pairs: Readonly<Record<string, string>>) =>
  new Map(Object.entries(pairs).flatMap(([one, two]) => [[one, two] as const, [two, one] as const]))

/** Operators, methods and words of SQL, each with the one that replaces it. */
const swaps = new Map([
  ...bothWays({ "<": "<=", ">": ">=", "+": "-", "*": "/", "&": "|", "<<": ">>", "+=": "-=" }),
  ...bothWays({ some: "every", startsWith: "endsWith", min: "max", ceil: "floor", "++": "--" }),
  ...bothWays({ indexOf: "lastIndexOf", toUpperCase: "toLowerCase" }),
  ...bothWays({ AND: "OR", ASC: "DESC", "IS NULL": "IS NOT NULL" }),
  ...Object.entries({ "%": "*", "**": "*", "^": "&", ">>>": "<<", "|=": "&=" }),
  ...Object.entries({ find: "findLast", "??=": "=", "||=": "=", "&&=": "=" })
])

const opposites = bothWays({ "<": ">=", "<=": ">", "===": "!==" })

const swap = (start: number, text: string, others: typeof swaps = new Map()): Edits =>
  [swaps, others].flatMap((map) => {
    const to = map.get(text)
    return to === undefined ? [] : edit(start, start + text.length, to)
  })

const withoutEach = (parts: ReadonlyArray<Node | null>, end: number): Edits =>
  parts.flatMap((part, index) => {
    const [previous, next] = [parts[index - 1], parts[index + 1]]
    if (!part || parts.length > 24) return []
    return next ? edit(part.start, next.start) : edit(previous?.end ?? part.start, end - 1)
  })

/** Methods whose receiver may stand for their result. */
const omitted = /^(?:filter|toSorted|toReversed|trim|normalize|padStart)$/u

const duration = /^(\d+) (nano|micro|milli|second|minute|hour|day|week)s?$/u

/** The edits of a node itself, without those of its parts. A test has the edits `true` and `false`. */
type EditsOf<Type> = (
  node: Extract<Node, { readonly type: Type }>,
  source: string,
  isTest: boolean
) => Edits

const table: { readonly [Type in Node["type"]]?: EditsOf<Type> } = {
  BinaryExpression: ({ left, operator }, source, isTest) =>
    swap(source.indexOf(operator, left.end), operator, isTest ? undefined : opposites),
  AssignmentExpression: ({ left, operator }, source) =>
    swap(source.indexOf(operator, left.end), operator),
  UpdateExpression: ({ end, operator, prefix, start }) => swap(prefix ? start : end - 2, operator),
  LogicalExpression: ({ end, left, operator, right, start }) => [
    ...(operator === "??" ? [] : edit(start, right.start)),
    ...edit(left.end, end)
  ],
  UnaryExpression: ({ operator, start }) =>
    /^[!~-]$/u.test(operator) ? edit(start, start + 1) : [],
  ExpressionStatement: ({ directive, expression: { end, start } }) =>
    directive ? [] : edit(start, end, "undefined"),
  ArrayExpression: ({ elements, end }) => withoutEach(elements, end),
  ObjectExpression: ({ end, properties }) => withoutEach(properties, end),
  CallExpression({ callee, end }, source) {
    if (callee.type !== "MemberExpression" || callee.computed) return []
    const { name, start } = callee.property
    const isModule = /^[A-Z]\w*\.$/u.test(source.slice(callee.start, start))
    const isOmitted = omitted.test(name) && !isModule
    return [...swap(start, name), ...(isOmitted ? edit(callee.object.end, end) : [])]
  },
  TemplateLiteral({ end, quasis, start }, source) {
    const texts = quasis.map(({ start, value }) => [start + 1, value.raw] as const)
    return ofTexts(texts, start, source) ?? edit(start, end, "``")
  },
  Literal(node, source) {
    const { end, raw, start, value } = node
    if ("regex" in node) return inText([[piece, ofPiece]], start, raw ?? "")
    // Of a time or a size, no promise needs the last digit.
    if (typeof value === "number")
      return edit(start, end, String(value < 1000 ? value + 1 : 2 * value))
    if (typeof value === "bigint") return edit(start, end, `${value + 1n}n`)
    if (typeof value === "boolean") return edit(start, end, String(!value))
    if (typeof value !== "string" || value.startsWith("@pawl/")) return []
    const [, count, unit] = duration.exec(value) ?? []
    if (unit !== undefined) return edit(start, end, `"${2 * Number(count)} ${unit}s"`)
    const empty = edit(start, end, value === "" ? '"mutant"' : '""')
    return ofTexts([[start, raw ?? ""]], start, source) ?? empty
  }
}

export const editsOf = (node: Node, source: string, isTest: boolean): Edits =>
  (table[node.type] as EditsOf<string> | undefined)?.(node, source, isTest) ?? []

type TextEdits = ReadonlyArray<readonly [pattern: RegExp, replace: (text: string) => string]>

const inText = (edits: TextEdits, at: number, text: string): Edits =>
  edits.flatMap(([pattern, replace]) =>
    Array.from(text.matchAll(pattern)).flatMap(({ 0: old, index }) =>
      replace(old) === old ? [] : edit(at + index, at + index + old.length, replace(old))
    )
  )

/** The end of the code before a text that is prose or belongs to a tag. */
const noCode = /\b(?:message|description|summary|title|reason|identifier): $|\w$/u

const sqlWord =
  /\b(?:SELECT|UPDATE|INSERT INTO|DELETE FROM|CREATE|BEGIN|COMMIT|PRAGMA|WHERE|AND|IS NULL|CASE|COALESCE|EXCLUDED)\b|\bexcluded\.|\bstored\./u

type Text = readonly [at: number, text: string]

/** The edits of SQL, none of prose, and nothing for a text that may become empty. */
const ofTexts = (texts: ReadonlyArray<Text>, start: number, source: string): Edits | undefined => {
  const before = source.slice(Math.max(0, start - 20), start)
  const hasWords = texts.some(([, text]) => text.includes(" "))
  if (/\bsql$/u.test(before) || (hasWords && texts.some(([, text]) => sqlWord.test(text))))
    return texts.flatMap(([at, text]) => inText(sqlEdits, at, text))
  return hasWords || noCode.test(before) ? [] : undefined
}

const swapped = (text: string): string => swaps.get(text) ?? text

const sqlEdits: TextEdits = [
  [/(?<!BETWEEN [^ ]+ )\bAND\b|\bOR\b(?! IGNORE| REPLACE| ABORT)/gu, swapped],
  [/\bIS (?:NOT )?NULL\b|\b(?:ASC|DESC)\b|(?<= )[+|&-](?= )/gu, swapped],
  [/(?<![<>-])[<>]=?(?!>)/gu, swapped],
  [/(?<=\b(?:WHERE|AND|OR|WHEN|ON) \(?[\w.]+ )=(?= )/gu, () => "<>"],
  [/<>/gu, () => "="],
  [/\bNOT (?=EXISTS|IN\b)/gu, () => ""],
  [/(?<![\w.$'])\d+(?![\w.'])/gu, (digits) => String(Number(digits) + 1)],
  [/\bFOR (?:NO KEY )?UPDATE\b(?: SKIP LOCKED)?|\bSKIP LOCKED\b/gu, () => ""],
  [/(?<=\bBEGIN) IMMEDIATE\b|(?<=\bUPDATE) SKIP LOCKED\b/gu, () => ""]
]

/** The pieces of a regular expression: an escape and a class hide what is in them. */
const piece =
  /\\(?:[pPu]\{[^}]*\}|.)|\[\^?(?:\\.|[^\\\]])*\]|\(\?|[$^+*]|(?<![+*}])\?|\{\d+(?:,\d+)?\}|(?<=\/[a-z]*)i(?=[a-z]*$)/gu

const pieces = new Map([..."$^?i"].map((each) => [each, ""])).set("+", "*").set("*", "+")

const ofPiece = (text: string): string =>
  pieces.get(text) ??
  text
    .replace(/^\[\^/u, "[")
    .replace(/(?<=^\{(?:\d+,)?)\d+(?=\})/u, (high) => String(Number(high) + 1))
