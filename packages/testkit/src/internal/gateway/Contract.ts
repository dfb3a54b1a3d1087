/**
 * Decodes requests and encodes responses by the contract: exactly the endpoints of
 * `@pawl/http/internal/wire/Endpoint`.
 */
import * as Decoder from "@pawl/core/internal/Decoder"
import * as Json from "@pawl/core/internal/Json"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import { all, type Endpoint, finder, type Params } from "./Endpoints.ts"
import * as Leniency from "./Leniency.ts"
import type { Behaviour, Request, Response } from "../Behaviour.ts"
import { amountOf, roundBody } from "./Rounding.ts"

/** The error of one field. It never contains the value. */
export interface FieldError {
  readonly field: string
  readonly message: string
}

export class ErrorResponse extends Data.TaggedError("ErrorResponse")<{
  readonly status: 400 | 401 | 404
  readonly message: string
  readonly errors?: ReadonlyArray<FieldError>
}> {}

export const invalid = (errors: ReadonlyArray<FieldError>): ErrorResponse =>
  new ErrorResponse({ status: 400, message: "Missing or invalid parameters", errors })

export const notFound = new ErrorResponse({
  status: 404,
  message: "The requested resource does not exist"
})

type Part = "params" | "payload" | "success"
type TypeOf<E, Name extends Part> =
  E extends Readonly<Record<Name, Schema.Top>> ? E[Name]["Type"] : void

/**
 * Handlers of the contract, one for each endpoint. Amounts are rounded; `sentAmount` is the amount
 * as it was sent, which the checksum covers.
 */
export type Handlers = {
  readonly [E in Endpoint as E["identifier"]]: (request: {
    readonly params: TypeOf<E, "params">
    readonly payload: TypeOf<E, "payload">
    readonly sentAmount: string
    readonly sent: Schema.Json | undefined
  }) => Effect.Effect<TypeOf<E, "success">, ErrorResponse>
}

export interface Route {
  readonly isSecured: boolean
  readonly response: Effect.Effect<Response, ErrorResponse>
}

export const make = (
  handlers: Handlers,
  isLenient: boolean,
  rounding: Behaviour["rounding"]
): ((request: Request) => Route | undefined) => {
  const find = finder(
    all.map((endpoint) => {
      let route: ReturnType<typeof routeOf> | undefined
      // A sandbox then starts sooner.
      return [endpoint, () => (route ??= routeOf(endpoint, handlers, isLenient, rounding))]
    })
  )
  return (request) => {
    const [route, params] = find(request.method, request.path) ?? []
    return params && route?.()({ ...request, params })
  }
}

type Codec = Schema.Codec<unknown>
type Handler = (request: Decoded) => Effect.Effect<unknown, ErrorResponse>

const routeOf = (
  { identifier, method, ...endpoint }: Endpoint,
  handlers: Handlers,
  isLenient: boolean,
  rounding: Behaviour["rounding"]
): ((request: RoutedRequest) => Route) => {
  const { params, payload, success } = endpoint as { readonly [Name in Part]?: Codec }
  const handler = handlers[identifier] as Handler
  const readParams = params === undefined ? () => Effect.undefined : reader(params)
  // `spec.md`, "Common rules": a DELETE has a content type too. OpenAPI cannot say so, so it may be
  // absent.
  const declares = method === "DELETE" && !isLenient
  const readBody =
    payload !== undefined
      ? bodyReader(payload, isLenient, rounding)
      : (request: Request) =>
          declares && request.headers["content-type"] !== undefined && !isJson(request)
            ? notJson
            : Effect.succeed(noBody)
  const encode =
    success === undefined
      ? () => Effect.undefined
      : Decoder.decodeUnknownEffect(Schema.flip(success))
  const status = success === undefined ? 204 : 200
  return (request) => ({
    isSecured: identifier !== "authenticate",
    response: Effect.suspend(() =>
      Effect.flatMapEager(readParams(request.params), (params) =>
        readBody(request).pipe(
          Effect.flatMapEager((body) => handler({ params, ...body })),
          Effect.flatMapEager((value) => Effect.orDie(encode(value))),
          Effect.mapEager((body) => jsonResponse(status, body))
        )
      )
    )
  })
}

