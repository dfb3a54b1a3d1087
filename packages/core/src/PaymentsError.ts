/**
 * The errors of calls to the service, flat and tagged for `Effect.catchTag`.
 *
 * **Details**
 *
 * No error contains a secret, access token, checksum or card number.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { clean } from "./internal/Printable.ts"
import { printed } from "./internal/Printed.ts"

const counted = {
  /** Number of attempts. One may have sent no request, or two, the second after a 401. */
  attempts: Schema.Int
}

const received = {
  /** HTTP status of the response; absent when none arrived. */
  status: Schema.optionalKey(Schema.Int),
  /** The service's own id of the request, from a header such as `x-request-id`. */
  serviceRequestId: Schema.optionalKey(Schema.String)
}

const delivered = {
  /** False if the request for an access token failed, so that this attempt did not send the operation. */
  sent: Schema.optionalKey(Schema.Boolean)
}

const notSent = ({ sent }: { readonly sent?: boolean }): string =>
  sent === false ? "The operation was not sent, because it needs an access token. " : ""

const response = {
  /** Redacted body of the response, at most its first 16 KiB. */
  body: Schema.optionalKey(Schema.Redacted(Schema.String)),
  ...received
}

/**
 * Error raised when the service refused the credentials (400 or 401 of `/auth`) or the access token (401).
 * If every operation gets it, the credentials are wrong or revoked (`spec.md`, "Authentication"). If one operation gets it, the
 * account may lack its right.
 *
 * @category errors
 * @since 0.1.0
 */
export class Unauthorized extends printed<Unauthorized>()("Unauthorized", {
  /** False if only `/auth` refused, so that the operation was never sent. */
  sent: Schema.Boolean,
  ...response
}) {
  /** A retry does not help. */
  readonly isRetryable = false
  override get message() {
    return this.sent
      ? "The service refused the operation with 401: check the rights of the account, the merchant key and the secret"
      : "The service refused the credentials, and the operation was not sent: check the merchant key, the secret and that both belong to this base URL"
  }
}

/**
 * Error raised when a new payment, payout, refund or subscription is FAILED.
 *
 * @category errors
 * @since 0.1.0
 */
export class Declined extends printed<Declined>()("Declined", {
  /** requestId of the create. */
  requestId: Schema.optionalKey(Schema.String),
  /** Identifier of the payment or payout. */
  transactionId: Schema.optionalKey(Schema.String),
  /** Identifier of the refund. */
  refundId: Schema.optionalKey(Schema.String),
  /** Identifier of the subscription, which may charge at its next date. */
  subscriptionId: Schema.optionalKey(Schema.String),
  /** Numeric reason of the service; its values are not documented (`spec.md`, "Errors"). */
  declineCode: Schema.optionalKey(Schema.Int),
  /** Second reason; its values are not documented. */
  declineSubReason: Schema.optionalKey(Schema.String),
  /** The whole response. The client makes it a property that is not printed. */
  response: Schema.ObjectKeyword,
  ...received
}) {
  /** A retry does not help. */
  readonly isRetryable = false
  override get message() {
    const code =
      this.declineCode === undefined
        ? "without a decline code"
        : `with decline code ${this.declineCode}`
    const id = this.transactionId ?? this.refundId ?? this.subscriptionId ?? "without an id"
    return `Transaction ${clean(id)} was declined ${code}`
  }
}

/**
 * Error raised when the service rejected a payment intent.
 *
 * @category errors
 * @since 0.1.0
 */
export class IntentRejected extends printed<IntentRejected>()("IntentRejected", {
  /** requestId of the create. */
  requestId: Schema.String,
  /** Reason; its values are not documented (`spec.md`, "Payment intents"). */
  errorCode: Schema.String,
  ...received
}) {
  /** A retry does not help. */
  readonly isRetryable = false
  override get message() {
    return `Intent ${this.requestId} was rejected with error code ${clean(this.errorCode)}`
  }
}

/**
 * Schema for the fault in one field of a request.
 *
 * @category models
 * @since 0.1.0
 */
export const FieldFault = Schema.Struct({
  /** Path of the field, such as `plan.amount`; empty if no field is named. */
  path: Schema.String,
  /** Says what is wrong, without the value. */
  message: Schema.String
})

/**
 * Error raised when a request is invalid. It names fields, never values.
 *
 * @category errors
 * @since 0.1.0
 */
export class ValidationFailed extends printed<ValidationFailed>()("ValidationFailed", {
  /** True if the service refused the request with 400, false if the client refused it before sending. */
  sent: Schema.Boolean,
  /** The invalid fields. */
  fields: Schema.Array(FieldFault),
  ...response
}) {
  /** A retry does not help. */
  readonly isRetryable = false
  override get message() {
    const by = this.sent
      ? "The service refused the request"
      : "The request was refused before sending"
    return withFaults(by, this.fields)
  }
}

const tries = ({ attempts }: { readonly attempts: number }): string =>
  `${attempts} attempt${attempts === 1 ? "" : "s"}`

