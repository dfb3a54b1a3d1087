/**
 * The schemas of callback bodies, one for each of the two layouts (`spec.md`, "Events").
 */
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { openStruct } from "./OpenStruct.ts"
import { ApmResponseData } from "../ApmPayload.ts"
import { Metadata, OpenStatus } from "../Transaction.ts"
import { TextOrInteger } from "./JsonNumber.ts"

/** An amount as it was sent: text, or a number that `Json` read without losing a digit. */
const AmountAsSent = Schema.Union([Schema.String, Schema.Finite]).pipe(
  Schema.decodeTo(
    Schema.String,
    SchemaTransformation.transform({
      decode: (value: string | number) => String(value),
      encode: (text): string | number => text
    })
  )
)

/** Schema for the callback of a card payment, card payout, refund or subscription. */
export const CardCallback = openStruct("CardCallback", {
  /** Identifier of the transaction; signed. */
  transactionId: TextOrInteger,
  /** Status that the callback claims; not signed. */
  transactionStatus: OpenStatus,
  /** Merchant account; signed. */
  mid: TextOrInteger,
  /** Amount exactly as it was sent; signed. */
  orderAmount: AmountAsSent,
  /** Currency exactly as it was sent; signed. */
  orderCurrency: Schema.String,
  /** Key-value pairs of the merchant; not signed. */
  metadata: Schema.optionalKey(Schema.NullOr(Metadata))
})

/** Schema for the callback of an APM payment or payout. */
export const ApmCallback = openStruct("ApmCallback", {
  /** Identifier of the transaction; signed. */
  transactionId: TextOrInteger,
  /** Status that the callback claims; not signed. */
  transactionStatus: OpenStatus,
  /** Merchant account; signed. */
  accountId: TextOrInteger,
  /** Amount exactly as it was sent; signed. */
  amount: AmountAsSent,
  /** Currency exactly as it was sent; signed. */
  currency: Schema.String,
  /** Name of the payment method; not signed. */
  apmType: Schema.optionalKey(Schema.NullOr(Schema.String)),
  /** Data of the payment method; not signed. */
  apmResponseData: Schema.optionalKey(Schema.NullOr(ApmResponseData)),
  /** Key-value pairs of the merchant; not signed. */
  metadata: Schema.optionalKey(Schema.NullOr(Metadata))
})
