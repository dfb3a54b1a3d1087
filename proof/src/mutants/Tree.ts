/**
 * The syntax tree of a source, without its types.
 */

export interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

export const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "type" in value && "start" in value

/** Parts of the tree that are types, or names that are no values. */
const noValues = new Set([
  "typeAnnotation",
  "typeArguments",
  "typeParameters",
  "returnType",
  "superTypeArguments",
  "implements",
  "source",
  "specifiers",
  "attributes",
  "directive"
])

const wrappers = new Set([
  "TSAsExpression",
  "TSSatisfiesExpression",
  "TSNonNullExpression",
  "TSInstantiationExpression"
])

const hasKey = new Set(["Property", "PropertyDefinition", "MethodDefinition"])

export const childrenOf = (node: Node): ReadonlyArray<readonly [key: string, child: Node]> => {
  if (node.type === "ImportDeclaration" || node.type === "ExportAllDeclaration") return []
  return Object.entries(node).flatMap(([key, value]) => {
    if (noValues.has(key)) return []
    if (key === "key" && hasKey.has(node.type) && node["computed"] !== true) return []
    if (key === "property" && node["computed"] !== true) return []
    // The text of a tagged template belongs to the whole template.
    const part = key === "quasi" && isNode(value) ? value["expressions"] : value
    const children = (Array.isArray(part) ? part : [part]).filter(isNode)
    return children
      .filter(({ type }) => !type.startsWith("TS") || wrappers.has(type))
      .map((child) => [key, child] as const)
  })
}
