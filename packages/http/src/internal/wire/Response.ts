/**
 * Decodes a 2xx response of an operation.
 *
 * **Details**
 *
 * Only the fields that name the operation and its status are strict, so that a payment stays
 * readable; a declined create may have no id. The ids in a response are compared with those of its
 * request: a proxy may return it to another.
 */
import * as Decoder from "@pawl/core/internal/Decoder"
import * as Json from "@pawl/core/internal/Json"
import { UnexpectedResponse } from "@pawl/core/PaymentsError"
import { isStatus } from "@pawl/core/Status"
import { isSubscriptionStatus } from "@pawl/core/Subscription"
import { OpenStatus } from "@pawl/core/Transaction"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Transport from "../../Transport.ts"
import * as ErrorResponse from "./ErrorResponse.ts"
import * as Metrics from "./Metrics.ts"

type Codec<A> = Schema.Codec<A, unknown>

interface RequestIds {
  readonly requestId?: string
  readonly transactionId?: string
  readonly subscriptionId?: string
  readonly operation?: string
}

export type Decode<A> = (
  response: Transport.Response,
  ids?: RequestIds
) => Effect.Effect<A, UnexpectedResponse>

/** Without a schema a response needs no body, but the page of a proxy is no success. */
export const decoder = <A>(
  operation: string,
  given: Codec<A> | undefined,
  isCreate: boolean
): Decode<A> => {
  const schema: Codec<A> = given ?? Schema.Any
  let readLeniently: ReturnType<typeof make<A>> | undefined
  const decode = Decoder.decodeUnknownEffect(schema)
  return (response, ids = {}) => {
    if (!given && response.body.length === 0) return Effect.succeed(undefined as A)
    const unexpected = (reason: string) =>
      Effect.fail(new UnexpectedResponse({ reason, ...ErrorResponse.partsOf(response) }))
    const json =
      schema.ast === OpenStatus.ast ? statusIn(response, ids) : Json.fromBytes(response.body)
    if (Result.isFailure(json)) {
      return unexpected(`its body cannot be read as JSON (${json.failure})`)
    }
    const decoded = Effect.catchEager(decode(json.success), (error) => {
      const lenient = (readLeniently ??= make(schema, isCreate))(json.success)
      if (lenient !== undefined) {
        const counters = lenient.fields.map((field) => Metrics.leniencies(operation, field))
        return Effect.as(
          Effect.forEach(counters, (counter) => Metric.update(counter, 1), { discard: true }),
          lenient.value
        )
      }
      const [path = []] = ErrorResponse.pathsOf(error)
      const place = path.length === 0 ? "body" : `field ${path.join(".")}`
      return unexpected(`its ${place} is not as documented`)
    })
    return Effect.flatMapEager(decoded, (value) => {
      if (!areOwn(value, ids)) return unexpected("it is the response to another request")
      if (!given && isRefusal(value)) return unexpected("its body is a refusal")
      ErrorResponse.keepResponse(value, response)
      return Effect.succeed(value)
    })
  }
}

/** A DELETE is answered with 204. A success with a body may say that the subscription still charges. */
const isRefusal = (value: unknown): boolean => {
  const { errorCode, status = value }: Record<string, unknown> = Object(value)
  return !ErrorResponse.isNone(errorCode) || !hasStatus("CANCELED", status)
}

/** A success with another status, in whatever case, may say that the subscription still charges. */
export const hasStatus = (wanted: unknown, status: unknown): boolean => {
  const known = typeof status === "string" ? status.toUpperCase() : status
  // The specification shows the effect of these alone (`spec.md`, "Subscription statuses").
  const isShown = ["ACTIVE", "PAUSED", "CANCELED"].includes(wanted as string)
  return wanted === known || !isShown || !isSubscriptionStatus(known)
}

/** JSON, an object with `transactionStatus` of this transaction, or a status as plain text. */
const statusIn = (
  { body }: Transport.Response,
  ids: RequestIds
): ReturnType<typeof Json.fromBytes> => {
  const text = new TextDecoder().decode(body).trim()
  return isStatus(text)
    ? Result.succeed(text)
    : Result.map(Json.fromBytes(body), (json) =>
        isObject(json) && areOwn(json, ids) ? (json["transactionStatus"] ?? json) : json
      )
}

/**
 * Tells whether the ids in a response are those of its request. An absent id counts as equal. The case of
 * a requestId does not count: a service may write a UUID in its own way.
 */
