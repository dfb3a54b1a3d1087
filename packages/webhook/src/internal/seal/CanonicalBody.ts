/**
 * The canonical text of the body of a request: the same for two bodies that ask for the same thing.
 * Left out are the security codes, which must never be kept, the checksum, and the callback URL,
 * which a new secret or a new address of the receiver changes.
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
