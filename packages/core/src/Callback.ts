/**
 * Callbacks: the requests that the service posts to the merchant when a status changes (`spec.md`,
 * "Events").
 *
 * **Gotchas**
 *
 * The checksum covers the four fields of `Signed`, and not the status.
 *
 * @since 0.1.0
 */
import type { Json } from "effect/Schema"

/**
 * The fields that the checksum covers, each exactly as it was sent.
 *
 * @category models
 * @since 0.1.0
 */
export interface Signed {
  /** Merchant account: `mid` of a card callback, `accountId` of an APM callback. */
  readonly account: string
  /**
   * Amount in major units: `orderAmount` of a card callback. Zeros may follow its two decimals
   * (`10.500`), which `Amount.round` takes away and `Amount.parse` refuses.
   */
  readonly amount: string
  /** Currency: `orderCurrency` of a card callback. */
  readonly currency: string
  /** Identifier of the transaction. */
  readonly transactionId: string
}

/**
 * The body of a callback.
 *
 * @category models
 * @since 0.1.0
 */
export type Body = Readonly<Record<string, Json>>
