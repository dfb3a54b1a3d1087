/**
 * What can go wrong with a call, flat and tagged, so that `Effect.catchTag` reads like the spec.
 *
 * **Details**
 *
 * `isRetryable` says whether the same call, made again later, can succeed. No error holds a secret,
 * token, checksum or card number; a response body is kept redacted.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

const attempts = Schema.Int

/**
 * Error raised when the service refused our token, and a fresh one too (401). A persistent one means
 * wrong credentials or a revoked account (`spec.md`, "Authentication").
 *
 * @category errors
 * @since 0.1.0
 */
export class Unauthorized extends Schema.TaggedError<Unauthorized>("@pawl/core/Unauthorized")(
  "Unauthorized",
  {}
) {
  readonly isRetryable = false
  override readonly message =
    "The service refused the credentials: check the merchant key, the secret and that both belong to this base URL"
}

/**
 * Error raised when what was created ended FAILED: a payment, payout, refund or subscription. Carries the
 * whole response.
 *
 * **Details**
 *
 * Which identifiers there are depends on the operation: `transactionId`, `refundId`,
 * `subscriptionId`. `declineCode` is the service's numeric reason; its table is not documented.
 *
 * @category errors
 * @since 0.1.0
 */
export class Declined extends Schema.TaggedError<Declined>("@pawl/core/Declined")("Declined", {
  requestId: Schema.optionalKey(Schema.String),
  transactionId: Schema.optionalKey(Schema.String),
  refundId: Schema.optionalKey(Schema.String),
  subscriptionId: Schema.optionalKey(Schema.String),
  declineCode: Schema.optionalKey(Schema.Int),
  declineSubReason: Schema.optionalKey(Schema.String),
  response: Schema.Record(Schema.String, Schema.Unknown)
}) {
  readonly isRetryable = false
  override get message() {
    const code =
      this.declineCode === undefined
        ? "without a decline code"
        : `with decline code ${this.declineCode}`
    const id = this.transactionId ?? this.refundId ?? this.subscriptionId ?? "without an id"
    return `Transaction ${id} was declined ${code}`
  }
}

/**
 * Error raised when the service refused to open a hosted page. `errorCode` is its reason; the values are
 * not documented (`spec.md`, "Payment intents").
 *
 * @category errors
 * @since 0.1.0
 */
export class IntentRejected extends Schema.TaggedError<IntentRejected>("@pawl/core/IntentRejected")(
  "IntentRejected",
  { requestId: Schema.String, errorCode: Schema.String }
) {
  readonly isRetryable = false
  override get message() {
    return `Intent ${this.requestId} was rejected with error code ${this.errorCode}`
  }
}

/**
 * What is wrong with one field of a request.
 *
 * @category models
 * @since 0.1.0
 */
export const FieldFault = Schema.Struct({ path: Schema.String, message: Schema.String })

/**
 * Error raised when a request is not acceptable: refused here before sending, or by the service
 * (400). Names the fields, never their values.
 *
 * @category errors
 * @since 0.1.0
 */
export class ValidationFailed extends Schema.TaggedError<ValidationFailed>(
  "@pawl/core/ValidationFailed"
)("ValidationFailed", {
  sent: Schema.Boolean,
  fields: Schema.Array(FieldFault),
  body: Schema.optionalKey(Schema.Redacted(Schema.String))
}) {
  readonly isRetryable = false
  override get message() {
    const by = this.sent
      ? "The service refused the request"
      : "The request was refused before sending"
    return [
      by,
      ...this.fields.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`))
    ].join("; ")
  }
}

/**
 * Error raised when the service does not know the resource (404).
 *
 * @category errors
 * @since 0.1.0
 */
export class NotFound extends Schema.TaggedError<NotFound>("@pawl/core/NotFound")("NotFound", {}) {
  readonly isRetryable = false
  override readonly message = "The service does not know this resource"
}

/**
 * Error raised when the service failed (5xx) in every attempt.
 *
 * @category errors
 * @since 0.1.0
 */
export class ServiceFailed extends Schema.TaggedError<ServiceFailed>("@pawl/core/ServiceFailed")(
  "ServiceFailed",
  { status: Schema.Int, attempts }
) {
  readonly isRetryable = true
  override get message() {
    return `The service failed with ${this.status}, ${this.attempts} attempts made`
  }
}

/**
 * Error raised when the service asked us to slow down (429) in every attempt. `retryAfter` is in
 * milliseconds.
 *
 * @category errors
 * @since 0.1.0
 */
export class RateLimited extends Schema.TaggedError<RateLimited>("@pawl/core/RateLimited")(
  "RateLimited",
  {
    retryAfter: Schema.optionalKey(Schema.Finite),
    attempts
  }
) {
  readonly isRetryable = true
  override get message() {
    const wait =
      this.retryAfter === undefined ? "" : `, to be called again in ${this.retryAfter} ms`
    return `The service limits the rate${wait}`
  }
}

/**
 * Error raised when no answer came: the connection failed, broke or timed out.
 *
 * **Details**
 *
 * `sent` is false when the request cannot have reached the service.
 *
 * @category errors
 * @since 0.1.0
 */
export class Unreachable extends Schema.TaggedError<Unreachable>("@pawl/core/Unreachable")(
  "Unreachable",
  {
    reason: Schema.String,
    sent: Schema.Boolean,
    attempts
  }
) {
  readonly isRetryable = true
  override get message() {
    return `The service could not be reached (${this.reason}), ${this.attempts} attempts made`
  }
}

/**
 * Error raised when an answer is not one the spec knows: a redirect, an unlisted status, a body that
 * is too large or cannot be decoded.
 *
 * @category errors
 * @since 0.1.0
 */
export class UnexpectedResponse extends Schema.TaggedError<UnexpectedResponse>(
  "@pawl/core/UnexpectedResponse"
)("UnexpectedResponse", { status: Schema.Int, reason: Schema.String }) {
  readonly isRetryable = false
  override get message() {
    return `The service answered ${this.status}, but ${this.reason}`
  }
}

/**
 * Error raised when a create may or may not have taken effect. Call again with the same `requestId`
 * and the same fields: the service answers with the original, and nothing is processed twice.
 *
 * @category errors
 * @since 0.1.0
 */
export class OutcomeUnknown extends Schema.TaggedError<OutcomeUnknown>("@pawl/core/OutcomeUnknown")(
  "OutcomeUnknown",
  {
    requestId: Schema.String,
    cause: Schema.Union([Unreachable, ServiceFailed, UnexpectedResponse])
  }
) {
  readonly isRetryable = true
  override get message() {
    return `Request ${this.requestId} may have taken effect: call again with the same requestId. ${this.cause.message}`
  }
}

/**
 * What a read can fail with.
 *
 * @category errors
 * @since 0.1.0
 */
export type ReadError =
  | Unauthorized
  | ValidationFailed
  | NotFound
  | ServiceFailed
  | RateLimited
  | Unreachable
  | UnexpectedResponse

/**
 * A decline with the response of its operation, typed.
 *
 * @category errors
 * @since 0.1.0
 */
export type DeclinedAs<Response> = Declined & { readonly response: Response }

/**
 * What a create can fail with.
 *
 * @category errors
 * @since 0.1.0
 */
export type CreateError<Response = unknown> = ReadError | DeclinedAs<Response> | OutcomeUnknown
