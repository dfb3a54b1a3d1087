/**
 * The fields that APM payments and payouts share.
 */
import * as Schema from "effect/Schema"
import { Amount, Currency } from "../Amount.ts"
import { ApmPayload, type ApmPayloadInput, ApmResponseData } from "../ApmPayload.ts"
import { ApmBillingDetails, type ApmBillingDetailsInput } from "../Billing.ts"
import { Device, type DeviceInput } from "../Device.ts"
import { Order, type OrderInput } from "../Order.ts"
import { AccountId, TransactionId, Url } from "../Transaction.ts"
import { nullableText, optionalText } from "./OpenStruct.ts"
import {
  created,
  type Created,
  type CreateInput,
  createInput,
  type Identified,
  type OptionalCallbackUrl
} from "./SharedFields.ts"

/** The input of a create. */
export interface ApmInput extends CreateInput, OptionalCallbackUrl {
  /**
   * Merchant account of APM operations: 1 to 128 characters without `|` and control characters (`spec.md`,
   * "Conventions").
   */
  readonly accountId: string
  /**
   * Input of the payment method. Its structure depends on the method, so it takes any further field (`spec.md`,
   * "apmPayload and apmResponseData").
   */
  readonly apmPayload: ApmPayloadInput
  /**
   * Amount as decimal text in major units, with at most two decimals: `"10.50"` (`spec.md`, "Conventions").
   */
  readonly amount: string
  /** Currency: three capital letters of ISO 4217, such as `"EUR"` (`spec.md`, "Conventions"). */
  readonly currency: string
  /**
   * Absolute http(s) URL that the customer returns to after a success. The return does not confirm the payment
   * (`spec.md`, "Transaction statuses").
   */
  readonly successRedirectUrl?: string
  /** Absolute http(s) URL that the customer returns to after a failure (`spec.md`, "Transaction statuses"). */
  readonly failureRedirectUrl?: string
  /** Order of the merchant, for reconciliation (`spec.md`, "Order"). */
  readonly order?: OrderInput
  /** Customer who is billed (`spec.md`, "Billing details variants"). */
  readonly billingDetails?: ApmBillingDetailsInput
  /** Device of the customer, needed for 3-D Secure (`spec.md`, "Device"). */
  readonly device?: DeviceInput
}

/** The response to a create. */
export interface ApmCreated extends Identified, Created {
  /** Identifier of the request, as it was sent (`spec.md`, "Conventions"). */
  readonly requestId?: string
  /** Second reason of a decline; its values are not documented (`spec.md`, "Conventions"). */
  readonly declineSubReason?: string | null
  /** Data of the payment method: pages, QR codes (`spec.md`, "apmPayload and apmResponseData"). */
  readonly apmResponseData?: ApmResponseData | null
  /** Time of creation as text; its format is not documented (`spec.md`, "Conventions"). */
  readonly createdTime?: string | null
}

/** The schemas of a create request without the checksum. */
export const request = {
  ...createInput,
  accountId: AccountId,
  apmPayload: ApmPayload,
  successRedirectUrl: Schema.optionalKey(Url),
  failureRedirectUrl: Schema.optionalKey(Url),
  callbackUrl: Schema.optionalKey(Url),
  amount: Amount,
  currency: Currency,
  order: Schema.optionalKey(Order),
  billingDetails: Schema.optionalKey(ApmBillingDetails),
  device: Schema.optionalKey(Device)
}

/** The schemas of the response to a create. */
export const response = {
  requestId: optionalText,
  transactionId: TransactionId,
  ...created,
  declineSubReason: nullableText,
  apmResponseData: Schema.optionalKey(Schema.NullOr(ApmResponseData)),
  createdTime: nullableText
}
