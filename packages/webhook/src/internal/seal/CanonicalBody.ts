/**
 * The text that two bodies share that ask for the same. It leaves out the security codes, which
 * must never be kept, and the checksum and the callback URL, which a new secret or address changes.
 */
import * as CardData from "@pawl/core/internal/CardData"
import * as Json from "@pawl/core/internal/Json"
import * as Result from "effect/Result"

export const of = (body: string): string =>
  JSON.stringify(
    sorted(CardData.withoutSecurityCode(read(body)), (fields) => ({
      ...fields,
      checksum: undefined,
      callbackUrl: undefined
    }))
  )

/** Keeps every digit, and refuses more members than any documented body has. */
export const read = (body: string): object =>
  Result.getOrElse(Json.fromText(body), (): unknown => JSON.parse(body)) as object

const sorted = (
  value: unknown,
  change: (fields: Record<string, unknown>) => Record<string, unknown> = (fields) => fields
): unknown => {
  if (Array.isArray(value)) return value.map((each) => sorted(each))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(change(value as Record<string, unknown>))
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, each]) => [name, sorted(each)])
  )
}
