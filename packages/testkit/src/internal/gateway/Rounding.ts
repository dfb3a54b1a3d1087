/**
 * The rounding the service does to an amount: half up, to two decimals.
 */
import * as Amount from "@pawl/core/Amount"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"

/**
 * Rounds a decimal text that has more than two decimals, half up, which is our choice: `spec.md` says
 * that the service rounds, and not how. Every other text is kept as it is.
 */
export const round = (amount: string): string =>
  /^(?:0|[1-9][0-9]*)\.[0-9]{3,}$/u.test(amount)
    ? Result.getOrElse(Amount.round(amount, { mode: "half-from-zero" }), () => amount)
    : amount

/**
 * Rounds the amount of a request's body and of the plan in it, and nothing else.
 *
 * **Details**
 *
 * The contract takes two decimals, because our client sends no more; the service takes any number.
 */
export const roundBody = (body: Schema.Json): Schema.Json =>
  isObject(body)
    ? Object.fromEntries(
        Object.entries(body).map(([name, value]) => [
          name,
          name === "amount" && typeof value === "string"
            ? round(value)
            : name === "plan"
              ? roundBody(value)
              : value
        ])
      )
    : body

/** Returns the amount of a request's body as it was sent, or an empty text. */
export const amountOf = (body: Schema.Json): string =>
  isObject(body) && typeof body["amount"] === "string" ? body["amount"] : ""

const isObject = (json: Schema.Json): json is { readonly [name: string]: Schema.Json } =>
  typeof json === "object" && json !== null && !Array.isArray(json)
