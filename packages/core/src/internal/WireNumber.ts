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

/** What `JSON.stringify` writes as it is (Node 22, all current browsers). */
interface RawJson {
  readonly rawJSON: string
}

/** A number as it is read or written: exact as a number, as its source text, or as raw JSON. */
export type WireNumber = number | string | RawJson

const { isRawJSON, rawJSON } = JSON as JSON & {
  readonly isRawJSON: (value: unknown) => value is RawJson
  readonly rawJSON: (text: string) => RawJson
}

const isWireNumber = (value: unknown): value is WireNumber =>
  typeof value === "number" || typeof value === "string" || isRawJSON(value)

const toText = (value: WireNumber): string =>
  typeof value === "object" ? value.rawJSON : String(value)

const fromText = (text: string): WireNumber =>
  String(Number(text)) === text ? Number(text) : rawJSON(text)

/**
 * Makes the schema of a text that travels as a JSON number. `identifier` names the number in
 * `openapi.json`.
 */
export const wireNumber = (identifier: string, pattern: RegExp, message: string) =>
  Schema.declare(isWireNumber, { identifier }).pipe(
    Schema.decodeTo(
      Schema.String.check(Schema.isPattern(pattern, { message })),
      SchemaTransformation.transform({ decode: toText, encode: fromText })
    )
  )
