/**
 * Callbacks: the requests that the service posts to the callback URL of the merchant when a status changes.
 *
 * **Details**
 *
 * There are two layouts (`spec.md`, "Events"). The query parameter `paymentMethod` and the fields of the body
 * tell which one a callback has. The checksum covers only the four fields of `Signed`, and not the status.
 * Therefore the signed and the unsigned fields are separate types. `CallbackBody` has the schemas of the
 * whole body; this module does not import Schema.
 *
 * @since 0.1.0
 */
import type { Json } from "effect/Schema"
import type { Method } from "./Kind.ts"

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
 * The names of the signed fields of each layout, in the order of the checksum.
 *
 * @category constants
 * @since 0.1.0
 */
export const signedNames: Readonly<Record<Method, readonly [string, string, string, string]>> = {
  card: ["mid", "orderAmount", "orderCurrency", "transactionId"],
  apm: ["accountId", "amount", "currency", "transactionId"]
}

/**
 * The body of a callback: all its fields, signed and unsigned.
 *
 * @category models
 * @since 0.1.0
 */
export type Body = Readonly<Record<string, Json>>

/**
 * Returns the fields of a body that the checksum does not cover.
 *
 * @category getters
 * @since 0.1.0
 */
export const unsigned = (method: Method, body: Body): Body =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !signedNames[method].includes(name)))
