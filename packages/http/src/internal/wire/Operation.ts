/**
 * Encodes the request and decodes the response of an operation with the schemas of its endpoint.
 */
import { type FieldFault, UnexpectedResponse, ValidationFailed } from "@pawl/core/PaymentsError"
import * as Decoder from "@pawl/core/internal/Decoder"
import * as Json from "@pawl/core/internal/Json"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Metric from "effect/Metric"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as Metrics from "./Metrics.ts"
import type { PawlConfig } from "../../PawlConfig.ts"
import type * as Transport from "../../Transport.ts"
import * as ErrorResponse from "./ErrorResponse.ts"
import * as PlainInput from "./PlainInput.ts"
import type { ChecksumRule, Signed } from "./Signed.ts"
import * as Target from "./Target.ts"
import { version } from "./Version.ts"
import * as LenientResponse from "./LenientResponse.ts"

/** The input of an operation: the plain values of the path and of the body, or a body that was encoded before. */
export interface Input {
  readonly params?: { readonly id?: string; readonly subscriptionId?: string }
  readonly payload?: object
  readonly body?: string | undefined
}

/** An endpoint of the contract. Without the schema `success` its response has no body. */
export interface Endpoint<A> {
  readonly identifier: string
  readonly method: Transport.Request["method"]
  readonly path: string
  readonly params?: Schema.Top | undefined
  readonly payload?: Schema.Top | undefined
  readonly success?: Schema.Schema<A> | undefined
  readonly checksum?: ChecksumRule | undefined
}

/** An operation that is ready to be called: its schemas are compiled once. */
export interface Operation<A> {
  /** The name of the endpoint in the contract. */
  readonly name: string
  /** Its requests, as spans and metrics describe them. */
  readonly target: Target.Target
  /** Builds the request, or fails with all faults of the input. */
  readonly toRequest: (input: Input) => Effect.Effect<Transport.Request, ValidationFailed>
  /** Decodes a 2xx response, or fails with the first field that is not as documented. */
  readonly fromResponse: (response: Transport.Response) => Effect.Effect<A, UnexpectedResponse>
}

type Codec<A = unknown> = Schema.Codec<A, unknown>

/** The settings that every request has. */
interface Settings extends Pick<PawlConfig["Service"], "baseUrl" | "headers"> {
  readonly signed?: Signed
}

/** Makes the operation of an endpoint. */
export const make = <A>(endpoint: Endpoint<A>, settings: Settings): Operation<A> => ({
  name: endpoint.identifier,
  target: Target.make(endpoint.method, settings.baseUrl, endpoint.path),
  toRequest: encoder(endpoint, settings),
  fromResponse: decoder(endpoint)
})

/** Makes a function that returns the operation of an endpoint and caches it. */
export const makeAll = (settings: Settings) => {
  const operations = new WeakMap<Endpoint<never>, Operation<never>>()
  return <A>(endpoint: Endpoint<A>): Operation<A> => {
    const cached = operations.get(endpoint as Endpoint<never>) as Operation<A> | undefined
    const operation = cached ?? make(endpoint, settings)
    if (cached === undefined)
      operations.set(endpoint as Endpoint<never>, operation as Operation<never>)
    return operation
  }
}

const encoder = (
  { checksum, method, params, path, payload }: Endpoint<unknown>,
  settings: Settings
): Operation<unknown>["toRequest"] => {
  const headers = {
    ...settings.headers,
    accept: "application/json",
    "user-agent": `pawl/${version}`,
    // DELETE requires it too, though it has no body (`spec.md`, "Common rules").
    ...(method === "GET" ? {} : { "content-type": "application/json" })
  }
  const checkBody = payload === undefined ? undefined : check(payload as Codec)
  const checkParams = params === undefined ? undefined : check(params as Codec)
  // The paths of the contract start at the root of the host, and a base URL ends in /api.
  const url = settings.baseUrl + path.slice("/api".length)
  const fill = (values: Record<string, string>) =>
    url.replace(/\/:(\w+)/gu, (_, name: string) => `/${encodeURIComponent(values[name] ?? "")}`)
  const signed = settings.signed?.(checksum) ?? identity
  const request = (url: string, body: string | undefined): Effect.Effect<Transport.Request> =>
    Effect.succeed({ method, url, headers, body })
  return (input) => {
    const filled =
      checkParams === undefined
        ? Effect.succeed(url)
        : Effect.mapEager(checkParams(input.params), (values) =>
            fill(values as Record<string, string>)
          )
    return Effect.flatMapEager(filled, (url) =>
      checkBody === undefined || input.body !== undefined
        ? request(url, input.body)
        : Effect.flatMapEager(checkBody(signed(input.payload)), (value) => {
            const body = Result.try(() => JSON.stringify(value))
            return Result.isFailure(body)
              ? Effect.fail(PlainInput.toError(value))
              : request(url, body.success)
          })
    )
  }
}

const decoder = <A>(endpoint: Endpoint<A>): Operation<A>["fromResponse"] => {
  const { identifier, method } = endpoint
  // The caller of an endpoint without a schema gets nothing.
  if (endpoint.success === undefined) return () => Effect.succeed(undefined as A)
  const success = endpoint.success as Codec<A>
  let readLeniently: ReturnType<typeof LenientResponse.make<A>> | undefined
  const decode = Decoder.decodeUnknownEffect(success)
  return (response) => {
    const unexpected = (reason: string) =>
      new UnexpectedResponse({ reason, ...ErrorResponse.partsOf(response) })
    const json = Json.fromBytes(response.body)
    if (Result.isFailure(json)) {
      return Effect.fail(unexpected(`its body cannot be read as JSON (${json.failure})`))
    }
    const decoded = Effect.mapEager(decode(json.success), (value) => {
      ErrorResponse.keepResponse(value, response)
      return value
    })
    return Effect.catchEager(decoded, (error) => {
      const lenient = (readLeniently ??= LenientResponse.make(success, method === "POST"))(
        json.success
      )
      if (lenient !== undefined) {
        ErrorResponse.keepResponse(lenient.value, response)
        return Effect.as(
          Effect.forEach(
            lenient.fields,
            (field) => Metric.update(Metrics.leniencies(identifier, field), 1),
            { discard: true }
          ),
          lenient.value
        )
      }
      const [fault] = faults(error)
      return Effect.fail(
        unexpected(`its ${fault?.path ? `field ${fault.path}` : "body"} is not as documented`)
      )
    })
  }
}

/** Makes a function that checks a plain value against its schema, and encodes it. Reports all faults. */
const check = (schema: Codec) => {
  const write = Decoder.reencodeUnknownEffect(schema, { errors: "all" })
  return (value: unknown): Effect.Effect<unknown, ValidationFailed> =>
    write(value).pipe(
      // An undefined member counts as absent. Only an input that is refused because of one pays for the copy.
      Effect.catchEager((error) => {
        const defined = PlainInput.withoutUndefined(value)
        return defined === value ? Effect.fail(error) : write(defined)
      }),
      Effect.mapErrorEager(toValidationFailed)
    )
}

const toValidationFailed = (error: Schema.SchemaError): ValidationFailed =>
  new ValidationFailed({ sent: false, fields: faults(error) })

const formatIssues = SchemaIssue.makeFormatterStandardSchemaV1()

const faults = (error: Schema.SchemaError): Array<typeof FieldFault.Type> =>
  formatIssues(error.issue).issues.map(({ path, message }) => ({
    path: (path ?? []).map((key) => String(typeof key === "object" ? key.key : key)).join("."),
    message
  }))
