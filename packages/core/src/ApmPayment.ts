/**
 * Payments by an alternative method (APM), such as an e-wallet, a bank transfer or a QR code (`spec.md`,
 * "APM payments").
 *
 * @since 0.1.0
 */
import type { ApmPayloadInput, ApmResponseData } from "./ApmPayload.ts"
import type { ApmBillingDetailsInput } from "./Billing.ts"
import { openStructOf } from "./internal/OpenStruct.ts"
import {
  apmCreated,
  type Created,
  type CreateInput,
  type Identified,
  type OptionalCallbackUrl
} from "./internal/SharedFields.ts"
import type { DeviceInput, OrderInput } from "./Order.ts"

/**
 * Input of an APM payment.
 *
 * @category models
 * @since 0.1.0
 */
export interface ApmPaymentInput extends CreateInput, OptionalCallbackUrl {
  /** Merchant account of APM operations: 1 to 128 digits (`spec.md`, "Conventions"). */
  readonly accountId: string
  /** Input of the payment method; takes any further field (`spec.md`, "apmPayload and apmResponseData"). */
  readonly apmPayload: ApmPayloadInput
  /** Decimal text in major units, with at most two decimals: `"10.50"` (`spec.md`, "Conventions"). */
  readonly amount: string
  /** Three capital letters of ISO 4217, such as `"EUR"` (`spec.md`, "Conventions"). */
  readonly currency: string
  /**
   * Absolute http(s) URL to which the customer returns after a success. The return does not confirm the
   * payment (`spec.md`, "Transaction statuses").
   */
  readonly successRedirectUrl?: string
  /**
   * Absolute http(s) URL to which the customer returns after a failure (`spec.md`, "Transaction
   * statuses").
   */
  readonly failureRedirectUrl?: string
  /** Order at the merchant, for reconciliation (`spec.md`, "Order"). */
  readonly order?: OrderInput
  /** Customer who is billed (`spec.md`, "Billing details variants"). */
  readonly billingDetails?: ApmBillingDetailsInput
  /** Device of the customer, which 3-D Secure needs (`spec.md`, "Device"). */
  readonly device?: DeviceInput
}

/**
 * The response to the creation of an APM payment.
 *
 * @category models
 * @since 0.1.0
 */
export interface ApmPaymentResponse extends Identified, Created {
  /** Identifier of the request (`spec.md`, "Conventions"). */
  readonly requestId?: string
  /** Second reason of a decline; its values are not documented (`spec.md`, "Conventions"). */
  readonly declineSubReason?: string | null
  /** Pages, QR codes and identifiers of the method (`spec.md`, "apmPayload and apmResponseData"). */
  readonly apmResponseData?: ApmResponseData | null
  /** Time of creation; its format is not documented (`spec.md`, "Conventions"). */
  readonly createdTime?: string | null
}

/**
 * Schema for the response to `POST /api/v1/payments/apm`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ApmPaymentResponse = openStructOf<ApmPaymentResponse>("ApmPaymentResponse", apmCreated)
