/** The edits of code. */
import type { Edit } from "./Edit.ts"
import { isNode, type Node } from "./Tree.ts"

const operators: Readonly<Record<string, ReadonlyArray<string>>> = {
  "<": ["<=", ">="],
  "<=": ["<", ">"],
  ">": [">=", "<="],
  ">=": [">", "<"],
  "===": ["!=="],
  "!==": ["==="],
  "+": ["-"],
  "-": ["+"],
  "*": ["/"],
  "/": ["*"],
  "%": ["*"],
  "**": ["*"],
  "&": ["|"],
  "|": ["&"],
  "^": ["&"],
  "<<": [">>"],
  ">>": ["<<"],
  ">>>": ["<<"],
  "+=": ["-="],
  "-=": ["+="],
  "|=": ["&="],
  "&=": ["|="],
  "??=": ["="],
  "||=": ["="],
  "&&=": ["="],
  "++": ["--"],
  "--": ["++"]
}

const counterparts: Readonly<Record<string, string>> = {
  some: "every",
  every: "some",
  startsWith: "endsWith",
  endsWith: "startsWith",
  min: "max",
  max: "min",
  ceil: "floor",
  floor: "ceil",
  toUpperCase: "toLowerCase",
  toLowerCase: "toUpperCase",
  indexOf: "lastIndexOf",
  headNonEmpty: "lastNonEmpty",
  lastNonEmpty: "headNonEmpty",
  find: "findLast"
}

/** Methods whose receiver may stand for their result. */
const omitted = new Set(["filter", "toSorted", "toReversed", "trim", "normalize", "padStart"])

const duration = /^(\d+) (nano|micro|milli|second|minute|hour|day|week)s?$/u

/** Properties that hold prose, and arguments that name a module. */
const prose = new Set(["message", "description", "summary", "title", "reason", "identifier"])

const maxParts = 24

const edit = (operator: string, start: number, end: number, text: string): Edit => ({
  operator,
  start,
  end,
  text
})

const nodesOf = (value: unknown): ReadonlyArray<Node> =>
  (Array.isArray(value) ? value : [value]).filter(isNode)

export const edits = (node: Node, source: string): ReadonlyArray<Edit> => {
  const { end, start, type } = node
  switch (type) {
    case "BinaryExpression":
    case "AssignmentExpression":
    case "UpdateExpression":
      return ofOperator(node, source)
    case "LogicalExpression": {
      const { left, right } = node as unknown as { readonly left: Node; readonly right: Node }
      const withoutRight = edit("logical", left.end, end, "")
      return node["operator"] === "??"
        ? [withoutRight]
        : [edit("logical", start, right.start, ""), withoutRight]
    }
    case "UnaryExpression":
      return /^[!~-]$/u.test(String(node["operator"])) ? [edit("unary", start, start + 1, "")] : []
    case "Literal":
      return ofLiteral(node, source)
    case "TemplateLiteral": {
      const text = source.slice(start, end)
      return /[ <]/u.test(text.replaceAll(/\$\{[^}]*\}/gu, ""))
        ? []
        : [edit("text", start, end, "``")]
    }
    case "ArrayExpression":
      return withoutParts("element", nodesOf(node["elements"]), node)
    case "ObjectExpression":
      return withoutParts("property", nodesOf(node["properties"]), node)
    case "CallExpression":
      return ofCall(node)
    case "ChainExpression":
      return optionalLinks(node, source)
    default:
      return []
  }
}

export const conditionsOf = (node: Node): ReadonlyArray<Node> =>
  /^(?:If|While|For|DoWhile)Statement$|^ConditionalExpression$/u.test(node.type)
    ? nodesOf(node["test"])
    : []

/** Decides a condition. No loop is made endless. */
export const decided = ({ end, start }: Node, isLoop: boolean): ReadonlyArray<Edit> =>
  (isLoop ? ["false"] : ["true", "false"]).map((text) => edit("condition", start, end, text))

