/**
 * Callbacks: the requests that the service posts to the callback URL of the merchant when a status changes.
 *
 * **Details**
 *
 * There are two layouts (`spec.md`, "Events"). The query parameter `paymentMethod` and the fields of the body
 * tell which one a callback has. The checksum covers only the four fields of `Signed`, and not the status.
 * Therefore the signed and the unsigned fields are separate types.
 *
 * @since 0.1.0
 */
import type { Json } from "effect/Schema"

/**
 * The four fields that the checksum covers, each exactly as it was sent.
 *
 * `account` is `mid` of a card callback and `accountId` of an APM callback. `amount` and `currency` are
 * `orderAmount` and `orderCurrency` of a card callback.
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
 * The body of a callback: all its fields, signed and unsigned.
 *
 * @category models
 * @since 0.1.0
 */
export type Body = Readonly<Record<string, Json>>
