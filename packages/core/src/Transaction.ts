/**
 * What every transaction has: its identifiers, and its status as the service sends it.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import * as Grammar from "./Grammar.ts"
import { Integer, textFromNumber } from "./internal/JsonNumber.ts"
import { type Status, statuses } from "./Status.ts"

const isIdentifier = Schema.isPattern(Grammar.identifier, {
  message: 'Expected 1 to 64 letters, digits, "_" or "-"'
})

/**
 * Schema for text that may travel as an integer; read through `Json`, no digit is lost.
 *
 * @category schemas
 * @since 0.1.0
 */
export const TextOrInteger = Schema.Union([Schema.String, Integer]).pipe(
  Schema.decodeTo(
    Schema.String,
    SchemaTransformation.transform({
      decode: (value: string | number) => String(value),
      encode: (text): string | number => text
    })
  )
)

/**
 * Schema for text that travels as a JSON integer of any size, digit by digit.
 *
 * @category schemas
 * @since 0.1.0
 */
export const IntegerText = textFromNumber(
  Integer,
  /^(?:0|[1-9][0-9]{0,63})$/u,
  "Expected an integer"
)

/**
 * Schema for an identifier the service assigned. Only such text ever becomes part of a path.
 *
 * **Details**
 *
 * The service sends it as text or as an integer (`spec.md`, "Conventions"); it is read as text
 * either way, without losing a digit.
 *
 * @category schemas
 * @since 0.1.0
 */
export const TransactionId = TextOrInteger.check(isIdentifier).pipe(Schema.brand("TransactionId"))

/**
 * An identifier the service assigned.
 *
 * @category models
 * @since 0.1.0
 */
export type TransactionId = typeof TransactionId.Type

/** What the merchant chooses is free, but for what would make a joined checksum ambiguous. */
const isJoinable = Schema.isPattern(/^[^|\p{Cc}\p{Cs}]{1,128}$/u, {
  message: 'Expected 1 to 128 characters without "|" and control characters'
})

/**
 * Schema for a requestId: chosen by the merchant, unique per request. Sent again with the same one,
 * a request returns the original response and nothing is processed twice.
 *
 * @category schemas
 * @since 0.1.0
 */
export const RequestId = Schema.String.check(isJoinable).pipe(Schema.brand("RequestId"))

/**
 * The merchant's identifier of one request.
 *
 * @category models
 * @since 0.1.0
 */
export type RequestId = typeof RequestId.Type

/**
 * Schema for the merchant account of APM operations.
 *
 * @category schemas
 * @since 0.1.0
 */
export const AccountId = Schema.String.check(isJoinable).pipe(Schema.brand("AccountId"))

/**
 * The merchant account of APM operations.
 *
 * @category models
 * @since 0.1.0
 */
export type AccountId = typeof AccountId.Type

/**
 * Schema for a status as it travels: one of the nine, or a text nobody knows yet, kept as it came.
 *
 * @category schemas
 * @since 0.1.0
 */
export const OpenStatus = Schema.Union([Schema.Literals(statuses), Schema.String])

/**
 * A status as it travels.
 *
 * @category models
 * @since 0.1.0
 */
export type OpenStatus = Status | (string & {})

/**
 * Schema for the numeric reason of a decline. Present only when the transaction is FAILED; the table of
 * codes is not documented.
 *
 * @category schemas
 * @since 0.1.0
 */
export const DeclineCode = Schema.optionalKey(Schema.NullOr(Schema.Int))

/**
 * Schema for an absolute http(s) URL.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Url = Schema.String.check(
  Schema.isPattern(/^https?:\/\/[^\s]+$/u, { message: "Expected an absolute http(s) URL" })
)

/**
 * Schema for the merchant's own key-value pairs, returned unchanged in responses and callbacks.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Metadata = Schema.Record(Schema.String, Schema.String)

/**
 * The merchant's own key-value pairs.
 *
 * @category models
 * @since 0.1.0
 */
export type Metadata = typeof Metadata.Type
