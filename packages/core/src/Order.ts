/**
 * The order of the merchant that a payment belongs to.
 *
 * @since 0.1.0
 */
import { openStruct, optionalText } from "./internal/OpenStruct.ts"

/**
 * Schema for the order of a request; every field is optional (`spec.md`, "Order").
 *
 * @category schemas
 * @since 0.1.0
 */
export const Order = openStruct("Order", {
  /** Date of the order, ISO 8601. */
  date: optionalText,
  /** Identifier of the order at the merchant, for reconciliation. */
  orderId: optionalText,
  /** Title or description of the order. */
  title: optionalText,
  /** Site or platform where the order was placed. */
  siteId: optionalText,
  /** Name of the customer on the order. */
  name: optionalText,
  /** Domain where the order was placed. */
  domainName: optionalText
})

/**
 * The order of the merchant.
 *
 * @category models
 * @since 0.1.0
 */
export type Order = typeof Order.Type
