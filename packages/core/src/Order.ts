/**
 * The merchant's order, as a payment carries it.
 *
 * @since 0.1.0
 */
import { open, optional } from "./internal/Open.ts"

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
export const Order = open("Order", {
  date: optional,
  orderId: optional,
  title: optional,
  siteId: optional,
  name: optional,
  domainName: optional
})

/**
 * The merchant's order.
 *
 * @category models
 * @since 0.1.0
 */
export type Order = typeof Order.Type
