/**
 * Decodes requests and encodes responses by the contract.
 *
 * **Details**
 *
 * The routes are those of `@pawl/http/Api`, so the gateway implements exactly its endpoints: `Handlers` has
 * one handler for each, with the types the endpoint declares.
 */
import * as Decoder from "@pawl/core/Decoder"
import * as Json from "@pawl/core/Json"
import { Api, Bearer } from "@pawl/http/Api"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Predicate from "effect/Predicate"
import * as HttpApi from "effect/http-api/HttpApi"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import { finder, type Params } from "./Endpoints.ts"
import type { GatewayConfig } from "../../GatewayConfig.ts"
import * as JvmStyle from "./JvmStyle.ts"
import * as Leniency from "./Leniency.ts"
import type { Behaviour } from "../readings/Behaviour.ts"
import { amountOf, roundBody } from "./Rounding.ts"

/** A request to the gateway. Header names are lower case; `path` may have a query. */
export interface Request {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Uint8Array
}

/** A response of the gateway. Its body is empty only with 204. */
export interface Response {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The error of one field. It never contains the value. */
export interface FieldError {
  readonly field: string
  readonly message: string
}

/** Error raised when a request is refused. */
export class Refusal extends Data.TaggedError("Refusal")<{
  readonly status: 400 | 401 | 404
  readonly message: string
  readonly errors?: ReadonlyArray<FieldError>
}> {}

/** Refuses a request with 400, naming the fields. */
export const invalid = (errors: ReadonlyArray<FieldError>): Refusal =>
  new Refusal({ status: 400, message: "Missing or invalid parameters", errors })

/** Refuses a request for a resource that does not exist. */
export const notFound = new Refusal({
  status: 404,
  message: "The requested resource does not exist"
})

type Groups = (typeof Api)["groups"]
type Endpoints = HttpApiGroup.Endpoints<Groups[keyof Groups]>

/**
 * One handler for each endpoint of the contract, with its types. Amounts are already rounded; `sentAmount`
 * is the amount as it was sent, which the checksum covers; `sent` is the whole body.
 */
export type Handlers = {
  readonly [Endpoint in Endpoints as Endpoint["identifier"]]: (request: {
    readonly params: Endpoint["~Params"]["Type"]
    readonly payload: Endpoint["~Payload"]["Type"]
    readonly sentAmount: string
    readonly sent: Schema.Json | undefined
  }) => Effect.Effect<Endpoint["~Success"]["Type"], Refusal>
}

/** The endpoint of a request, and the response to it. */
export interface Route {
  readonly isSecured: boolean
  readonly response: Effect.Effect<Response, Refusal>
}

/** Makes the routes of the contract, and returns the function that finds the route of a request. */
export const make = (
  handlers: Handlers,
  { isLenient, style }: Pick<GatewayConfig["Service"], "isLenient" | "style">,
  rounding: Behaviour["rounding"]
): ((request: Request) => Route | undefined) => {
  const byName: Readonly<Record<string, Handler>> = handlers
  const all: Array<readonly [HttpApiEndpoint.Top, (request: RoutedRequest) => Route]> = []
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, successes }) => {
      const handler = byName[endpoint.identifier]
      const [success] = successes
      if (handler === undefined || success === undefined) return
      const [status, [schema]] = success
      const encode = HttpApiSchema.isNoContent(schema.ast)
        ? () => Effect.undefined
        : Decoder.decodeUnknownEffect(Schema.flip(schema as Codec))
      const decode = decoder(endpoint, isLenient, rounding)
      const rewrite = style === "jvm" ? JvmStyle.rewriting(schema as Codec) : identity
      const isSecured = endpoint.middlewares.has(Bearer)
      all.push([
        endpoint,
        (request) => ({
          isSecured,
          response: Effect.suspend(() =>
            decode(request).pipe(
              // The loop loses the types of the endpoint; `Handlers` checks them.
              Effect.flatMapEager((decoded) => handler(decoded as never)),
              Effect.flatMapEager((value) => Effect.orDie(encode(value))),
              Effect.mapEager((body) => jsonResponse(status, rewrite(body)))
            )
          )
        })
      ])
    }
  })
  const find = finder(all)
  return (request) => {
    const [route, params] = find(request.method, request.path) ?? []
    return params && route?.({ ...request, params })
  }
}

