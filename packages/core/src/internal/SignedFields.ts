/**
 * The fields of a callback that its checksum covers. This module does not import Schema.
 */
import type { Body } from "../Callback.ts"
import type { Method } from "../Kind.ts"

/** The names of the signed fields of each layout, in the order of the checksum. */
export const signedNames: Readonly<Record<Method, readonly [string, string, string, string]>> = {
  card: ["mid", "orderAmount", "orderCurrency", "transactionId"],
  apm: ["accountId", "amount", "currency", "transactionId"]
}

/** Returns the fields of a body that the checksum does not cover. */
export const unsigned = (method: Method, body: Body): Body =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !signedNames[method].includes(name)))