export const removed = ({ end, start }: Node): ReadonlyArray<Edit> => [
  edit("statement", start, end, "undefined")
]

export const isNoOpposite = ({ operator }: Edit): boolean => operator !== "opposite"

const ofOperator = (node: Node, source: string): ReadonlyArray<Edit> => {
  const operator = String(node["operator"])
  const operands = ["left", "right", "argument"].flatMap((key) => nodesOf(node[key]))
  const [first] = operands
  const isJoined = operands.some(
    (each) => typeof each["value"] === "string" || each.type === "TemplateLiteral"
  )
  if (first === undefined || (operator === "+" && isJoined)) return []
  const at = node["prefix"] === true ? node.start : source.indexOf(operator, first.end)
  return (operators[operator] ?? []).map((text, index) => {
    const isOpposite = index === 1 || /^[!=]==$/u.test(operator)
    return edit(isOpposite ? "opposite" : "operator", at, at + operator.length, text)
  })
}

const ofLiteral = (node: Node, source: string): ReadonlyArray<Edit> => {
  const { end, start, value } = node as Node & { readonly value: unknown }
  const whole = (operator: string, text: string) => [edit(operator, start, end, text)]
  if (typeof value === "number") return whole("number", String(value + 1))
  if (typeof value === "bigint") return whole("number", `${value + 1n}n`)
  if (typeof value === "boolean") return whole("boolean", String(!value))
  if (typeof value !== "string") return []
  const [, count, unit] = duration.exec(value) ?? []
  if (unit !== undefined) return whole("duration", JSON.stringify(`${2 * Number(count)} ${unit}s`))
  if (value.includes(" ") || value.startsWith("@pawl/")) return []
  const property = /(\w+): $/u.exec(source.slice(Math.max(0, start - 20), start))?.[1] ?? ""
  return prose.has(property) ? [] : whole("text", value === "" ? '"mutant"' : '""')
}

const isValue = ({ kind, method }: Node): boolean =>
  kind !== "get" && kind !== "set" && method !== true

const withoutParts = (
  operator: string,
  parts: ReadonlyArray<Node>,
  { end: close }: Node
): ReadonlyArray<Edit> =>
  parts.length > maxParts
    ? []
    : parts.flatMap((part, index) => {
        if (!isValue(part)) return []
        const [previous, next] = [parts[index - 1], parts[index + 1]]
        if (next !== undefined) return edit(operator, part.start, next.start, "")
        return previous === undefined
          ? edit(operator, part.start, close - 1, "")
          : edit(operator, previous.end, close - 1, "")
      })

const ofCall = (node: Node): ReadonlyArray<Edit> => {
  const callee = node["callee"]
  if (!isNode(callee) || callee.type !== "MemberExpression" || callee["computed"] === true)
    return []
  const { object, property } = callee as unknown as {
    readonly object: Node
    readonly property: Node
  }
  const name = String(property["name"])
  const counterpart = Object.hasOwn(counterparts, name) ? counterparts[name] : undefined
  const isModule = object.type === "Identifier" && /^[A-Z]/u.test(String(object["name"]))
  return [
    ...(counterpart === undefined
      ? []
      : [edit("method", property.start, property.end, counterpart)]),
    ...(omitted.has(name) && !isModule ? [edit("method", object.end, node.end, "")] : [])
  ]
}

const optionalLinks = (chain: Node, source: string): ReadonlyArray<Edit> => {
  const found: Array<Edit> = []
  for (let link = chain["expression"]; isNode(link); link = link["object"] ?? link["callee"]) {
    const before = link["object"] ?? link["callee"]
    if (link["optional"] !== true || !isNode(before)) continue
    const at = source.indexOf("?.", before.end)
    const isName = link.type === "MemberExpression" && link["computed"] !== true
    found.push(edit("optional", at, at + 2, isName ? "." : ""))
  }
  return found
}
