/**
 * Numbers that lose no digit on the wire.
 *
 * **Details**
 *
 * `Json` hands a number over as its source text where `String(n)` would differ. This is the way back: a
 * text is written as a number where that writes the same digits, else as raw JSON, digit by digit.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import type { RawJson } from "../Json.ts"

const { isRawJSON, rawJSON } = JSON as JSON & {
  readonly isRawJSON: (value: unknown) => value is RawJson
  readonly rawJSON: (text: string) => RawJson
}

const Raw = Schema.declare(isRawJSON)

const toText = (value: number | string | RawJson): string =>
  typeof value === "object" ? value.rawJSON : String(value)

const fromText = (text: string): number | string | RawJson =>
  String(Number(text)) === text ? Number(text) : rawJSON(text)

/**
 * Schema for an integer of any size: a number that `Json` hands over has the digits of its source, also
 * beyond 2^53, where `Schema.Int` ends.
 */
export const Integer = Schema.Finite.check(
  Schema.makeFilter(Number.isInteger, {
    expected: "an integer",
    toJsonSchema: () => ({ type: "integer" }),
    arbitraryConstraint: { number: "integer" }
  })
)

/**
 * Makes the schema of a text that travels as a JSON number: an integer, or any finite one.
 */
export const textFromNumber = (number: typeof Integer, pattern: RegExp, message: string) =>
  Schema.Union([number, Schema.String, Raw]).pipe(
    Schema.decodeTo(
      Schema.String.check(Schema.isPattern(pattern, { message })),
      SchemaTransformation.transform({ decode: toText, encode: fromText })
    )
  )
