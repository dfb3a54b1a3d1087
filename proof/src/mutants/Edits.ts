/** The small changes of code, of SQL and of regular expressions. */
import type { Node } from "oxc-parser"

/** The characters from `start` to `end` become `text`. */
export interface Edit {
  readonly operator: string
  readonly start: number
  readonly end: number
  readonly text: string
}

const bothWays = (pairs: Readonly<Record<string, string>>) =>
  Object.entries(pairs).flatMap(
    ([one, two]) =>
      [
        [one, two],
        [two, one]
      ] as const
  )

/** Operators, methods and words of SQL, each with the one that replaces it. */
const replacements = {
  operator: new Map([
    ...bothWays({ "<": "<=", ">": ">=", "+": "-", "*": "/", "&": "|", "<<": ">>", "+=": "-=" }),
    ...bothWays({ some: "every", startsWith: "endsWith", min: "max", ceil: "floor", "++": "--" }),
    ...bothWays({ indexOf: "lastIndexOf", toUpperCase: "toLowerCase" }),
    ...bothWays({ headNonEmpty: "lastNonEmpty" }),
    ...bothWays({ AND: "OR", ASC: "DESC", "IS NULL": "IS NOT NULL" }),
    ...Object.entries({ "%": "*", "**": "*", "^": "&", ">>>": "<<", "|=": "&=" }),
    ...Object.entries({ find: "findLast", "??=": "=", "||=": "=", "&&=": "=" })
  ]),
  opposite: new Map(bothWays({ "<": ">=", "<=": ">", "===": "!==" }))
}

/** Methods whose receiver may stand for their result. */
const omitted = /^(?:filter|toSorted|toReversed|trim|normalize|padStart)$/u

const duration = /^(\d+) (nano|micro|milli|second|minute|hour|day|week)s?$/u

/** The end of the code before a text that is prose or belongs to a tag. */
const noCode = /\b(?:message|description|summary|title|reason|identifier): $|\w$/u

const maxParts = 24

/** The edits of a node itself, without those of its parts. */
export const editsOf = (node: Node, source: string): ReadonlyArray<Edit> => {
  const { end, start } = node
  const edit = (operator: string, from: number, to: number, text = "") => [
    { operator, start: from, end: to, text }
  ]
  const whole = (operator: string, text: string) => edit(operator, start, end, text)
  const swap = (at: number, text: string) =>
    (["operator", "opposite"] as const).flatMap((operator) => {
      const to = replacements[operator].get(text)
      return to === undefined ? [] : edit(operator, at, at + text.length, to)
    })
  const ofParts = (parts: ReadonlyArray<Node | null>) =>
    parts.length > maxParts
      ? []
      : parts.flatMap((part, index) => {
          const [previous, next] = [parts[index - 1], parts[index + 1]]
          if (!part || (part.type === "Property" && (part.method || part.kind !== "init")))
            return []
          if (next) return edit("part", part.start, next.start)
          return edit("part", previous?.end ?? part.start, end - 1)
        })
  const ofLink = (receiver: Node, text: string) => {
    const at = source.indexOf("?.", receiver.end)
    return edit("optional", at, at + 2, text)
  }
  const ofText = (texts: ReadonlyArray<readonly [at: number, text: string]>, empty: string) => {
    const before = source.slice(Math.max(0, start - 20), start)
    const hasWords = texts.some(([, text]) => text.includes(" "))
    if (/\bsql$/u.test(before) || (hasWords && texts.some(([, text]) => sqlWord.test(text))))
      return texts.flatMap(([at, text]) => inText(sqlEdits, at, text))
    return hasWords || noCode.test(before) ? [] : whole("text", empty)
  }

  if (node.type === "BinaryExpression" || node.type === "AssignmentExpression")
    return swap(source.indexOf(node.operator, node.left.end), node.operator)
  if (node.type === "UpdateExpression") return swap(node.prefix ? start : end - 2, node.operator)
  if (node.type === "LogicalExpression") {
    const withoutRight = edit("logical", node.left.end, end)
    return node.operator === "??"
      ? withoutRight
      : [...edit("logical", start, node.right.start), ...withoutRight]
  }
  if (node.type === "UnaryExpression")
    return /^[!~-]$/u.test(node.operator) ? edit("unary", start, start + 1) : []
  if (node.type === "ExpressionStatement" && !node.directive)
    return edit("statement", node.expression.start, node.expression.end, "undefined")
  if (node.type === "Literal") {
    const { raw, value } = node
    if ("regex" in node) return inText(regexEdits, start, raw ?? "")
    // Of a time or a size, no promise needs the last digit.
    if (typeof value === "number")
      return whole("number", String(value < 1000 ? value + 1 : 2 * value))
    if (typeof value === "bigint") return whole("number", `${value + 1n}n`)
    if (typeof value === "boolean") return whole("boolean", String(!value))
    if (typeof value !== "string" || value.startsWith("@pawl/")) return []
    const [, count, unit] = duration.exec(value) ?? []
    return unit === undefined
      ? ofText([[start, raw ?? ""]], value === "" ? '"mutant"' : '""')
      : whole("duration", `"${2 * Number(count)} ${unit}s"`)
  }
  if (node.type === "TemplateLiteral") {
    const texts = node.quasis.map(({ start, value }) => [start + 1, value.raw] as const)
    return ofText(texts, "``")
  }
  if (node.type === "ArrayExpression") return ofParts(node.elements)
  if (node.type === "ObjectExpression") return ofParts(node.properties)
  if (node.type === "MemberExpression" && node.optional)
    return ofLink(node.object, node.computed ? "" : ".")
  if (node.type !== "CallExpression") return []
  const { callee, optional } = node
  const link = optional ? ofLink(callee, "") : []
  if (callee.type !== "MemberExpression" || callee.computed) return link
  const { name, start: at } = callee.property
  const isModule = /^[A-Z]\w*\.$/u.test(source.slice(callee.start, at))
  const isOmitted = omitted.test(name) && !isModule
  return [...link, ...swap(at, name), ...(isOmitted ? edit("method", callee.object.end, end) : [])]
}

