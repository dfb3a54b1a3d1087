/**
 * What `openapi.json` says of the contract.
 *
 * **Details**
 *
 * Our schemas take more than the spec promises: an identifier may come as an integer, an exact number as
 * its source text. A document for others says what the spec says, and no more.
 *
 * @since 0.1.0
 */
import * as Predicate from "effect/Predicate"

interface Node {
  readonly [key: string]: unknown
}

/** Says of every schema in a document what the spec says of it. */
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
    // As it is registered: what reads a document may know no other spelling.
    ...(node["scheme"] === "Bearer" && { scheme: "bearer" }),
    // An open object: the fields it knows, and any other.
    ...(allOf !== undefined && { additionalProperties: true })
  })
}

/** A number that loses no digit is that number; text that may come as an integer is text. */
const narrowed = (members: ReadonlyArray<unknown>): Node => {
  const [first, second] = members
  const isExact = members.some((member) => isNode(member) && Object.keys(member).length === 0)
  const isText =
    isNode(first) && first["type"] === "string" && isNode(second) && second["type"] === "integer"
  if (!(isExact || isText) || !isNode(first)) return { anyOf: members }
  const { maximum: _maximum, minimum: _minimum, ...node } = first
  return node
}
