/**
 * What the service posts to the merchant's callback URL when a status changes.
 *
 * **Details**
 *
 * There are two layouts (`spec.md`, "Events"), told apart by the query parameter `paymentMethod` and
 * by the fields of the body. The checksum covers four fields, `Signed`; the status is not among them,
 * nor is anything else. So a callback is kept in two halves, and only one may be trusted. The whole of
 * it is in `CallbackBody`, as schemas; this module brings no Schema along.
 *
 * @since 0.1.0
 */
import type { Json } from "effect/Schema"
import type { Method } from "./Kind.ts"

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
export type Body = Readonly<Record<string, Json>>

/**
 * Returns the fields of a body that nothing vouches for.
 *
 * @category getters
 * @since 0.1.0
 */
export const unsigned = (method: Method, body: Body): Body =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !signedNames[method].includes(name)))
