/**
 * Card payments, tokens and charges (`spec.md`, "Endpoints named but without shape").
 *
 * **Details**
 *
 * The specification shows no fields. The likely ones are typed, and inputs take any further field
 * (`docs/decisions/0008-undocumented-values.md`).
 *
 * @since 0.1.0
 */
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { CardToken } from "./Card.ts"
import { nullableText, openStructOf, type UnknownFields } from "./internal/OpenStruct.ts"
import {
  created,
  type Created,
  type CreateInput,
  type Identified,
  type OptionalCallbackUrl,
  type Requested
} from "./internal/SharedFields.ts"
import { TransactionId } from "./Transaction.ts"

interface OpenInput extends Requested {
  /** Merchant account of card operations (`spec.md`, "Conventions"). */
  readonly mid?: string
  readonly [field: string]: unknown
}

/**
 * Input of a card payment or charge. A card payment usually has a field `card`.
 *
 * @category models
 * @since 0.1.0
 */
export interface CardPaymentInput extends OpenInput, CreateInput, OptionalCallbackUrl {
  /** Decimal text in major units, with at most two decimals: `"10.50"` (`spec.md`, "Conventions"). */
  readonly amount?: string
  /** Three capital letters of ISO 4217, such as `"EUR"` (`spec.md`, "Conventions"). */
  readonly currency?: string
  /**
   * Card token from `CardPayments.tokenize`; never printed (`spec.md`, "Endpoints named but without
   * shape").
   */
  readonly cardToken?: string
}

/**
 * The response to a card payment or charge.
 *
 * @category models
 * @since 0.1.0
 */
export interface CardPaymentResponse extends Identified, Created {
  /** Identifier of the request (`spec.md`, "Conventions"). */
  readonly requestId?: string | null
  /** Card token (`spec.md`, "Endpoints named but without shape"). */
  readonly cardToken?: Redacted.Redacted | null
}

/**
 * Schema for the response to a card payment or charge.
 *
 * @category schemas
 * @since 0.1.0
 */
export const CardPaymentResponse = openStructOf<CardPaymentResponse>("CardPaymentResponse", {
  requestId: nullableText,
  transactionId: TransactionId,
  ...created,
  cardToken: Schema.optionalKey(Schema.NullOr(CardToken))
})

/**
 * Input to tokenize a card, which is usually the field `card`.
 *
 * @category models
 * @since 0.1.0
 */
export interface TokenizeInput extends OpenInput {}

/**
 * The response to a tokenize request.
 *
 * @category models
 * @since 0.1.0
 */
export interface TokenizeResponse extends UnknownFields {
  /** Identifier of the request (`spec.md`, "Conventions"). */
  readonly requestId?: string | null
  /** Card token for charges and subscriptions (`spec.md`, "Endpoints named but without shape"). */
  readonly cardToken: Redacted.Redacted
}

/**
 * Schema for the response to `POST /api/v1/payments/card/tokenize`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const TokenizeResponse = openStructOf<TokenizeResponse>("TokenizeResponse", {
  requestId: nullableText,
  cardToken: CardToken
})
