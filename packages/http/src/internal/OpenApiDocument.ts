/**
 * Narrows the generated OpenAPI document to the types of the specification.
 *
 * **Details**
 *
 * The schemas of the contract accept more than the specification promises: an id may be an integer, and an
 * exact number may be its source text. `openapi.json` has only the types of the specification.
 */
import * as Predicate from "effect/Predicate"

interface Node {
  readonly [key: string]: unknown
}

/** Returns the document with every schema narrowed to the specification. */
export const asSpecified = (document: Node): Node =>
  Object.fromEntries(Object.entries(document).map(([key, value]) => [key, walk(value)]))

const isNode = (value: unknown): value is Node => Predicate.isObject(value)

const walk = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(walk)
  if (!isNode(value)) return value
  const { allOf, anyOf, maximum: _maximum, minimum: _minimum, ...node } = value
  if (Array.isArray(anyOf)) return asSpecified({ ...node, ...narrowed(anyOf) })
  return asSpecified({
    ...node,
    // The registered spelling. Some tools accept no other one.
    ...(node["scheme"] === "Bearer" && { scheme: "bearer" }),
    // An open object: it has the known fields, and may have any other field.
    ...(allOf !== undefined && { additionalProperties: true })
  })
}

/** Narrows an exact number (a number or its source text) to a number, and an id (text or integer) to text. */
const narrowed = (members: ReadonlyArray<unknown>): Node => {
  const [first, second] = members
  const isExact = members.some((member) => isNode(member) && Object.keys(member).length === 0)
  const isText =
    isNode(first) && first["type"] === "string" && isNode(second) && second["type"] === "integer"
  if (!(isExact || isText) || !isNode(first)) return { anyOf: members }
  const { maximum: _maximum, minimum: _minimum, ...node } = first
  return node
}
