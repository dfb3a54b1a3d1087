/**
 * The rounding the service does to an amount: half up, to two decimals.
 *
 * @since 0.1.0
 */
import type * as Schema from "effect/Schema"

/**
 * Rounds a decimal text that has more than two decimals, half up, which is our choice: `spec.md` says
 * that the service rounds, and not how. Every other text is kept as it is.
 *
 * @category conversions
 * @since 0.1.0
 */
export const round = (amount: string): string => {
  const [, units = "", two = "", next = ""] =
    /^([0-9]+)\.([0-9]{2})([0-9])[0-9]*$/u.exec(amount) ?? []
  if (next === "") return amount
  const hundredths = BigInt(units + two) + (next >= "5" ? 1n : 0n)
  const digits = String(hundredths).padStart(units.length + 2, "0")
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/**
 * Rounds the amount of a request's body and of the plan in it, and nothing else.
 *
 * **Details**
 *
 * The contract takes two decimals, because our client sends no more; the service takes any number.
 *
 * @category conversions
 * @since 0.1.0
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

/**
 * Returns the amount of a request's body as it was sent, or an empty text.
 *
 * @category getters
 * @since 0.1.0
 */
export const amountOf = (body: Schema.Json): string =>
  isObject(body) && typeof body["amount"] === "string" ? body["amount"] : ""

const isObject = (json: Schema.Json): json is { readonly [name: string]: Schema.Json } =>
  typeof json === "object" && json !== null && !Array.isArray(json)
