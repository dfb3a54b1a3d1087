/**
 * The text form of stored values: JSON, with redacted values in clear. Each becomes an object with
 * the single key `~`; so does an object that has this key itself.
 */
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"

export const write = (value: unknown): string => JSON.stringify(toJson(value))

export const read = (text: string): unknown => fromJson(JSON.parse(text))

const tag = "~"

const toJson = (value: unknown): unknown => {
  if (Redacted.isRedacted(value)) {
    return { [tag]: ["redacted", toJson(Redacted.value(value)), value.label] }
  }
  if (Array.isArray(value)) return value.map(toJson)
  if (!Predicate.isObject(value)) return value
  const entries = Object.entries(value).map(([key, member]) => [key, toJson(member)] as const)
  return Object.hasOwn(value, tag) ? { [tag]: ["object", entries] } : Object.fromEntries(entries)
}

const fromJson = (json: unknown): unknown => {
  if (Array.isArray(json)) return json.map(fromJson)
  if (!Predicate.isObject(json)) return json
  if (!Object.hasOwn(json, tag)) return fromEntries(Object.entries(json))
  const [kind, value, label] = (json as { readonly [tag]: ReadonlyArray<unknown> })[tag]
  return kind === "redacted"
    ? Redacted.make(fromJson(value), typeof label === "string" ? { label } : undefined)
    : fromEntries(value as ReadonlyArray<readonly [string, unknown]>)
}

const fromEntries = (entries: ReadonlyArray<readonly [string, unknown]>) =>
  Object.fromEntries(entries.map(([key, member]) => [key, fromJson(member)]))