/** Makes a JSON response; `undefined` is no body. */
export const jsonResponse = (status: number, body: unknown): Response =>
  body === undefined
    ? { status, headers: {}, body: "" }
    : { status, headers: { "content-type": "application/json" }, body: JSON.stringify(body) }

/**
 * Makes the function that decodes a value by a schema, and refuses it with every field that is wrong.
 */
export const reader = <A>(
  schema: Schema.Codec<A, unknown>
): ((input: unknown) => Effect.Effect<A, Refusal>) => {
  const decode = Decoder.decodeUnknownEffect(schema, { errors: "all" })
  return (input) =>
    Effect.mapErrorEager(decode(input), ({ issue }) =>
      invalid(
        format(issue).issues.map(({ message, path = [] }) => ({ field: name(path), message }))
      )
    )
}

interface RoutedRequest extends Request {
  readonly params: Params
}
interface Decoded {
  readonly params: unknown
  readonly payload: unknown
  readonly sentAmount: string
  readonly sent: Schema.Json | undefined
}
type Codec = Schema.Codec<unknown>
type Handler = (request: never) => Effect.Effect<unknown, Refusal>

const decoder = (
  endpoint: HttpApiEndpoint.Top,
  isLenient: boolean,
  rounding: Behaviour["rounding"]
) => {
  const [payload] = Array.from(endpoint.payload.values(), ({ schemas: [schema] }) => schema)
  const readParams =
    endpoint.params === undefined ? () => Effect.undefined : reader(endpoint.params as Codec)
  // `spec.md`, "Common rules": a DELETE has a content type too, though it has no body.
  const declares = endpoint.method === "DELETE" && !isLenient
  const readBody =
    payload !== undefined
      ? bodyReader(payload as Codec, isLenient, rounding)
      : (request: Request) => (declares && !isJson(request) ? notJson : Effect.succeed(noBody))
  return (request: RoutedRequest): Effect.Effect<Decoded, Refusal> =>
    Effect.flatMapEager(readParams(request.params), (params) =>
      Effect.mapEager(readBody(request), (body) => ({ params, ...body }))
    )
}

const noBody = { payload: undefined, sentAmount: "", sent: undefined }

const isJson = ({ headers }: Request): boolean =>
  /^application\/json\s*(?:;|$)/iu.test(headers["content-type"] ?? "")

const bodyReader = (schema: Codec, isLenient: boolean, rounding: Behaviour["rounding"]) => {
  const read = isLenient ? Leniency.reading(reader(schema)) : reader(schema)
  return (request: Request): Effect.Effect<Omit<Decoded, "params">, Refusal> => {
    if (!isJson(request)) return notJson
    const body = Json.fromBytes(request.body)
    if (Result.isFailure(body)) return refuse(`Not valid JSON: ${body.failure}`, "body")
    // A lone surrogate is always written with an escape, so a body without a backslash skips the walk.
    const illFormed = request.body.includes(backslash) ? illFormedIn(body.success) : []
    if (illFormed.length > 0) return refuse("Expected well-formed text", ...illFormed.map(name))
    return Effect.flatMapEager(read(roundBody(body.success, rounding)), (payload) => {
      const invalidUrls = urls.filter((name) => !isUrl(body.success, name))
      return invalidUrls.length === 0
        ? Effect.succeed({ payload, sentAmount: amountOf(body.success), sent: body.success })
        : refuse("Expected an absolute http or https URL", ...invalidUrls)
    })
  }
}

/** Refuses a request with one message for each of the fields. */
const refuse = (message: string, ...fields: ReadonlyArray<string>) =>
  Effect.fail(invalid(fields.map((field) => ({ field, message }))))

const notJson = refuse("Expected application/json", "Content-Type")

const backslash = 0x5c

/** Returns the paths of texts with a lone surrogate, which no database and no UTF-8 can hold. */
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

/** The contract checks only how these begin; here they must be complete URLs. */
const urls = ["callbackUrl", "successRedirectUrl", "failureRedirectUrl"]

const isUrl = (body: unknown, name: string): boolean =>
  !Predicate.hasProperty(body, name) || typeof body[name] !== "string" || URL.canParse(body[name])

const name = (path: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }>): string =>
  path.map((segment) => String(typeof segment === "object" ? segment.key : segment)).join(".") ||
  "body"

const format = SchemaIssue.makeFormatterStandardSchemaV1()
