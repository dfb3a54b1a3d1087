/**
 * The fields of every transaction (`spec.md`, "Conventions").
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import * as Grammar from "./internal/Grammar.ts"
import { TextOrInteger } from "./internal/JsonNumber.ts"
import type { Open, OpenText } from "./internal/OpenStruct.ts"
import { type Status, statuses } from "./Status.ts"

const isIdentifier = Schema.isPattern(Grammar.identifier, {
  message: "Expected 1 to 128 characters without control characters"
})

/**
 * Schema for an identifier that the service assigned: 1 to 128 characters without control characters. An
 * integer is read as text with every digit (`spec.md`, "Conventions").
 *
 * @category schemas
 * @since 0.1.0
 */
export const TransactionId = TextOrInteger.check(isIdentifier).pipe(Schema.brand("TransactionId"))

export type TransactionId = typeof TransactionId.Type

/** A `|` would make the joined text of a checksum ambiguous. */
const isJoinable = Schema.isPattern(/^[^|\p{Cc}\p{Cs}]{1,128}$/u, {
  message: 'Expected 1 to 128 characters without "|" and control characters'
})

/**
 * Schema for a requestId: chosen by the merchant, unique per request, 1 to 128 characters. The service
 * returns the original response to a repeated requestId and processes nothing twice.
 *
 * @category schemas
 * @since 0.1.0
 */
export const RequestId = Schema.String.check(isJoinable).pipe(Schema.brand("RequestId"))

export type RequestId = typeof RequestId.Type

/**
 * Schema for the merchant account of APM operations: 1 to 128 digits, because the info of an APM payout has
 * it as an integer (`spec.md`, "Conventions").
 *
 * @category schemas
 * @since 0.1.0
 */
export const AccountId = Schema.String.check(
  Schema.isPattern(/^[0-9]{1,128}$/u, { message: "Expected 1 to 128 digits" })
).pipe(Schema.brand("AccountId"))

export type AccountId = typeof AccountId.Type

export type OpenStatus = Open<Status>

/**
 * Schema for a status in a body: one of the nine, or unknown text, which is kept. `Status.isStatus` tells
 * them apart.
 *
 * @category schemas
 * @since 0.1.0
 */
export const OpenStatus: OpenText<OpenStatus> = Schema.Union([
  Schema.Literals(statuses),
  Schema.String
])

export type PaymentType = Open<"CARD" | "APM">

/**
 * Schema for the kind of a payment in a response (`spec.md`, "Conventions"): CARD, APM, or unknown text.
 *
 * @category schemas
 * @since 0.1.0
 */
export const PaymentType: OpenText<PaymentType> = Schema.String

/**
 * Schema for the key-value pairs of the merchant, which responses and callbacks return unchanged.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Metadata = Schema.Record(Schema.String, Schema.String)

export type Metadata = typeof Metadata.Type
