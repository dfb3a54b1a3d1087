/** The fields of a callback that its checksum covers. This module does not import Schema. */
import type { Body } from "../Callback.ts"
import type { Method } from "../Kind.ts"

/** The signed fields of each layout, in the order of the checksum. */
export const signedNames: Readonly<Record<Method, readonly [string, string, string, string]>> = {
  card: ["mid", "orderAmount", "orderCurrency", "transactionId"],
  apm: ["accountId", "amount", "currency", "transactionId"]
}

/** Returns the unsigned fields of a body, without those that a copy would take for its prototype. */
export const unsigned = (method: Method, body: Body): Body =>
  safe(
    Object.fromEntries(Object.entries(body).filter(([name]) => !signedNames[method].includes(name)))
  ) as Body

const prototypeNames = new Set(["__proto__", "constructor", "prototype"])

const safe = (json: unknown): unknown => {
  if (Array.isArray(json)) return json.map(safe)
  if (typeof json !== "object" || json === null) return json
  const members = Object.entries(json).filter(([name]) => !prototypeNames.has(name))
  return Object.fromEntries(members.map(([name, member]) => [name, safe(member)]))
}
