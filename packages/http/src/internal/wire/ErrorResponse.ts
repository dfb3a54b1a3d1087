/**
 * Converts a response that is not 2xx into a typed error (`spec.md`, "Errors").
 *
 * **Details**
 *
 * An error body is read by the names of usual formats. Every value of the request is removed from
 * its messages (`Redaction`).
 */
import * as Json from "@pawl/core/internal/Json"
import { clean } from "@pawl/core/internal/Printable"
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
import type * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import type * as Transport from "../../Transport.ts"
import { redaction } from "./Redaction.ts"

/** Makes the error of a response; `retryAfter` is in milliseconds. */
export const toError = (
  request: Transport.Request,
  response: Transport.Response,
  attempts: number,
  retryAfter: number | undefined
): ReadError => {
  const { status } = response
  const parts = partsOf(response)
  if (status === 400) {
    return new ValidationFailed({ sent: true, fields: reasonsOf(request, response), ...parts })
  }
  if (status === 401) return new Unauthorized({ sent: true, ...parts })
  if (status === 404) return new NotFound(parts)
  if (status === 429) {
    return new RateLimited({ attempts, ...parts, ...(retryAfter !== undefined && { retryAfter }) })
  }
  const fields = reasonsOf(request, response)
  const details = { ...(fields.length > 0 && { fields }), ...parts }
  if (status === 408 || status === 425 || status >= 500)
    return new ServiceFailed({ attempts, ...details })
  return new UnexpectedResponse({
    reason: status < 400 ? "redirects are not followed" : "that status is not documented",
    ...details
  })
}

export type Parts = Partial<Pick<UnexpectedResponse, "body" | "status" | "serviceRequestId">>

/** The most bytes of a body in an error: a client keeps the errors of 10,000 creates in doubt. */
const maxBody = 16_384

export const partsOf = (response: Transport.Response) => ({
  body: Redacted.make(new TextDecoder().decode(response.body.subarray(0, maxBody)), {
    label: "body"
  }),
  ...receivedOf(response)
})

/**
 * The status and the service's own id of the request. An id that quotes the request is left out, unless it
 * quotes the requestId.
 */
export const receivedOf = (response: Transport.Response, request = requests.get(response)) => {
  const { headers, status } = response
  const serviceRequestId = requestIdHeaders
    .map((name) => headers[name])
    .find(
      (value) =>
        value !== undefined &&
        /^[\x21-\x7e]{1,128}$/u.test(value) &&
        withoutSent(request, value) === value
    )
  return { status, ...(serviceRequestId !== undefined && { serviceRequestId }) }
}

export const partsOfError = (error: ReadError): Parts => {
  const { body, serviceRequestId, status } = error as Parts
  return {
    ...(body !== undefined && { body }),
    ...(status !== undefined && { status }),
    ...(serviceRequestId !== undefined && { serviceRequestId })
  }
}

/** Some services write that there is no error. */
export const isNone = (errorCode: unknown): boolean =>
  /^"?(?:0*|OK)"?$/iu.test(JSON.stringify(errorCode ?? ""))

const requests = new WeakMap<Transport.Response, Transport.Request>()

export const keepRequest = (response: Transport.Response, request: Transport.Request): void => {
  requests.set(response, request)
}

const responses = new WeakMap<object, Transport.Response>()

/** Keeps the response of a refusal, and removes what its reason quotes of the request. */
export const keepResponse = (value: unknown, response: Transport.Response): void => {
  if (!isObject(value)) return
  const name = value["transactionStatus"] === "FAILED" ? "declineSubReason" : "errorCode"
  const reason = value[name]
  if (name === "errorCode" && typeof reason !== "string") return
  responses.set(value, response)
  if (typeof reason === "string" && !isCode(reason))
    value[name] = withoutSent(requests.get(response), reason)
}

/** Words of one case, such as BANK_TRANSFER_REJECTED, may have a word of the request, but no secret. */
const isCode = (text: string): boolean => /^(?:[A-Z_-]+|[a-z_-]+)[0-9]{0,4}$/u.test(text)

export const receivedWith = (value: object): Omit<Parts, "body"> => {
  const response = responses.get(value)
  return response === undefined ? {} : receivedOf(response)
}

const requestIdHeaders = [
  "x-request-id",
  "request-id",
  "x-correlation-id",
  "x-amzn-requestid",
  "x-amzn-trace-id",
  "x-trace-id",
  "cf-ray"
]

/**
 * Reads a `Retry-After` header, seconds or an HTTP date, as milliseconds from `now`. Of the seconds of a
 * repeated header, which a transport joins with commas, the longest count.
 */
export const readRetryAfter = (value: string | undefined, now: number): number | undefined => {
  if (value === undefined) return undefined
  if (/^[0-9]+(?:,\s*[0-9]+)*$/u.test(value)) {
    return Math.min(Math.max(...value.split(",").map(Number)) * 1000, 1e15)
  }
  const date = Date.parse(httpDate.test(value) ? `${value.replace(" GMT", "")} GMT` : "")
  return date > 0 ? Math.max(0, date - now) : undefined
}

/** The three forms of RFC 9110: only that of C's `asctime` does not end with GMT. */
const httpDate = /^[A-Z][a-z]{2}.+[0-9] [0-9:]+:[0-9]{2} (?:GMT|[0-9]{4})$/u

type Fault = typeof FieldFault.Type