export const jsonResponse = (status: number, body: unknown): Response =>
  body === undefined
    ? { status, headers: {}, body: "" }
    : { status, headers: { "content-type": "application/json" }, body: JSON.stringify(body) }

export const maxBytes = 64 * 1024

export const tooLarge = jsonResponse(413, { message: "The body is larger than 64 KiB" })

export const reader = <A>(schema: Schema.Codec<A, unknown>) =>
  refusing(Decoder.decodeUnknownEffect(schema, { errors: "all" }))

export const refusing =
  <A>(decode: (input: unknown) => Effect.Effect<A, Schema.SchemaError>) =>
  (input: unknown): Effect.Effect<A, ErrorResponse> =>
    Effect.mapErrorEager(decode(input), ({ issue }) =>
      invalid(
        format(issue).issues.map(({ message, path = [] }) => ({ field: name(path), message }))
      )
    )

interface RoutedRequest extends Request {
  readonly params: Params
}
interface Decoded {
  readonly params: unknown
  readonly payload: unknown
  readonly sentAmount: string
  readonly sent: Schema.Json | undefined
}
const noBody = { payload: undefined, sentAmount: "", sent: undefined }

const isJson = ({ headers }: Request): boolean =>
  /^application\/json\s*(?:;|$)/iu.test(headers["content-type"] ?? "")

const bodyReader = (schema: Codec, isLenient: boolean, rounding: Behaviour["rounding"]) => {
  const read = isLenient ? Leniency.reading(reader(schema)) : reader(schema)
  return (request: Request): Effect.Effect<Omit<Decoded, "params">, ErrorResponse> => {
    if (!isJson(request)) return notJson
    // `fromBytes` would read the number 10.50 as text.
    const draft = Json.draftBytes(request.body)
    if ("fault" in draft) return refuse(`Not valid JSON: ${draft.fault}`, "body")
    const { exact, json } = draft
    // A lone surrogate is always written with an escape.
    const illFormed = request.body.includes(backslash) ? illFormedIn(json) : []
    if (illFormed.length > 0) return refuse("Expected well-formed text", ...illFormed.map(name))
    return Effect.flatMapEager(read(roundBody(json, rounding)), (payload) => {
      const invalidUrls = urls.filter((name) => !isUrl(json, name))
      return invalidUrls.length === 0
        ? Effect.succeed({ payload, sentAmount: amountOf(json), sent: exact() })
        : refuse("Expected an absolute http or https URL", ...invalidUrls)
    })
  }
}

const refuse = (message: string, ...fields: ReadonlyArray<string>) =>
  Effect.fail(invalid(fields.map((field) => ({ field, message }))))

const notJson = refuse("Expected application/json", "Content-Type")

const backslash = 0x5c

/** No database and no UTF-8 can hold a lone surrogate. */
const illFormedIn = (value: unknown, path: ReadonlyArray<string> = []): Array<typeof path> =>
  typeof value === "string"
    ? loneSurrogate.test(value)
      ? [path]
      : []
    : Predicate.isObjectOrArray(value)
      ? Object.entries(value).flatMap(([key, member]) =>
          loneSurrogate.test(key) ? [path] : illFormedIn(member, [...path, key])
        )
      : []

const loneSurrogate = /\p{Cs}/u

/** The contract checks only the beginning of these URLs. */
const urls = ["callbackUrl", "successRedirectUrl", "failureRedirectUrl"]

const isUrl = (body: unknown, name: string): boolean =>
  !Predicate.hasProperty(body, name) || typeof body[name] !== "string" || URL.canParse(body[name])

const name = (path: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }>): string =>
  path.map((segment) => String(typeof segment === "object" ? segment.key : segment)).join(".") ||
  "body"

const format = SchemaIssue.makeFormatterStandardSchemaV1()
