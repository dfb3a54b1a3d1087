/**
 * What a receiver refuses though its checksum holds, as far as one can be taken at all.
 *
 * @since 0.1.0
 */
import { signedNames } from "@pawl/core/Callback"
import type { Method } from "@pawl/core/Kind"
import { account, type Change, field } from "./Letter.ts"

/**
 * A body that is too large.
 *
 * @category constants
 * @since 0.1.0
 */
export const large: ReadonlyArray<Change> = [
  {
    note: "of 70,000 bytes",
    body: (text) => `${text.slice(0, -1)},"note":"${"x".repeat(70_000)}"}`
  }
]

/**
 * Headers that say it is something else.
 *
 * @category constants
 * @since 0.1.0
 */
export const types: ReadonlyArray<Change> = [
  ...["text/plain", "application/x-www-form-urlencoded", "application/json; charset=utf-16"].map(
    (contentType) => ({ note: `as ${contentType}`, incoming: { contentType } })
  ),
  { note: "as gzip", incoming: { contentEncoding: "gzip" } }
]

const utf8 = new TextEncoder()
const deep = 70

/**
 * Bodies that are no sound JSON object.
 *
 * @category constants
 * @since 0.1.0
 */
export const bodies: ReadonlyArray<Change> = [
  { note: "without a body", body: () => "" },
  { note: "cut short", body: (text) => text.slice(0, -1) },
  { note: "in a list", body: (text) => `[${text}]` },
  { note: "with a byte order mark", body: (text) => `\ufeff${text}` },
  {
    note: "with a byte that is not UTF-8",
    body: (text) => {
      const bytes = utf8.encode(`${text.slice(0, -1)},"note":"?"}`)
      bytes[bytes.length - 3] = 0xff
      return bytes
    }
  },
  {
    note: "with its status twice",
    body: (text) => `${text.slice(0, -1)},"transactionStatus":"SUCCEED"}`
  },
  {
    note: "with its transactionId twice, once escaped",
    body: (text) => `${text.slice(0, -1)},"\\u0074ransactionId":"1"}`
  },
  {
    note: `${deep} levels deep`,
    body: (text) => `${text.slice(0, -1)},"note":${"[".repeat(deep)}${"]".repeat(deep)}}`
  }
]

/** Puts another value, as JSON, in the place of a signed field; `read` is what joins of it. */
const put = (at: 0 | 1 | 2 | 3, json: string, read: string, note: string): Change => ({
  note,
  body: (text, method) =>
    text.replace(new RegExp(`("${field(method, at)}":)"[^"]*"`, "u"), `$1${json}`),
  text: (text) => text.split("|").with(at, read).join("|")
})

/**
 * Signed fields that could be read in two ways.
 *
 * @category constants
 * @since 0.1.0
 */
export const fields: ReadonlyArray<Change> = [
  put(0, '"a|b"', "a|b", "with a bar in its account"),
  put(3, '"1|2"', "1|2", "with a bar in its transactionId"),
  put(2, '"EUR\\n"', "EUR\n", "with a line break in its currency"),
  put(1, '["10.00"]', "10.00", "with a list for an amount"),
  put(1, "true", "true", "with true for an amount"),
  put(1, "null", "", "with null for an amount"),
  put(1, '""', "", "with an empty amount"),
  {
    note: "without an amount",
    body: (text, method) => text.replace(new RegExp(`"${field(method, 1)}":"[^"]*",`, "u"), ""),
    text: (text) => text.split("|").with(1, "").join("|")
  }
]

const other = (method: Method): Method => (method === "card" ? "apm" : "card")

/** The signed fields of the other kind, with values of which the checksum holds as well. */
const both = (text: string, method: Method): string =>
  signedNames[other(method)]
    .slice(0, 3)
    .reduce(
      (body, name, at) =>
        `${body.slice(0, -1)},"${name}":${JSON.stringify([account[method], "10.00", "EUR"][at])}}`,
      text
    )

/**
 * Callbacks whose kind is in doubt.
 *
 * @category constants
 * @since 0.1.0
 */
export const routes: ReadonlyArray<Change> = [
  { note: "without a query", search: () => "" },
  { note: "with no such paymentMethod", search: () => "?paymentMethod=wire" },
  {
    note: "with its paymentMethod in capitals",
    search: (_, method) => `?paymentMethod=${method.toUpperCase()}`
  },
  {
    note: "with paymentMethod twice",
    search: (search, method) => `${search}&paymentMethod=${other(method)}`
  },
  {
    note: "with paymentMethod as a list",
    search: (_, method) => `?paymentMethod[]=${method}`
  },
  {
    note: "with the paymentMethod of the other kind",
    search: (_, method) => `?paymentMethod=${other(method)}`
  },
  { note: "with the signed fields of both kinds", body: both },
  {
    note: "with the fields of both, and the paymentMethod of the other kind",
    search: (_, method) => `?paymentMethod=${other(method)}`,
    body: both
  },
  {
    note: "with an apmType that is not that of its body, or of no use",
    search: (_, method) => `?paymentMethod=${method}&apmType=OTHER`
  }
]
