/**
 * What the service posts to the merchant's callback URL when a status changes.
 *
 * **Details**
 *
 * There are two layouts (`spec.md`, "Events"), told apart by the query parameter `paymentMethod` and
 * by the fields of the body. The checksum covers four fields, `Signed`; the status is not among them,
 * nor is anything else. So a callback is kept in two halves, and only one may be trusted.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { open } from "./internal/Open.ts"
import { ApmResponseData } from "./ApmPayload.ts"
import { Metadata, type Method, OpenStatus, TextOrInteger } from "./Transaction.ts"

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
export const CardCallback = open("CardCallback", {
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
export const ApmCallback = open("ApmCallback", {
  transactionId: TextOrInteger,
  transactionStatus: OpenStatus,
  accountId: TextOrInteger,
  amount: AmountAsSent,
  currency: Schema.String,
  apmType: Schema.optionalKey(Schema.NullOr(Schema.String)),
  apmResponseData: Schema.optionalKey(Schema.NullOr(ApmResponseData)),
  metadata: Schema.optionalKey(Schema.NullOr(Metadata))
})

/**
 * The four fields the checksum covers, each exactly as it was sent.
 *
 * `account` is `mid` of a card callback and `accountId` of an APM one; `amount` and `currency`
 * likewise stand for both spellings.
 *
 * @category models
 * @since 0.1.0
 */
export interface Signed {
  readonly account: string
  readonly amount: string
  readonly currency: string
  readonly transactionId: string
}

/**
 * The names of the signed fields in each layout, in the order they are signed in.
 *
 * @category constants
 * @since 0.1.0
 */
export const signedNames: Readonly<Record<Method, readonly [string, string, string, string]>> = {
  card: ["mid", "orderAmount", "orderCurrency", "transactionId"],
  apm: ["accountId", "amount", "currency", "transactionId"]
}

/**
 * A body as an object: every field of a callback, signed or not.
 *
 * @category models
 * @since 0.1.0
 */
export type Body = Readonly<Record<string, Schema.Json>>

/**
 * Returns the fields of a body that nothing vouches for.
 *
 * @category getters
 * @since 0.1.0
 */
export const unsigned = (method: Method, body: Body): Body =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !signedNames[method].includes(name)))
