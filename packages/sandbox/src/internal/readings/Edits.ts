/** Changes of the responses and callbacks that leave a gateway, of which readings are made. */
import type { Json } from "effect/Schema"
import * as JsonText from "@pawl/core/internal/Json"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type { Behaviour, CallbackParts, Request, Response } from "@pawl/testkit/internal/Behaviour"

export type JsonObject = Readonly<Record<string, Json>>

const utf8 = new TextDecoder()

export const bodyOf = ({ body }: Request): string => utf8.decode(body)

export const answer = (status: number, body: unknown): Response => ({
  status,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body)
})

export const responses =
  (
    request: RegExp,
    change: (response: Response, request: Request) => Response
  ): Behaviour["response"] =>
  (response, asked) =>
    request.test(`${asked.method} ${asked.path}`) ? change(response, asked) : response

const successes = (request: RegExp, change: (body: Json) => unknown): Behaviour["response"] =>
  responses(request, (response) => {
    const body = response.status === 200 ? json(response.body) : undefined
    return body === undefined ? response : { ...response, body: JSON.stringify(change(body)) }
  })

/** Returns the JSON of a body; undefined if another reading has made it no JSON. */
const json = (body: string): Json | undefined => Result.getOrUndefined(JsonText.fromText(body))

export const objects = (
  request: RegExp,
  change: (body: JsonObject) => unknown
): Behaviour["response"] => successes(request, (body) => (isObject(body) ? change(body) : body))

export const without = (body: JsonObject, field: string): JsonObject =>
  Object.fromEntries(Object.entries(body).filter(([name]) => name !== field))

/** `errors` are the faults of the fields. */
export const refusals =
  (
    change: (errors: ReadonlyArray<{ readonly field: string; readonly message: string }>) => unknown
  ): Behaviour["response"] =>
  (response) => {
    if (response.status !== 400) return response
    const { errors = [] } = JSON.parse(response.body) as { readonly errors?: [] }
    const body = change(errors)
    return typeof body === "string"
      ? { status: 400, headers: { "content-type": "text/plain" }, body }
      : answer(400, body)
  }

export const headers =
  (more: Readonly<Record<string, string>>): Behaviour["response"] =>
  (response) => ({ ...response, headers: { ...response.headers, ...more } })

export const times = (write: (millis: number) => string | number): Behaviour["response"] => {
  const rewrite = (body: Json): Json =>
    isObject(body)
      ? Object.fromEntries(
          Object.entries(body).map(([name, value]) => [
            name,
            timeNames.has(name) && typeof value === "string" ? write(Date.parse(value)) : value
          ])
        )
      : body
  return successes(/./u, rewrite)
}

export const timeNames: ReadonlySet<string> = new Set([
  "createdAt",
  "createdTime",
  "nextChargeDate",
  "lastChargeDate"
])

/** JSON whose number keeps its digits. */
export const { rawJSON } = JSON as JSON & { readonly rawJSON: (text: string) => unknown }

/** The amount changes in the body, and in the text that the checksum covers. */
export const amounts =
  (
    write: (amount: string) => { readonly body: unknown; readonly signed: string }
  ): Behaviour["callback"] =>
  (callback) => {
    const name = "amount" in callback.body ? "amount" : "orderAmount"
    const { body, signed } = write(callback.signed.amount)
    return {
      ...callback,
      signed: { ...callback.signed, amount: signed },
      // Keeps the source text of a number.
      body: { ...callback.body, [name]: body as Json }
    }
  }

export const renamed =
  (kind: CallbackParts["kind"], names: Readonly<Record<string, string>>): Behaviour["callback"] =>
  (callback) =>
    callback.kind === kind
      ? {
          ...callback,
          body: Object.fromEntries(
            Object.entries(callback.body).map(([name, value]) => [names[name] ?? name, value])
          )
        }
      : callback

const isObject = (value: Json): value is JsonObject =>
  Predicate.isObject(value) && !Array.isArray(value)
