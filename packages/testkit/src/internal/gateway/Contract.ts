/**
 * Reads a request by the contract, and writes its answer by the contract.
 *
 * **Details**
 *
 * The routes are those of `@pawl/http/Api`, so the gateway can neither forget an endpoint nor grow one
 * of its own: `Handlers` asks for one handler a name, with the types the endpoint declares.
 *
 * @since 0.1.0
 */
import * as Decoder from "@pawl/core/Decoder"
import * as Json from "@pawl/core/Json"
import { Api, Bearer } from "@pawl/http/Api"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as HttpApi from "effect/http-api/HttpApi"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import { finder, type Params } from "./Endpoints.ts"
import { amountOf, roundBody } from "./Rounding.ts"

/**
 * A request as any door hands it over. Header names are lower case; `path` may carry a query.
 *
 * @category models
 * @since 0.1.0
 */
export interface Request {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Uint8Array
}

/**
 * An answer, ready to be sent. Its body is empty only with 204.
 *
 * @category models
 * @since 0.1.0
 */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * What is wrong with one field; never holds its value.
 *
 * @category models
 * @since 0.1.0
 */
export interface FieldFault {
  readonly field: string
  readonly message: string
}

/**
 * Error raised when a request is refused.
 *
 * @category errors
 * @since 0.1.0
 */
export class Refusal extends Data.TaggedError("Refusal")<{
  readonly status: 400 | 401 | 404
  readonly message: string
  readonly errors?: ReadonlyArray<FieldFault>
}> {}

/**
 * Refuses a request with 400, naming the fields.
 *
 * @category constructors
 * @since 0.1.0
 */
export const invalid = (errors: ReadonlyArray<FieldFault>): Refusal =>
  new Refusal({ status: 400, message: "Missing or invalid parameters", errors })

/**
 * Refuses a request for a resource that is not there.
 *
 * @category constructors
 * @since 0.1.0
 */
export const notFound = new Refusal({
  status: 404,
  message: "The requested resource does not exist"
})

type Groups = (typeof Api)["groups"]
type Endpoints = HttpApiGroup.Endpoints<Groups[keyof Groups]>

/**
 * One handler for each endpoint of the contract, typed by it. Amounts are rounded by then;
 * `sentAmount` is the text that came, which a checksum covers.
 *
 * @category models
 * @since 0.1.0
 */
export type Handlers = {
  readonly [Endpoint in Endpoints as Endpoint["identifier"]]: (request: {
    readonly params: Endpoint["~Params"]["Type"]
    readonly payload: Endpoint["~Payload"]["Type"]
    readonly sentAmount: string
  }) => Effect.Effect<Endpoint["~Success"]["Type"], Refusal>
}

/**
 * What a request asks of an endpoint, ready to be answered.
 *
 * @category models
 * @since 0.1.0
 */
export interface Route {
  readonly isSecured: boolean
  readonly answer: Effect.Effect<Answer, Refusal>
}

/**
 * Makes the contract's routes over their handlers, and returns the function that finds that of a
 * request.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (handlers: Handlers): ((request: Request) => Route | undefined) => {
  const byName: Readonly<Record<string, Handler>> = handlers
  const all: Array<readonly [HttpApiEndpoint.Top, (asked: Asked) => Route]> = []
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, successes }) => {
      const handler = byName[endpoint.identifier]
      const [success] = successes
      if (handler === undefined || success === undefined) return
      const [status, [schema]] = success
      const encode = HttpApiSchema.isNoContent(schema.ast)
        ? () => Effect.undefined
        : Schema.encodeUnknownEffect(schema as Codec)
      const decode = decoder(endpoint)
      const isSecured = endpoint.middlewares.has(Bearer)
      all.push([
        endpoint,
        (asked) => ({
          isSecured,
          answer: decode(asked).pipe(
            // An endpoint's types are lost in the loop over all; `Handlers` has checked them.
            Effect.flatMap((decoded) => handler(decoded as never)),
            Effect.flatMap((value) => Effect.orDie(encode(value))),
            Effect.map((body) => answer(status, body))
          )
        })
      ])
    }
  })
  const find = finder(all)
  return (request) => {
    const found = find(request.method, request.path)
    return found?.[0]({ ...request, params: found[1] })
  }
}

/**
 * Writes a JSON answer; `undefined` is no body.
 *
 * @category constructors
 * @since 0.1.0
 */
export const answer = (status: number, body: unknown): Answer =>
  body === undefined
    ? { status, headers: {}, body: "" }
    : { status, headers: { "content-type": "application/json" }, body: JSON.stringify(body) }

/**
 * Makes the function that reads a value by a schema, and else names every field that is wrong.
 *
 * @category constructors
 * @since 0.1.0
 */
export const reader = <A>(
  schema: Schema.Codec<A, unknown>
): ((input: unknown) => Effect.Effect<A, Refusal>) => {
  const decode = Decoder.decodeUnknownEffect(schema, { errors: "all" })
  return (input) =>
    Effect.mapError(decode(input), ({ issue }) =>
      invalid(
        format(issue).issues.map(({ message, path = [] }) => ({ field: name(path), message }))
      )
    )
}

interface Asked extends Request {
  readonly params: Params
}
interface Decoded {
  readonly params: unknown
  readonly payload: unknown
  readonly sentAmount: string
}
type Codec = Schema.Codec<unknown>
type Handler = (request: never) => Effect.Effect<unknown, Refusal>

const decoder = (endpoint: HttpApiEndpoint.Top) => {
  const [payload] = Array.from(endpoint.payload.values(), ({ schemas: [schema] }) => schema)
  const readParams =
    endpoint.params === undefined ? () => Effect.undefined : reader(endpoint.params as Codec)
  const readBody =
    payload === undefined ? () => Effect.succeed(noBody) : bodyReader(payload as Codec)
  return (asked: Asked): Effect.Effect<Decoded, Refusal> =>
    Effect.flatMap(readParams(asked.params), (params) =>
      Effect.map(readBody(asked), (body) => ({ params, ...body }))
    )
}

const noBody = { payload: undefined, sentAmount: "" }

const bodyReader = (schema: Codec) => {
  const read = reader(schema)
  return Effect.fnUntraced(function* (request: Request) {
    if (!/^application\/json\s*(?:;|$)/iu.test(request.headers["content-type"] ?? "")) {
      return yield* invalid([{ field: "Content-Type", message: "Expected application/json" }])
    }
    const body = Json.fromBytes(request.body)
    if (Result.isFailure(body)) {
      return yield* invalid([{ field: "body", message: `Not acceptable as JSON: ${body.failure}` }])
    }
    const payload = yield* read(roundBody(body.success))
    const astray = urls.filter((name) => !isUrl(body.success, name))
    if (astray.length > 0) {
      return yield* invalid(
        astray.map((field) => ({ field, message: "Expected an absolute http or https URL" }))
      )
    }
    return { payload, sentAmount: amountOf(body.success) }
  })
}

/** What the contract knows by its beginning, and nothing can be reached by. */
const urls = ["callbackUrl", "successRedirectUrl", "failureRedirectUrl"]

const isUrl = (body: unknown, name: string): boolean =>
  !Predicate.hasProperty(body, name) || typeof body[name] !== "string" || URL.canParse(body[name])

const name = (path: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }>): string =>
  path.map((segment) => String(typeof segment === "object" ? segment.key : segment)).join(".") ||
  "body"

const format = SchemaIssue.makeFormatterStandardSchemaV1()
