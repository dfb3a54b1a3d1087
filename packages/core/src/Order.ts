/**
 * The merchant's order, as a payment carries it.
 *
 * @since 0.1.0
 */
import { openStruct, optionalText } from "./internal/OpenStruct.ts"

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
export const Order = openStruct("Order", {
  date: optionalText,
  orderId: optionalText,
  title: optionalText,
  siteId: optionalText,
  name: optionalText,
  domainName: optionalText
})

/**
 * The merchant's order.
 *
 * @category models
 * @since 0.1.0
 */
export type Order = typeof Order.Type
