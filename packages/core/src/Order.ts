/**
 * The order of the merchant that a payment belongs to.
 *
 * @since 0.1.0
 */
import * as Formats from "./internal/Formats.ts"
import { openStructOf, optionalText, type UnknownFields } from "./internal/OpenStruct.ts"

/**
 * The order of a request; every field is optional.
 *
 * @category models
 * @since 0.1.0
 */
export interface OrderInput {
  /** Date of the order, ISO 8601 (`spec.md`, "Order"). */
  readonly date?: string
  /** Identifier of the order at the merchant, for reconciliation (`spec.md`, "Order"). */
  readonly orderId?: string
  /** Title or description of the order (`spec.md`, "Order"). */
  readonly title?: string
  /** Site or platform where the order was placed (`spec.md`, "Order"). */
  readonly siteId?: string
  /** Name of the customer on the order (`spec.md`, "Order"). */
  readonly name?: string
  /** Domain where the order was placed (`spec.md`, "Order"). */
  readonly domainName?: string
}

/**
 * The order of the merchant, as it is read.
 *
 * @category models
 * @since 0.1.0
 */
export interface Order extends OrderInput, UnknownFields {}

const order = {
  date: optionalText,
  orderId: optionalText,
  title: optionalText,
  siteId: optionalText,
  name: optionalText,
  domainName: optionalText
}

/**
 * Schema for the order in a request; its `date` is ISO 8601 (`spec.md`, "Order").
 *
 * @category schemas
 * @since 0.1.0
 */
export const Order = openStructOf<Order>("Order", { ...order, date: Formats.dateOrTime })

/**
 * Schema for the order in the info of an APM payout. The format of its date is not checked.
 *
 * @category schemas
 * @since 0.1.0
 */
export const OrderDto = openStructOf<Order>("OrderDto", order)
