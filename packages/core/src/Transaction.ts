/**
 * The fields that every transaction has: identifiers, status, decline code, metadata (`spec.md`, "Conventions").
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
 * Schema for an identifier that the service assigned: opaque text of 1 to 128 characters without control
 * characters. A response with any such identifier is read, because the money may have moved by then; a path has it
 * percent-encoded.
 *
 * **Details**
 *
 * The service sends it as text or as an integer (`spec.md`, "Conventions"). Both are read as text with every
 * digit.
 *
 * @category schemas
 * @since 0.1.0
 */
export const TransactionId = TextOrInteger.check(isIdentifier).pipe(Schema.brand("TransactionId"))

/**
 * An identifier that the service assigned.
 *
 * @category models
 * @since 0.1.0
 */
export type TransactionId = typeof TransactionId.Type

/** Refuses the separator `|`, which would make the joined text of a checksum ambiguous. */
const isJoinable = Schema.isPattern(/^[^|\p{Cc}\p{Cs}]{1,128}$/u, {
  message: 'Expected 1 to 128 characters without "|" and control characters'
})

/**
 * Schema for a requestId: chosen by the merchant, unique per request, 1 to 128 characters. A request that is
 * repeated with the same requestId returns the original response and is not processed twice.
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
 * A status in a body: one of the nine, or an unknown text. `Status.isStatus` tells them apart.
 *
 * @category models
 * @since 0.1.0
 */
export type OpenStatus = Open<Status>

/**
 * Schema for a status in a body: one of the nine, or an unknown text, which is kept.
 *
 * @category schemas
 * @since 0.1.0
 */
export const OpenStatus: OpenText<OpenStatus> = Schema.Union([
  Schema.Literals(statuses),
  Schema.String
])

/**
 * The kind of a payment in a response: CARD or APM, or an unknown text.
 *
 * @category models
 * @since 0.1.0
 */
export type PaymentType = Open<"CARD" | "APM">

/**
 * Schema for the kind of a payment in a response (`spec.md`, "Conventions"). An unknown text is kept.
 *
 * @category schemas
 * @since 0.1.0
 */
export const PaymentType: OpenText<PaymentType> = Schema.String

/**
 * Schema for the key-value pairs of the merchant. Responses and callbacks return them unchanged.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Metadata = Schema.Record(Schema.String, Schema.String)

/**
 * The key-value pairs of the merchant.
 *
 * @category models
 * @since 0.1.0
 */
export type Metadata = typeof Metadata.Type
