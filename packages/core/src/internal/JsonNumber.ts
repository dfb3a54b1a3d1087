/**
 * Schemas of JSON numbers that keep every digit. They reverse `Json`: text becomes a number if the number
 * has the same digits, else raw JSON.
 */
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import type { RawJson } from "./Json.ts"

const { isRawJSON, rawJSON } = JSON as JSON & {
  readonly isRawJSON: (value: unknown) => value is RawJson
  readonly rawJSON: (text: string) => RawJson
}

const RawNumber = Schema.declare(isRawJSON, { expected: "an integer" })

const toText = (value: number | string | RawJson): string =>
  typeof value === "object" ? value.rawJSON : String(value)

const fromText = (text: string): number | string | RawJson =>
  String(Number(text)) === text ? Number(text) : rawJSON(text)

/** Schema for an integer of any size, also beyond 2^53, which `Schema.Int` refuses. */
export const Integer = Schema.Finite.check(
  Schema.makeFilter(Number.isInteger, {
    expected: "an integer",
    toJsonSchema: () => ({ type: "integer" }),
    arbitraryConstraint: { number: "integer" }
  })
)

const textFromNumber = (number: typeof Integer, pattern: RegExp, message: string) =>
  Schema.Union([number, Schema.String, RawNumber]).pipe(
    Schema.decodeTo(
      Schema.String.check(Schema.isPattern(pattern, { message })),
      SchemaTransformation.transform({ decode: toText, encode: fromText })
    )
  )

/** Schema for text that may be a number on the wire. */
export const textOr = (number: typeof Integer) =>
  Schema.Union([Schema.String, number]).pipe(
    Schema.decodeTo(
      Schema.String,
      SchemaTransformation.transform({
        decode: (value: string | number) => String(value),
        encode: (text): string | number => text
      })
    )
  )

/** Schema for text that may be a JSON integer on the wire. It keeps every digit. */
export const TextOrInteger = textOr(Integer)

/** Schema for text that is a JSON integer on the wire. It keeps every digit. */
export const IntegerText = textFromNumber(
  Integer,
  /^(?:0|[1-9][0-9]{0,127})$/u,
  "Expected an integer"
)

/** Schema for an amount that is a JSON number on the wire, read as text with every digit. */
export const AmountFromNumber = textFromNumber(
  Schema.Finite,
  /^-?(?:0|[1-9][0-9]{0,30})(?:\.[0-9]{1,30})?$/u,
  "Expected a decimal number"
)
