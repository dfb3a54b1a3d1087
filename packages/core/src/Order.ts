/**
 * The merchant's order, as a payment carries it.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * Schema for the order of a request; every field is optional (`spec.md`, "Order").
 *
 * **Details**
 *
 * `date` is ISO 8601; `orderId` is the merchant's own identifier for reconciliation; `name` is the
 * customer's.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Order = Schema.Struct({
  date: Schema.optionalKey(Schema.String),
  orderId: Schema.optionalKey(Schema.String),
  title: Schema.optionalKey(Schema.String),
  siteId: Schema.optionalKey(Schema.String),
  name: Schema.optionalKey(Schema.String),
  domainName: Schema.optionalKey(Schema.String)
})

/**
 * The merchant's order.
 *
 * @category models
 * @since 0.1.0
 */
export type Order = typeof Order.Type
