/**
 * The canonical text of the body of a request. Two bodies have the same text if they ask for the same thing.
 *
 * The order of the fields does not count. Left out are the security codes, which must not be kept in any form, and
 * what depends on the merchant secret: the checksum, and the token in the callback URL.
 */
import * as CardData from "@pawl/core/internal/CardData"
import * as Json from "@pawl/core/internal/Json"
import * as Result from "effect/Result"
import * as Token from "../verify/Token.ts"

/** Returns the canonical text of a body, which is JSON text. */
export const of = (body: string): string =>
  JSON.stringify(
    sorted(CardData.withoutSecurityCode(read(body)), (fields) => ({
      ...fields,
      checksum: undefined,
      callbackUrl: withoutToken(fields["callbackUrl"])
    }))
  )

/** Parses a body, with all its members. `Json` keeps every digit, and refuses more members than any documented body has. */
export const read = (body: string): object =>
  Result.getOrElse(Json.fromText(body), (): unknown => JSON.parse(body)) as object

/** Sorts the members of all objects, after `change` has changed those of the outermost. */
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

const token = new RegExp(`([?&])${Token.parameter}=[^&#]*&?`, "u")

const withoutToken = (url: unknown): unknown =>
  typeof url === "string" ? url.replace(token, "$1") : url