const withFaults = (text: string, fields: ReadonlyArray<typeof FieldFault.Type> = []): string =>
  [
    text,
    ...fields.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`))
  ].join("; ")

/**
 * Error raised when the service does not know the resource (404).
 *
 * @category errors
 * @since 0.1.0
 */
export class NotFound extends printed<NotFound>()("NotFound", response) {
  /** A retry does not help. */
  readonly isRetryable = false
  override readonly message = "The service does not know this resource"
}

/**
 * Error raised when the response to the last attempt was 5xx, 408 or 425.
 *
 * @category errors
 * @since 0.1.0
 */
export class ServiceFailed extends printed<ServiceFailed>()("ServiceFailed", {
  ...response,
  /** HTTP status of the response. */
  status: Schema.Int,
  ...counted,
  ...delivered,
  /** Reasons of the service, if its body has any. */
  fields: Schema.optionalKey(Schema.Array(FieldFault))
}) {
  /** The same call may succeed later. */
  readonly isRetryable = true
  override get message() {
    return withFaults(
      `${notSent(this)}The service failed with ${this.status} after ${tries(this)}`,
      this.fields
    )
  }
}

/**
 * Error raised when the response to the last attempt was 429.
 *
 * @category errors
 * @since 0.1.0
 */
export class RateLimited extends printed<RateLimited>()("RateLimited", {
  /** Minimum time until the next call, in milliseconds. */
  retryAfter: Schema.optionalKey(Schema.Finite),
  ...counted,
  ...delivered,
  ...response
}) {
  /** The same call may succeed later. */
  readonly isRetryable = true
  override get message() {
    const wait = this.retryAfter === undefined ? "" : `: call again in ${this.retryAfter} ms`
    return `${notSent(this)}The service limits the rate of calls${wait}`
  }
}

/**
 * Error raised when no response arrived: the connection failed, broke or timed out.
 *
 * @category errors
 * @since 0.1.0
 */
export class Unreachable extends printed<Unreachable>()("Unreachable", {
  /** Failure of the connection, in words. */
  reason: Schema.String,
  /** False if the request cannot have reached the service. */
  sent: Schema.Boolean,
  ...counted
}) {
  /** The same call may succeed later. */
  readonly isRetryable = true
  override get message() {
    // A durable request without an attempt of this call may have been sent by another one.
    return this.attempts === 0
      ? `The outcome could not be read (${this.reason})`
      : `The service could not be reached (${this.reason}) after ${tries(this)}`
  }
}

/**
 * Error raised when a response is outside the specification: a redirect, an unlisted HTTP status, or a
 * body that is too large or cannot be decoded.
 *
 * @category errors
 * @since 0.1.0
 */
export class UnexpectedResponse extends printed<UnexpectedResponse>()("UnexpectedResponse", {
  ...response,
  /** HTTP status of the response. */
  status: Schema.Int,
  /** Why the response cannot be used. */
  reason: Schema.String,
  ...delivered,
  /** Reasons of the service, if its body has any. */
  fields: Schema.optionalKey(Schema.Array(FieldFault))
}) {
  /** A retry does not help. */
  readonly isRetryable = false
  override get message() {
    return withFaults(
      `${notSent(this)}The service answered ${this.status}, but ${this.reason}`,
      this.fields
    )
  }
}

const Failed = Schema.Union([
  Unauthorized,
  ValidationFailed,
  NotFound,
  ServiceFailed,
  RateLimited,
  Unreachable,
  UnexpectedResponse
])

/**
 * Error raised when the client cannot know whether a create took effect. Call again with the same
 * `requestId`, the same fields and `inDoubt: true`: the service returns the original response, and nothing
 * is processed twice.
 *
 * @category errors
 * @since 0.1.0
 */
export class OutcomeUnknown extends printed<OutcomeUnknown>()("OutcomeUnknown", {
  /** requestId of the create. */
  requestId: Schema.String,
  /**
   * Last failure after which the create may have taken effect, in this or an earlier call; `refusal` if
   * only `inDoubt` tells of the doubt.
   */
  cause: Failed,
  /**
   * Error of the last attempt, if it left no doubt by itself. It does not end the doubt: a proxy answers
   * 404 too.
   */
  refusal: Schema.optionalKey(Failed),
  /** Number of calls that the service refused, from the second one on. */
  refusals: Schema.optionalKey(Schema.Int),
  ...response
}) {
  /** Call again with `inDoubt: true`. */
  readonly isRetryable = true
  override get message() {
    const { cause, refusal, refusals, requestId } = this
    const advice =
      refusals === undefined
        ? "call again with the same requestId"
        : `${refusals} calls with this requestId were refused, so ask the service whether it exists`
    const then = refusal === undefined || refusal === cause ? "" : `; then: ${refusal.message}`
    return `Request ${requestId} may have taken effect: ${advice}. ${cause.message}${then}`
  }
}

/**
 * The errors of a read.
 *
 * @category errors
 * @since 0.1.0
 */
export type ReadError = typeof Failed.Type

/**
 * A `Declined` with the typed response of its operation.
 *
 * @category errors
 * @since 0.1.0
 */
export type DeclinedAs<Response> = Declined & { readonly response: Response }

/**
 * The errors of a create.
 *
 * @category errors
 * @since 0.1.0
 */
export type CreateError<Response = unknown> = ReadError | DeclinedAs<Response> | OutcomeUnknown
