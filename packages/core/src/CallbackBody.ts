/**
 * The bodies of callbacks, as schemas: one for each of the two layouts (`spec.md`, "Events").
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { openStruct } from "./internal/OpenStruct.ts"
import { ApmResponseData } from "./ApmPayload.ts"
import { Metadata, OpenStatus, TextOrInteger } from "./Transaction.ts"

/** An amount as it was sent, as text or as a number that `Json` handed over exactly. */
const AmountAsSent = Schema.Union([Schema.String, Schema.Finite]).pipe(
  Schema.decodeTo(
    Schema.String,
    SchemaTransformation.transform({
      decode: (value: string | number) => String(value),
      encode: (text): string | number => text
    })
  )
)

/**
 * Schema for the callback of a card payment, card payout, refund or subscription.
 *
 * @category schemas
 * @since 0.1.0
 */
export const CardCallback = openStruct("CardCallback", {
  transactionId: TextOrInteger,
  transactionStatus: OpenStatus,
  mid: TextOrInteger,
  orderAmount: AmountAsSent,
  orderCurrency: Schema.String,
  metadata: Schema.optionalKey(Schema.NullOr(Metadata))
})

/**
 * Schema for the callback of an APM payment or payout.
 *
 * @category schemas
 * @since 0.1.0
 */
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