export const areOwn = (response: unknown, request: RequestIds): boolean => {
  if (!isObject(response)) return true
  const { unknownFields } = response
  const matches = (id: string | undefined, name: string): boolean => {
    if (id === undefined) return true
    const value = response[name] ?? (isObject(unknownFields) ? unknownFields[name] : undefined)
    const known = typeof value === "number" ? String(value) : value
    return (
      typeof known !== "string" ||
      known === id ||
      (name === "requestId" && known.toLowerCase() === id.toLowerCase())
    )
  }
  return (
    matches(request.requestId, "requestId") &&
    matches(request.subscriptionId, "subscriptionId") &&
    matches(request.transactionId, "refundId" in response ? "refundId" : "transactionId")
  )
}

interface Lenient<A> {
  readonly value: A
  readonly fields: ReadonlyArray<string>
}

const ids: ReadonlySet<string> = new Set(["transactionId", "refundId", "subscriptionId"])
const strict: ReadonlySet<string> = new Set([...ids, "transactionStatus", "status", "cardToken"])

const maxRounds = 8

/**
 * The reader runs only after the schema has refused the response. It returns undefined if it cannot read
 * it either.
 */
export const make = <A>(
  schema: Codec<A>,
  isCreate: boolean
): ((json: unknown) => Lenient<A> | undefined) => {
  const decode = Schema.decodeUnknownResult(schema, { errors: "all" })
  return (json) =>
    read(json, decode, isCreate && isObject(json) && json["transactionStatus"] === "FAILED")
}

const read = <A>(
  json: unknown,
  decode: (json: unknown) => Result.Result<A, Schema.SchemaError>,
  isDeclined: boolean
): Lenient<A> | undefined => {
  const candidates = new Map<string, Array<unknown>>()
  const fields = new Set<string>()
  const missing = new Set<string>()
  const value = structuredClone(json)
  if (isDeclined && isObject(value)) {
    for (const id of ids) {
      if (value[id] !== null && value[id] !== "") continue
      delete value[id]
      fields.add(id)
    }
  }
  for (let round = 0; round < maxRounds; round++) {
    const result = decode(value)
    if (Result.isSuccess(result)) {
      return { value: without(result.success, missing), fields: [...fields] }
    }
    for (const path of ErrorResponse.pathsOf(result.failure)) {
      const [first] = path
      if (isDeclined && isMissingId(value, path)) {
        // The schema needs an id, so it gets one, which is not in the result.
        replaceAt(value, path, placeholder)
        for (const id of path) {
          missing.add(id)
          fields.add(id)
        }
        continue
      }
      if (first === undefined || strict.has(first)) return undefined
      const target = valueAt(value, path) === undefined ? path.slice(0, -1) : path
      if (target.length === 0) return undefined
      const name = target.join(".")
      const left = candidates.get(name) ?? candidatesOf(valueAt(value, target))
      candidates.set(name, left)
      replaceAt(value, target, left.shift())
      fields.add(first === "metadata" ? first : name)
    }
  }
  return undefined
}

const placeholder = "none"

const isMissingId = (value: unknown, path: ReadonlyArray<string>): boolean =>
  path.every((name) => ids.has(name)) && valueAt(value, path) === undefined

const without = <A>(value: A, names: ReadonlySet<string>): A => {
  if (isObject(value)) for (const name of names) Reflect.deleteProperty(value, name)
  return value
}

const candidatesOf = (value: unknown): Array<unknown> => {
  if (typeof value === "number") return [plain(String(value)) ?? String(value)]
  if (typeof value === "boolean") return [String(value)]
  if (typeof value !== "string") return []
  const decimal = plain(value)
  if (decimal === undefined) return []
  const whole = decimal.replace(/\.0+$/u, "")
  return [decimal, ...(String(Number(whole)) === whole ? [Number(whole)] : [])]
}

const plain = (text: string): string | undefined => {
  const match = /^(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]{1,2}))?$/u.exec(text)
  if (match === null) return undefined
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = match
  const point = whole.length + Number(exponent)
  const shift = Math.max(0, 1 - point)
  const digits = ("0".repeat(shift) + whole + fraction).padEnd(point, "0")
  const integer = digits.slice(0, point + shift).replace(/^0+(?=[0-9])/u, "")
  const rest = digits.slice(point + shift)
  return sign + integer + (rest === "" ? "" : `.${rest}`)
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null

const valueAt = (value: unknown, path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>((each, key) => (isObject(each) ? each[key] : undefined), value)

const replaceAt = (value: unknown, path: ReadonlyArray<string>, member: unknown): void => {
  const parent = valueAt(value, path.slice(0, -1))
  const key = path.at(-1)
  if (!isObject(parent) || key === undefined) return
  if (member === undefined) delete parent[key]
  else parent[key] = member
}