type TextEdits = ReadonlyArray<
  readonly [operator: string, pattern: RegExp, replace: (text: string) => string]
>

const inText = (edits: TextEdits, at: number, text: string): ReadonlyArray<Edit> =>
  edits.flatMap(([operator, pattern, replace]) =>
    Array.from(text.matchAll(pattern), (match) => {
      const start = at + match.index
      return { operator, start, end: start + match[0].length, text: replace(match[0]) }
    }).filter((edit) => edit.text !== text.slice(edit.start - at, edit.end - at))
  )

const sqlWord =
  /\b(?:SELECT|UPDATE|INSERT INTO|DELETE FROM|CREATE|BEGIN|COMMIT|PRAGMA|WHERE|AND|IS NULL|CASE|COALESCE|EXCLUDED)\b|\bexcluded\.|\bstored\./u

const replaced = (text: string): string => replacements.operator.get(text) ?? text

const reversed = (list: string): string => list.split(", ").toReversed().join(", ")

const sqlEdits: TextEdits = [
  ["sql condition", /(?<!BETWEEN [^ ]+ )\bAND\b|\bOR\b(?! IGNORE| REPLACE| ABORT)/gu, replaced],
  ["sql condition", /\bIS (?:NOT )?NULL\b/gu, replaced],
  ["sql condition", /\bNOT (?=EXISTS|IN\b)/gu, () => ""],
  ["sql comparison", /(?<![<>-])(?:[<>]=?)(?!>)/gu, replaced],
  ["sql comparison", /(?<=\b(?:WHERE|AND|OR|WHEN|ON) \(?[\w.]+ )=(?= )/gu, () => "<>"],
  ["sql comparison", /<>/gu, () => "="],
  ["sql arithmetic", /(?<= )[+|&-](?= )/gu, replaced],
  ["sql number", /(?<![\w.$'])\d+(?![\w.'])/gu, (digits) => String(Number(digits) + 1)],
  ["sql order", /\b(?:ASC|DESC)\b/gu, replaced],
  ["sql function", /(?<=\bCOALESCE\()[^(),$]+, [^(),$]+(?=\))/gu, reversed],
  ["sql lock", /\bFOR (?:NO KEY )?UPDATE\b(?: SKIP LOCKED)?|\bSKIP LOCKED\b/gu, () => ""],
  ["sql lock", /(?<=\bBEGIN) IMMEDIATE\b|(?<=\bUPDATE) SKIP LOCKED\b/gu, () => ""],
  ["sql assignment", /^ +\w+ = .*,\n/gmu, () => ""]
]

/** The pieces of a regular expression: an escape and a class hide what is in them. */
const piece =
  /\\(?:[pPu]\{[^}]*\}|.)|\[\^?(?:\\.|[^\\\]])*\]|\(\?|[$^+*]|(?<![+*}])\?|\{\d+(?:,\d+)?\}|(?<=\/[a-z]*)i(?=[a-z]*$)/gu

const ofPiece = (text: string): string => {
  if (/^[$^?i]$/u.test(text)) return ""
  if (/^[+*]$/u.test(text)) return text === "+" ? "*" : "+"
  if (text.startsWith("{")) return text.replace(/\d+(?=\})/u, (high) => String(Number(high) + 1))
  return text.startsWith("[^") ? `[${text.slice(2)}` : text
}

const regexEdits: TextEdits = [["regex", piece, ofPiece]]
