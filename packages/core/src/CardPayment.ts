/**
 * Card payments, tokens and charges. The specification names these endpoints and shows no shape (`spec.md`,
 * "Endpoints named but without shape").
 *
 * **Details**
 *
 * Likely fields are typed. All other fields are sent unchanged, and kept in `unknownFields`
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

/** The input of a request without a documented shape: it may have any further field. */
interface OpenInput extends Requested {
  /** Merchant account of card operations (`spec.md`, "Conventions"). */
  readonly mid?: string
  readonly [field: string]: unknown
}

/**
 * Input of the merchant to start a card payment or charge. It takes any further field, because the
 * specification shows no shape; a card payment usually has a `card`.
 *
 * @category models
 * @since 0.1.0
 */
export interface CardPaymentInput extends OpenInput, CreateInput, OptionalCallbackUrl {
  /**
   * Amount as decimal text in major units, with at most two decimals: `"10.50"` (`spec.md`, "Conventions").
   */
  readonly amount?: string
  /** Currency: three capital letters of ISO 4217, such as `"EUR"` (`spec.md`, "Conventions"). */
  readonly currency?: string
  /**
   * Token that stands for a card, from `CardPayments.tokenize`; never printed (`spec.md`, "Endpoints named but
   * without shape").
   */
  readonly cardToken?: string
}

/**
 * The response to the creation of a card payment. Fields that the specification does not name are in
 * `unknownFields`.
 *
 * @category models
 * @since 0.1.0
 */
export interface CardPaymentResponse extends Identified, Created {
  /** Identifier of the request, as it was sent (`spec.md`, "Conventions"). */
  readonly requestId?: string | null
  /** Token that stands for the card, redacted (`spec.md`, "Endpoints named but without shape"). */
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
 * Input of the merchant to tokenize a card. It takes any further field, because the specification shows no shape;
 * the card is usually the field `card`.
 *
 * @category models
 * @since 0.1.0
 */
export interface TokenizeInput extends OpenInput {}

/**
 * The response to a tokenize request. Fields that the specification does not name are in `unknownFields`.
 *
 * @category models
 * @since 0.1.0
 */
export interface TokenizeResponse extends UnknownFields {
  /** Identifier of the request, as it was sent (`spec.md`, "Conventions"). */
  readonly requestId?: string | null
  /**
   * Token that stands for the card, redacted; charges and subscriptions take it (`spec.md`, "Endpoints named but
   * without shape").
   */
  readonly cardToken: Redacted.Redacted
}

/**
 * Schema for the response to `POST /api/v1/payments/card/tokenize`: the token for subscriptions and charges.
 *
 * @category schemas
 * @since 0.1.0
 */
export const TokenizeResponse = openStructOf<TokenizeResponse>("TokenizeResponse", {
  requestId: nullableText,
  cardToken: CardToken
})
