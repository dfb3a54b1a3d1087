/**
 * Payment intents: hosted pages where the customer pays or receives a payout (`spec.md`, "Payment intents").
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import type { BillingDetailsInput } from "./Billing.ts"
import { nullableText, openStructOf, type UnknownFields } from "./internal/OpenStruct.ts"
import type { CardAccount, CreateInput, PageUrls } from "./internal/SharedFields.ts"
import type { DeviceInput, OrderInput } from "./Order.ts"
import { Metadata } from "./Transaction.ts"

/**
 * Input of an intent.
 *
 * @category models
 * @since 0.1.0
 */
export interface PaymentIntentInput extends CreateInput, CardAccount, PageUrls {
  /** PAYMENT: the customer pays. PAYOUT: the customer receives money (`spec.md`, "Payment intents"). */
  readonly type: "PAYMENT" | "PAYOUT"
  /** Three capital letters of ISO 4217, such as `"EUR"` (`spec.md`, "Conventions"). */
  readonly currency?: string
  /** Language of the page: two lower-case letters, such as `"en"` (`spec.md`, "Payment intents"). */
  readonly lang: string
  /** Decimal text in major units, with at most two decimals: `"10.50"` (`spec.md`, "Conventions"). */
  readonly amount?: string
  /** Customer (`spec.md`, "Billing details variants"). */
  readonly billingDetails: BillingDetailsInput
  /** Order at the merchant, for reconciliation (`spec.md`, "Order"). */
  readonly order: OrderInput
  /** Device of the customer, which 3-D Secure needs (`spec.md`, "Device"). */
  readonly device: DeviceInput
  /** Whether the customer passed the merchant's KYC (`spec.md`, "Payment intents"). */
  readonly kycVerified?: boolean
  /**
   * Number of the customer's earlier successful payments, for risk scoring (`spec.md`, "Payment intents").
   */
  readonly previousPaymentCount?: number
}

/**
 * The response to the creation of an intent.
 *
 * @category models
 * @since 0.1.0
 */
export interface PaymentIntentResponse extends UnknownFields {
  /** URL of the full page (`spec.md`, "Payment intents"). */
  readonly redirectUrl?: string | null
  /** URL of the same page for an iframe (`spec.md`, "Payment intents"). */
  readonly iframeUrl?: string | null
  /** Reason of a rejection; its values are not documented (`spec.md`, "Errors"). */
  readonly errorCode?: string | null
  /** Key-value pairs of the request, unchanged (`spec.md`, "Conventions"). */
  readonly metadata?: Metadata | null
}

/**
 * Schema for the response to `POST /api/v1/payments/intent`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const PaymentIntentResponse = openStructOf<PaymentIntentResponse>("PaymentIntentResponse", {
  redirectUrl: nullableText,
  iframeUrl: nullableText,
  errorCode: nullableText,
  metadata: Schema.optionalKey(Schema.NullOr(Metadata))
})

/**
 * The addresses of a hosted page.
 *
 * @category models
 * @since 0.1.0
 */
export interface HostedPage extends PaymentIntentResponse {
  /** URL of the full page to redirect the customer to (`spec.md`, "Payment intents"). */
  readonly redirectUrl: string
}
