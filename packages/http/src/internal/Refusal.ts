/**
 * What an answer that is not a success means.
 *
 * **Details**
 *
 * The shape of an error body is not documented (`spec.md`, "Errors"), so the one of a 400 is read by
 * the names that are usual: a list or a map of errors, or problem details (RFC 9457). Services like
 * to quote what they refuse; whatever we sent is struck from their words, so that no card number,
 * secret or checksum comes back in an error.
 *
 * @since 0.1.0
 */
import * as Json from "@pawl/core/Json"
import {
  type FieldFault,
  NotFound,
  RateLimited,
  type ReadError,
  ServiceFailed,
  Unauthorized,
  UnexpectedResponse,
  ValidationFailed
} from "@pawl/core/PaymentsError"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type * as Transport from "../Transport.ts"

/** Returns the error for a response that is not 2xx. `retryAfter` is in milliseconds. */
export const toError = (
  request: Transport.Request,
  response: Transport.Response,
  attempts: number,
  retryAfter: number | undefined
): ReadError => {
  const { status } = response
  if (status === 400) return toValidationFailed(request, response)
  if (status === 401) return new Unauthorized({})
  if (status === 404) return new NotFound({})
  if (status === 429) {
    return new RateLimited({ attempts, ...(retryAfter === undefined ? {} : { retryAfter }) })
  }
  if (status === 408 || status === 425 || status >= 500)
    return new ServiceFailed({ status, attempts })
  return new UnexpectedResponse({
    status,
    reason:
      status >= 300 && status < 400 ? "redirects are not followed" : "that status is not documented"
  })
}

/**
 * Reads a header `Retry-After`, seconds or an HTTP date, as milliseconds from `now`. What is neither
 * counts as absent.
 */
export const readRetryAfter = (value: string | undefined, now: number): number | undefined => {
  if (value === undefined) return undefined
  if (/^[0-9]{1,15}$/u.test(value)) return Number(value) * 1000
  const date = httpDate.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

const httpDate = /^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT$/u

type Fault = typeof FieldFault.Type

const toValidationFailed = (
  request: Transport.Request,
  response: Transport.Response
): ValidationFailed => {
  const body = new TextDecoder().decode(response.body)
  const strike = striker(request)
  return new ValidationFailed({
    sent: true,
    fields: readFaults(read(body))
      .slice(0, 50)
      .map(({ path, message }) => ({ path: strike(path), message: strike(message) })),
    body: Redacted.make(body, { label: "body" })
  })
}

/** Strikes every value of the request out of a text, but for those that are names of its fields. */
const striker = (request: Transport.Request): ((text: string) => string) => {
  const sent = read(request.body ?? "")
  const names = new Set(namesIn(sent))
  const token = request.headers["authorization"]?.replace(/^Bearer /u, "") ?? ""
  const values = [...valuesIn(sent), token]
    .filter((value) => value.length > 2 && !names.has(value))
    .toSorted((a, b) => b.length - a.length)
  return (text) =>
    values
      .reduce((rest, value) => rest.replaceAll(value, "…"), text)
      .replace(/\p{Cc}+/gu, " ")
      .slice(0, 200)
}

const namesIn = (value: unknown): Array<string> =>
  isObject(value) ? Object.entries(value).flatMap(([name, each]) => [name, ...namesIn(each)]) : []

const valuesIn = (value: unknown): Array<string> =>
  typeof value === "string" || typeof value === "number"
    ? [String(value)]
    : isObject(value)
      ? Object.values(value).flatMap(valuesIn)
      : []

const lists = ["errors", "fieldErrors", "violations", "issues", "details", "invalid-params"]
const paths = ["field", "path", "name", "pointer", "param", "property"]
const messages = ["message", "detail", "reason", "description", "title", "error"]

const read = (text: string): unknown => Result.getOrUndefined(Json.fromText(text))

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null

const readFaults = (body: unknown): Array<Fault> => {
  if (!isObject(body)) return []
  const list = lists.map((name) => body[name]).find(isObject)
  if (Array.isArray(list)) return list.flatMap((entry) => readFault(entry, ""))
  if (list !== undefined)
    return Object.entries(list).flatMap(([path, entry]) => readFault(entry, path))
  return readFault(body, "")
}

const readFault = (entry: unknown, at: string): Array<Fault> => {
  if (typeof entry === "string") return [{ path: at, message: entry }]
  if (Array.isArray(entry)) return entry.flatMap((each) => readFault(each, at))
  if (!isObject(entry)) return []
  const path = pick(entry, paths)
  const message = pick(entry, messages)
  return path === undefined && message === undefined
    ? []
    : [{ path: path ?? at, message: message ?? "refused" }]
}

/** The first of the names that holds a text, or a path in parts. */
const pick = (entry: Record<string, unknown>, names: ReadonlyArray<string>): string | undefined =>
  names
    .map((name) => entry[name])
    .map((value) => (Array.isArray(value) ? value.join(".") : value))
    .find((value) => typeof value === "string")
