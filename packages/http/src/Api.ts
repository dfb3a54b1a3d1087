/**
 * The contract: every endpoint of the service, once. The client's calls, the gateway's routes and
 * `openapi.json` derive from it.
 *
 * **Details**
 *
 * Paths are written as they appear from the host root (`spec.md`, "Endpoints"); a base URL ends in
 * `/api`. Every endpoint declares 400, 401, 404 and 500. The shape of an error body is not
 * documented: `Failure` is what our gateway sends, and clients read it tolerantly.
 *
 * @since 0.1.0
 */
import { ApmPaymentRequest, ApmPaymentResponse } from "@pawl/core/ApmPayment"
import { OpenStatus, TransactionId } from "@pawl/core/Transaction"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as HttpApiSecurity from "effect/http-api/HttpApiSecurity"
import * as Schema from "effect/Schema"

/**
 * Schema for the body of an error answer: what is wrong, and with which fields.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Failure = Schema.Struct({
  message: Schema.String,
  errors: Schema.optionalKey(
    Schema.Array(Schema.Struct({ field: Schema.String, message: Schema.String }))
  )
})

const failure = (status: number, description: string) =>
  Failure.annotate({ description }).pipe(HttpApiSchema.status(status))

const unauthorized = failure(401, "Missing, expired or invalid bearer token")
const failures = [
  failure(400, "Missing or invalid parameters"),
  unauthorized,
  failure(404, "The requested resource does not exist"),
  failure(500, "Unexpected error")
]

/**
 * The bearer token that every endpoint but `/auth` asks for.
 *
 * @category security
 * @since 0.1.0
 */
export class Bearer extends HttpApiMiddleware.Service<Bearer>()("@pawl/http/Api/Bearer", {
  security: { bearer: HttpApiSecurity.bearer },
  error: unauthorized
}) {}

/**
 * Schema for the credentials that are exchanged for a token.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Credentials = Schema.Struct({
  merchantKey: Schema.String,
  merchantSecret: Schema.RedactedFromValue(Schema.String, { label: "merchantSecret" })
})

/**
 * `POST /api/v1/auth`: exchanges the credentials for a JWT valid for 30 days. The field that carries
 * it is not documented.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const authenticate = HttpApiEndpoint.post("authenticate", "/api/v1/auth", {
  payload: Credentials,
  success: Schema.Json,
  error: failures
})

/**
 * `POST /api/v1/payments/apm`: starts a payment by an alternative method.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const createApmPayment = HttpApiEndpoint.post("createApmPayment", "/api/v1/payments/apm", {
  payload: ApmPaymentRequest,
  success: ApmPaymentResponse,
  error: failures
})

/** In a path an id is text: read as an integer, `007` would become `7`, another transaction. */
const PathId = Schema.toType(TransactionId)

/**
 * `GET /api/v1/payments/apm/status/{id}`: the status of an APM payment, a bare JSON string.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const readApmPaymentStatus = HttpApiEndpoint.get(
  "readApmPaymentStatus",
  "/api/v1/payments/apm/status/:id",
  { params: { id: PathId }, success: OpenStatus, error: failures }
)

/**
 * The endpoint that needs no token.
 *
 * @category groups
 * @since 0.1.0
 */
export class Authentication extends HttpApiGroup.make("authentication").add(authenticate) {}

/**
 * Payments by alternative methods.
 *
 * @category groups
 * @since 0.1.0
 */
export class ApmPayments extends HttpApiGroup.make("apmPayments")
  .add(createApmPayment, readApmPaymentStatus)
  .middleware(Bearer) {}

/**
 * The whole contract.
 *
 * @category apis
 * @since 0.1.0
 */
export class Api extends HttpApi.make("payments").add(Authentication, ApmPayments) {}
