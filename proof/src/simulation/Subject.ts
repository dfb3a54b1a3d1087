/**
 * The subject of a callback, read without the code under check.
 */
import * as Json from "@pawl/core/internal/Json"
import type { Method } from "@pawl/core/Kind"
import type { Incoming } from "@pawl/webhook/Verifier"
import * as Result from "effect/Result"

export const memberOf = (json: unknown, name: string): unknown =>
  typeof json === "object" && json !== null ? Reflect.get(json, name) : undefined

export const subjectOf = ({ body: bytes, search }: Incoming) => {
  const body = Result.getOrUndefined(Json.fromBytes(bytes))
  const member = (name: string) => {
    const value = memberOf(body, name)
    return typeof value === "string" ? value : undefined
  }
  const method: Method = new URLSearchParams(search).get("paymentMethod") === "apm" ? "apm" : "card"
  return {
    method,
    status: member("transactionStatus") ?? "",
    transactionId: member("refundId") ?? member("transactionId") ?? ""
  }
}
