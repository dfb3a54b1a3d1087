/**
 * The input of a call as JSON: undefined members are as if absent, and values without a JSON form are refused.
 */
import { ValidationFailed } from "@pawl/core/PaymentsError"

/** Returns the value without its undefined members, at any depth. Returns the same value if it has none. */
export const withoutUndefined = (value: unknown): unknown => {
  if (!isPlain(value)) return value
  const entries = Object.entries(value)
  const defined = entries
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => [name, withoutUndefined(member)] as const)
  const isSame =
    defined.length === entries.length && defined.every(([name, member]) => member === value[name])
  return isSame ? value : Object.fromEntries(defined)
}

/** Creates the error for a value that `JSON.stringify` refuses: one with a bigint, or with itself as a member. */
export const toError = (value: unknown): ValidationFailed => {
  const path = pathOfBigInt(value, 0)
  return new ValidationFailed({
    sent: false,
    fields: [
      path === undefined
        ? { path: "", message: "Expected a value that can be written as JSON" }
        : { path: path.join("."), message: "Expected a number or text, not a bigint" }
    ]
  })
}

/** Deeper members are not searched: a value that has itself as a member has no end. */
const maxDepth = 64

const pathOfBigInt = (value: unknown, depth: number): ReadonlyArray<string> | undefined => {
  if (typeof value === "bigint") return []
  if (typeof value !== "object" || value === null || depth > maxDepth) return undefined
  for (const [name, member] of Object.entries(value)) {
    const path = pathOfBigInt(member, depth + 1)
    if (path !== undefined) return [name, ...path]
  }
  return undefined
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" &&
  value !== null &&
  [Object.prototype, null].includes(Object.getPrototypeOf(value))
