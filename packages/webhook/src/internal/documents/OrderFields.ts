/**
 * The fields of an order, which the documents of transactions and of requests share.
 */
import type { Ordered } from "../rule/Row.ts"
import { add, text, textIn } from "./Fields.ts"

/** The fields of the order, and the field of an order without any. */
const fields = { requestId: "i", account: "a", amount: "m", currency: "u" } as const
const empty = "O"

type Name = keyof typeof fields

const names = Object.keys(fields) as ReadonlyArray<Name>
const nameOf = new Map<string, Name>(names.map((name) => [fields[name], name]))

/** Writes an order. */
export const write = (lines: Array<string>, ordered: Ordered | undefined): void => {
  if (ordered === undefined) return
  const known = names.filter((name) => ordered[name] !== undefined)
  for (const name of known) add(lines, fields[name], text(ordered[name] ?? ""))
  if (known.length === 0) lines.push(empty)
}

/** Reads a field of an order, and returns the order with it; undefined if the field is not one of an order. */
export const read = (
  ordered: Ordered | undefined,
  field: string,
  value: string
): Ordered | undefined => {
  if (field === empty) return ordered ?? {}
  const name = nameOf.get(field)
  return name === undefined ? undefined : { ...ordered, [name]: textIn(value) }
}