const reasonsOf = (request: Transport.Request, response: Transport.Response): Array<Fault> => {
  const body = read(new TextDecoder().decode(response.body))
  const sent = sentIn(request)
  if (sent === undefined) return []
  const faults = readFaults(body, "", sent, response.status === 400)
  const remove = redaction(sent.values)
  const redact = (text: string) => clean(remove(text)).slice(0, 200)
  return faults
    .slice(0, 50)
    .map(({ path, message }) => ({ path: redact(path), message: redact(message) }))
}

/** Removes the long values of the request but its requestId: a short one may be part of a code. */
const withoutSent = (request: Transport.Request | undefined, text: string): string => {
  if (request === undefined) return text
  const values = sentIn(request, "requestId")?.values.filter((value) => value.length >= 8)
  return values === undefined ? "…" : redaction(values)(text)
}

/** The field names of a request, and its texts and numbers that are none. */
interface Sent {
  readonly names: ReadonlySet<string>
  readonly values: ReadonlyArray<string>
}

/** Returns undefined if the request is too deep. */
const sentIn = (request: Transport.Request, except?: string): Sent | undefined => {
  const names = new Set<string>()
  const values = [request.headers["authorization"]?.slice("Bearer ".length) ?? ""]
  const visit = (name: string, value: unknown, { source }: { readonly source?: string } = {}) => {
    names.add(name === except ? String(value) : name)
    if (typeof value === "string") values.push(value)
    if (typeof value === "number") values.push(source ?? String(value))
    return value
  }
  const parsed = Result.try(() => JSON.parse(request.body ?? "null", visit))
  return Result.isSuccess(parsed)
    ? { names, values: values.filter((value) => !names.has(value)) }
    : undefined
}

const lists = [
  "errors",
  "fieldErrors",
  "validationErrors",
  "fields",
  "fieldViolations",
  "violations",
  "issues",
  "detail",
  "details",
  "invalid-params"
]
const paths = [
  "field",
  "fieldName",
  "path",
  "name",
  "pointer",
  "param",
  "property",
  "propertyPath",
  "loc"
]
const messages = [
  "message",
  "defaultMessage",
  "detail",
  "reason",
  "description",
  "title",
  "error",
  "msg",
  "issue"
]

const read = (text: string): unknown => Result.getOrUndefined(Json.fromText(text))

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null

/**
 * Google nests its list: {"details":[{"fieldViolations":[…]}]}. An object without a known name, or of
 * fields of the request alone that repeats none of them, is a map from field to message if `isMap`: at
 * another status than 400 it may be that of a payment.
 */
const readFaults = (body: unknown, at: string, sent: Sent, isMap = true): Array<Fault> => {
  if (typeof body === "string") return [{ path: at, message: body }]
  if (!isObject(body)) return []
  if (Array.isArray(body)) return body.flatMap((each) => readFaults(each, at, sent))
  const list = lists.map((name) => body[name]).find(isObject)
  const message = pick(body, messages)
  const listed = readMap(list, at, sent).map((fault) =>
    // Such as {"message":"required","fields":["amount"]}.
    message && list === body["fields"] && fault.path === at
      ? { path: fault.message, message }
      : fault
  )
  if (listed.length > 0) return listed
  // Such as {"error":{"param","message"}}.
  if (isObject(body["error"])) return readFaults(body["error"], at, sent)
  const path = pick(body, paths)
  const entries = Object.entries(body)
  const isOfFields =
    isMap &&
    entries.length > 1 &&
    entries.every(([name, value]) => sent.names.has(name) && !isRepeated(value, sent))
  // A list holds others, so none is read twice.
  if (!(isOfFields ? path && message : path || message)) {
    return list || !isMap ? [] : readMap(body, at, sent)
  }
  // In the standard body of Spring it is the path of the request.
  return [{ path: path && !path.startsWith("/api/") ? path : at, message: message ?? "refused" }]
}

/** Such as the requestId in {"requestId","reason"}. */
const isRepeated = (value: unknown, { values }: Sent): boolean =>
  typeof value === "number" || values.includes(value as string)

/** Reads a list, or a map from field to message. */
const readMap = (list: object = {}, at: string, sent: Sent): Array<Fault> =>
  Array.isArray(list)
    ? readFaults(list, at, sent)
    : Object.entries(list).flatMap(([path, entry]) => readFaults(entry, path, sent))

const pick = (entry: Record<string, unknown>, names: ReadonlyArray<string>): string | undefined =>
  names
    .map((name) => entry[name])
    .map((value) => (Array.isArray(value) ? value.some(isObject) || value.join(".") : value))
    .find((value): value is string => typeof value === "string" && value !== "")

const formatIssues = SchemaIssue.makeFormatterStandardSchemaV1()

const issuesOf = (error: Schema.SchemaError) =>
  formatIssues(error.issue).issues.map(({ path = [], message }) => ({
    path: path.map((key) => String(typeof key === "object" ? key.key : key)),
    message: message.replace("Missing key", "Set this field")
  }))

export const pathsOf = (error: Schema.SchemaError): ReadonlyArray<ReadonlyArray<string>> =>
  issuesOf(error).map(({ path }) => path)

export const faultsOf = (error: Schema.SchemaError): ReadonlyArray<Fault> =>
  issuesOf(error).map(({ message, path }) => ({ path: path.join("."), message }))
