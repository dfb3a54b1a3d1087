/**
 * One operation of the contract, from plain values to a request and from a response to its value,
 * by the endpoint's own schemas.
 *
 * @since 0.1.0
 */
import { type FieldFault, UnexpectedResponse, ValidationFailed } from "@pawl/core/PaymentsError"
import * as Json from "@pawl/core/Json"
import * as Effect from "effect/Effect"
import type { PayloadMap } from "effect/http-api/HttpApiEndpoint"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import type { HttpMethod } from "effect/http/HttpMethod"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import type * as Transport from "../Transport.ts"

/** What an operation is called with: plain values, as they would stand in the path and the body. */
export interface Input {
  readonly params?: object
  readonly payload?: object
}

/** What of an endpoint is needed to call it. */
export interface Endpoint<A> {
  readonly method: HttpMethod
  readonly path: string
  readonly params: Schema.Top | undefined
  readonly payload: PayloadMap
  readonly success: ReadonlySet<Schema.Top>
  readonly "~Success": { readonly Type: A }
}

type Codec<A = unknown> = Schema.Codec<A, unknown>

/** Builds the request, or names everything that is wrong with the input. */
export const toRequest = Effect.fnUntraced(function* (
  endpoint: Endpoint<unknown>,
  baseUrl: string,
  input: Input
): Effect.fn.Return<Transport.Request, ValidationFailed> {
  const params =
    endpoint.params === undefined
      ? {}
      : ((yield* check(endpoint.params as Codec, input.params)) as Record<string, string>)
  const [payload] = Array.from(endpoint.payload.values(), ({ schemas }) => schemas[0])
  const body =
    payload === undefined
      ? undefined
      : JSON.stringify(yield* check(payload as Codec, input.payload))
  const path = endpoint.path.replace(/:(\w+)/gu, (_, name: string) =>
    encodeURIComponent(params[name] ?? "")
  )
  return {
    method: endpoint.method as Transport.Request["method"],
    // The contract's paths start at the host's root, and a base URL ends in /api.
    url: baseUrl + path.slice("/api".length),
    headers: {
      accept: "application/json",
      // Also without a body: DELETE asks for it (`spec.md`, "Common rules").
      ...(endpoint.method === "GET" ? {} : { "content-type": "application/json" })
    },
    body
  }
})

/** Reads the value of a success, unless none is due, or names the field that is not as documented. */
export const fromResponse = <A>(
  endpoint: Endpoint<A>,
  response: Transport.Response
): Effect.Effect<A, UnexpectedResponse> => {
  const refuse = (reason: string) =>
    Effect.fail(new UnexpectedResponse({ status: response.status, reason }))
  const success = Array.from(endpoint.success)[0] as Codec<A>
  // Where nothing is due nothing is read; in the contract's JSON nothing is null.
  const json = HttpApiSchema.isNoContent(success.ast)
    ? Result.succeed(null)
    : Json.fromBytes(response.body)
  if (Result.isFailure(json)) return refuse(`its body cannot be read as JSON (${json.failure})`)
  return Effect.catchTag(
    Schema.decodeUnknownEffect(success)(json.success),
    "SchemaError",
    (error) => {
      const [fault] = faults(error)
      return refuse(`its ${fault?.path ? `field ${fault.path}` : "body"} is not as documented`)
    }
  )
}

/** Passes a plain value through its schema, and names everything that is wrong with it. */
const check = (schema: Codec, value: unknown): Effect.Effect<unknown, ValidationFailed> =>
  Schema.decodeUnknownEffect(schema)(value, { errors: "all" }).pipe(
    Effect.flatMap(Schema.encodeEffect(schema)),
    Effect.mapError(toValidationFailed)
  )

const toValidationFailed = (error: Schema.SchemaError): ValidationFailed =>
  new ValidationFailed({ sent: false, fields: faults(error) })

const formatIssues = SchemaIssue.makeFormatterStandardSchemaV1()

const faults = (error: Schema.SchemaError): Array<typeof FieldFault.Type> =>
  formatIssues(error.issue).issues.map(({ path, message }) => ({
    path: (path ?? []).map((key) => String(typeof key === "object" ? key.key : key)).join("."),
    message
  }))
