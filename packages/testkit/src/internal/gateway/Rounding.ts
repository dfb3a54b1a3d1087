/**
 * The rounding of amounts: half up, to two decimals.
 */
import * as Amount from "@pawl/core/Amount"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"

/**
 * Rounds a decimal text with more than two decimals, half up, and returns any other text as it is.
 * `spec.md` says that the service rounds, but not how; half up is our choice.
 */
export const round = (amount: string): string =>
  /^(?:0|[1-9][0-9]*)\.[0-9]{3,}$/u.test(amount)
    ? Result.getOrElse(Amount.round(amount, { mode: "half-from-zero" }), () => amount)
    : amount

/**
 * Rounds the amount in a request body and in its plan, and nothing else.
 *
 * **Details**
 *
 * The contract allows two decimals, because our client sends no more; the service accepts any number.
 */
export const roundBody = (body: Schema.Json): Schema.Json => (isObject(body) ? rounded(body) : body)

const rounded = (fields: JsonObject): JsonObject => {
  const { amount, plan } = fields
  return {
    ...fields,
    ...(typeof amount === "string" && { amount: round(amount) }),
    ...(plan !== undefined && { plan: roundBody(plan) })
  }
}

/** Returns the amount in a request body as it was sent, or an empty text. */
export const amountOf = (body: Schema.Json): string =>
  isObject(body) && typeof body["amount"] === "string" ? body["amount"] : ""

interface JsonObject {
  readonly [name: string]: Schema.Json
}

const isObject = (json: Schema.Json): json is JsonObject =>
  typeof json === "object" && json !== null && !Array.isArray(json)
