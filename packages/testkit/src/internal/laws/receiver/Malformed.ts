/** Callbacks that a receiver refuses although the checksum verifies. */
import { signedNames } from "@pawl/core/internal/SignedFields"
import type { Method } from "@pawl/core/Kind"
import { accountOf, type Change, signedField } from "./CallbackRequest.ts"

export const large: ReadonlyArray<Change> = [
  {
    note: "of 65,537 bytes",
    body: (text) => `${text.slice(0, -1)},"note":"${"x".repeat(65_537 - 10 - text.length)}"}`
  }
]

export const mediaTypes: ReadonlyArray<Change> = [
  ...[
    "text/plain",
    "application/x-www-form-urlencoded",
    "application/problem+json",
    "application/json; charset=utf-16"
  ].map((contentType) => ({ note: `as ${contentType}`, incoming: { contentType } })),
  { note: "as gzip", incoming: { contentEncoding: "gzip" } }
]

const utf8 = new TextEncoder()
const depth = 70

export const bodies: ReadonlyArray<Change> = [
  { note: "without a body", body: () => "" },
  { note: "cut short", body: (text) => text.slice(0, -1) },
  { note: "followed by another object", body: (text) => `${text}{}` },
  { note: "in a list", body: (text) => `[${text}]` },
  { note: "with NaN", body: (text) => `${text.slice(0, -1)},"note":NaN}` },
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
    note: `${depth} levels deep`,
    body: (text) => `${text.slice(0, -1)},"note":${"[".repeat(depth)}${"]".repeat(depth)}}`
  }
]

/** `joined` is the text of the field under the checksum. */
const replaceField = (at: 0 | 1 | 2 | 3, json: string, joined: string, note: string): Change => ({
  note,
  body: (text, method) =>
    text.replace(new RegExp(`("${signedField(method, at)}":)"[^"]*"`, "u"), `$1${json}`),
  text: (text) => text.split("|").with(at, joined).join("|")
})

export const fields: ReadonlyArray<Change> = [
  replaceField(0, '"a|b"', "a|b", "with a bar in its account"),
  replaceField(3, '"1|2"', "1|2", "with a bar in its transactionId"),
  replaceField(2, '"EUR\\n"', "EUR\n", "with a line break in its currency"),
  replaceField(1, '["10.00"]', "10.00", "with a list as its amount"),
  replaceField(1, "true", "true", "with true as its amount"),
  replaceField(1, "null", "", "with null as its amount"),
  replaceField(1, '""', "", "with an empty amount"),
  {
    note: "without an amount",
    body: (text, method) =>
      text.replace(new RegExp(`"${signedField(method, 1)}":"[^"]*",`, "u"), ""),
    text: (text) => text.split("|").with(1, "").join("|")
  }
]

const other = (method: Method): Method => (method === "card" ? "apm" : "card")

/** The checksum verifies for the values of both methods. */
const withBothFields = (text: string, method: Method): string =>
  signedNames[other(method)]
    .slice(0, 3)
    .reduce(
      (body, name, at) =>
        `${body.slice(0, -1)},"${name}":${JSON.stringify([accountOf[method], "10.00", "EUR"][at])}}`,
      text
    )

export const methods: ReadonlyArray<Change> = [
  { note: "without a query", search: () => "" },
  { note: "with an unknown paymentMethod", search: () => "?paymentMethod=wire" },
  {
    note: "with its paymentMethod in upper case",
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
    note: "with the paymentMethod of the other method",
    search: (_, method) => `?paymentMethod=${other(method)}`
  },
  { note: "with the signed fields of both methods", body: withBothFields },
  {
    note: "with the signed fields of both methods and the paymentMethod of the other one",
    search: (_, method) => `?paymentMethod=${other(method)}`,
    body: withBothFields
  },
  {
    note: "with an apmType that differs from its body, or that its method does not have",
    search: (_, method) => `?paymentMethod=${method}&apmType=OTHER`
  }
]
