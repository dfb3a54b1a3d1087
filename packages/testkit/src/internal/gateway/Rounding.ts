/** The rounding of amounts to two decimals: half up, unless a reading says otherwise. */
import * as Amount from "@pawl/core/Amount"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { Behaviour } from "../Behaviour.ts"

/** Rounds an amount to two decimals; returns any other text as it is. */
export const round = (amount: string, rounding: Behaviour["rounding"] = "half-up"): string =>
  rounding !== "refused" && /^(?:0|[1-9][0-9]*)\.[0-9]{3,}$/u.test(amount)
    ? Result.getOrElse(Amount.round(amount, { mode: modes[rounding] }), () => amount)
    : amount

const modes = { "half-up": "half-from-zero", "half-even": "half-even", down: "to-zero" } as const

/** The contract allows two decimals; the service accepts any number. */
export const roundBody = (body: Schema.Json, rounding: Behaviour["rounding"]): Schema.Json =>
  isObject(body) ? rounded(body, rounding) : body

const rounded = (fields: JsonObject, rounding: Behaviour["rounding"]): JsonObject => {
  const { amount, plan } = fields
  return {
    ...fields,
    ...(typeof amount === "string" && { amount: round(amount, rounding) }),
    ...(plan !== undefined && { plan: roundBody(plan, rounding) })
  }
}

export const amountOf = (body: Schema.Json): string =>
  isObject(body) && typeof body["amount"] === "string" ? body["amount"] : ""

interface JsonObject {
  readonly [name: string]: Schema.Json
}

const isObject = (json: Schema.Json): json is JsonObject =>
  typeof json === "object" && json !== null && !Array.isArray(json)
