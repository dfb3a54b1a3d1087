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

/** Schema for a callback of a card payment, card payout, refund or subscription. */
export const CardCallback = openStruct("CardCallback", {
  /** Signed. */
  transactionId: TextOrInteger,
  /** Claimed; not signed. */
  transactionStatus: OpenStatus,
  /** Merchant account; signed. */
  mid: TextOrInteger,
  /** As it was sent; signed. */
  orderAmount: AmountAsSent,
  /** As it was sent; signed. */
  orderCurrency: Schema.String,
  /** Not signed. */
  metadata: Schema.optionalKey(Schema.NullOr(Metadata))
})

/** Schema for a callback of an APM payment or payout. */
export const ApmCallback = openStruct("ApmCallback", {
  /** Signed. */
  transactionId: TextOrInteger,
  /** Claimed; not signed. */
  transactionStatus: OpenStatus,
  /** Merchant account; signed. */
  accountId: TextOrInteger,
  /** As it was sent; signed. */
  amount: AmountAsSent,
  /** As it was sent; signed. */
  currency: Schema.String,
  /** Name of the payment method; not signed. */
  apmType: Schema.optionalKey(Schema.NullOr(Schema.String)),
  /** Not signed. */
  apmResponseData: Schema.optionalKey(Schema.NullOr(ApmResponseData)),
  /** Not signed. */
  metadata: Schema.optionalKey(Schema.NullOr(Metadata))
})
