/**
 * The schemas of callback bodies, one for each layout (`spec.md`, "Events"). `SignedFields` names the
 * signed fields.
 */
import * as Schema from "effect/Schema"
import { openStruct } from "./OpenStruct.ts"
import { ApmResponseData } from "../ApmPayload.ts"
import { Metadata, OpenStatus } from "../Transaction.ts"
import { textOr, TextOrInteger } from "./JsonNumber.ts"

/** An amount as it was sent: text, or a number that `Json` read without losing a digit. */
const AmountAsSent = textOr(Schema.Finite)

/** Schema for a callback of a card payment, card payout, refund or subscription. */
export const CardCallback = openStruct("CardCallback", {
  transactionId: TextOrInteger,
  transactionStatus: OpenStatus,
  mid: TextOrInteger,
  orderAmount: AmountAsSent,
  orderCurrency: Schema.String,
  metadata: Schema.optionalKey(Schema.NullOr(Metadata))
})

export const ApmCallback = openStruct("ApmCallback", {
  transactionId: TextOrInteger,
  transactionStatus: OpenStatus,
  accountId: TextOrInteger,
  amount: AmountAsSent,
  currency: Schema.String,
  apmType: Schema.optionalKey(Schema.NullOr(Schema.String)),
  apmResponseData: Schema.optionalKey(Schema.NullOr(ApmResponseData)),
  metadata: Schema.optionalKey(Schema.NullOr(Metadata))
})
