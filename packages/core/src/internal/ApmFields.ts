/**
 * What APM payments and payouts have in common on the wire.
 *
 * @since 0.1.0
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

/** The fields of a create, but for its checksum. */
export const request = {
  requestId: RequestId,
  accountId: AccountId,
  apmPayload: ApmPayload,
  successRedirectUrl: Schema.optionalKey(Url),
  failureRedirectUrl: Schema.optionalKey(Url),
  callbackUrl: Schema.optionalKey(Url),
  amount: Amount,
  currency: Currency,
  metadata: Schema.optionalKey(Metadata),
  order: Schema.optionalKey(Order),
  billingDetails: Schema.optionalKey(ApmBillingDetails),
  device: Schema.optionalKey(Device)
}

/** The fields of the answer to a create. */
export const response = {
  requestId: optionalText,
  transactionId: TransactionId,
  transactionStatus: OpenStatus,
  declineCode: DeclineCode,
  declineSubReason: nullableText,
  apmResponseData: Schema.optionalKey(Schema.NullOr(ApmResponseData)),
  createdTime: nullableText,
  paymentType: nullableText,
  metadata: Schema.optionalKey(Schema.NullOr(Metadata))
}
