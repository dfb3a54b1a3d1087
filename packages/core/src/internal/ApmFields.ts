/**
 * The fields that APM payments and payouts share.
 */
import * as Schema from "effect/Schema"
import { Amount, Currency } from "../Amount.ts"
import { ApmPayload, ApmResponseData } from "../ApmPayload.ts"
import { ApmBillingDetails } from "../Billing.ts"
import { Device } from "../Device.ts"
import { Order } from "../Order.ts"
import {
  AccountId,
  DeclineCode,
  Metadata,
  OpenStatus,
  RequestId,
  TransactionId,
  Url
} from "../Transaction.ts"
import { optionalText, nullableText } from "./OpenStruct.ts"

/** The fields of a create request without the checksum. */
export const request = {
  /** Identifier of the request, chosen by the merchant and unique per request (`spec.md`, "Conventions"). */
  requestId: RequestId,
  /** Merchant account of APM operations (`spec.md`, "Conventions"). */
  accountId: AccountId,
  /**
   * Input of the payment method; its structure depends on the method (`spec.md`, "apmPayload and
   * apmResponseData").
   */
  apmPayload: ApmPayload,
  /** Absolute http(s) URL that the customer returns to after a success. */
  successRedirectUrl: Schema.optionalKey(Url),
  /** Absolute http(s) URL that the customer returns to after a failure. */
  failureRedirectUrl: Schema.optionalKey(Url),
  /** Absolute http(s) URL that receives the callbacks of this request (`spec.md`, "Events"). */
  callbackUrl: Schema.optionalKey(Url),
  /** Decimal text in major units with at most two decimals (`spec.md`, "Conventions"). */
  amount: Amount,
  /** Three-letter code of ISO 4217 (`spec.md`, "Conventions"). */
  currency: Currency,
  /** Key-value pairs of the merchant, returned unchanged (`spec.md`, "Conventions"). */
  metadata: Schema.optionalKey(Metadata),
  /** Order of the merchant (`spec.md`, "Order"). */
  order: Schema.optionalKey(Order),
  /** Person who is billed (`spec.md`, "Billing details variants"). */
  billingDetails: Schema.optionalKey(ApmBillingDetails),
  /** Device of the customer (`spec.md`, "Device"). */
  device: Schema.optionalKey(Device)
}

/** The fields of the response to a create. */
export const response = {
  /** Identifier of the request, chosen by the merchant and unique per request (`spec.md`, "Conventions"). */
  requestId: optionalText,
  /** Identifier assigned by the service, read as text (`spec.md`, "Conventions"). */
  transactionId: TransactionId,
  /** Status of the transaction; an unknown one is kept (`spec.md`, "Transaction statuses"). */
  transactionStatus: OpenStatus,
  /** Numeric reason of a decline, only with FAILED (`spec.md`, "Conventions"). */
  declineCode: DeclineCode,
  /** Second reason of a decline; its values are not documented (`spec.md`, "Conventions"). */
  declineSubReason: nullableText,
  /** Data of the payment method (`spec.md`, "apmPayload and apmResponseData"). */
  apmResponseData: Schema.optionalKey(Schema.NullOr(ApmResponseData)),
  /** Time of creation; the format is not documented (`spec.md`, "Conventions"). */
  createdTime: nullableText,
  /** CARD or APM (`spec.md`, "Conventions"). */
  paymentType: nullableText,
  /** Key-value pairs of the merchant, returned unchanged (`spec.md`, "Conventions"). */
  metadata: Schema.optionalKey(Schema.NullOr(Metadata))
}
