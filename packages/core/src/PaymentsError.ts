/**
 * The errors of calls to the service. They are flat and tagged for `Effect.catchTag`.
 *
 * **Details**
 *
 * Every error that has a response has its HTTP `status` and, if the service sent one, its own id of the request in
 * `serviceRequestId`. `isRetryable` tells whether the same call can succeed later. No error contains a secret, access
 * token, checksum or card number. Response bodies are redacted.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { printed } from "./internal/Printed.ts"

/** The number of requests that were sent. */
const attempts = Schema.Int

/**
 * The HTTP status of a response, and the service's own id of the request from a header such as `x-request-id`.
 * Both are absent when no response arrived.
 */
const received = {
  status: Schema.optionalKey(Schema.Int),
  serviceRequestId: Schema.optionalKey(Schema.String)
}

/**
 * False if the request for an access token ended so: the operation was not sent by this attempt. Absent if the operation
 * itself did.
 */
const sent = Schema.optionalKey(Schema.Boolean)

const notSent = ({ sent }: { readonly sent?: boolean }): string =>
  sent === false ? "The operation was not sent, because it needs an access token. " : ""

/** The parts of a response that identify it, with its redacted body. */
const response = {
  body: Schema.optionalKey(Schema.Redacted(Schema.String)),
  ...received
}

/**
 * Error raised when the service refused the credentials or the access token (401). If it persists for every
 * operation, the credentials are wrong or the account is revoked (`spec.md`, "Authentication"). If it persists
 * for one operation, the account may not have the right to it.
 *
 * **Details**
 *
 * `sent` is false if only `/auth` refused, so that the operation itself was never sent.
 *
 * @category errors
 * @since 0.1.0
 */
export class Unauthorized extends printed(
  "Unauthorized",
  Schema.TaggedError<Unauthorized>("@pawl/core/Unauthorized")("Unauthorized", {
    sent: Schema.Boolean,
    ...response
  })
) {
  readonly isRetryable = false
  override get message() {
    return this.sent
      ? "The service refused the operation with 401: check the rights of the account, the merchant key and the secret"
      : "The service refused the credentials, and the operation was not sent: check the merchant key, the secret and that both belong to this base URL"
  }
}

/**
 * Error raised when a new payment, payout, refund or subscription is FAILED. It carries the whole response.
 *
 * **Details**
 *
 * The operation decides which of `transactionId`, `refundId` and `subscriptionId` is present. `declineCode` is the
 * numeric reason of the service; its values are not documented (`spec.md`, "Errors").
 *
 * @category errors
 * @since 0.1.0
 */
export class Declined extends printed(
  "Declined",
  Schema.TaggedError<Declined>("@pawl/core/Declined")("Declined", {
    requestId: Schema.optionalKey(Schema.String),
    transactionId: Schema.optionalKey(Schema.String),
    refundId: Schema.optionalKey(Schema.String),
    subscriptionId: Schema.optionalKey(Schema.String),
    declineCode: Schema.optionalKey(Schema.Int),
    declineSubReason: Schema.optionalKey(Schema.String),
    response: Schema.ObjectKeyword,
    ...received
  })
) {
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
 * Error raised when the service rejected a payment intent. `errorCode` is the reason; its values are not
 * documented (`spec.md`, "Payment intents").
 *
 * @category errors
 * @since 0.1.0
 */
export class IntentRejected extends printed(
  "IntentRejected",
  Schema.TaggedError<IntentRejected>("@pawl/core/IntentRejected")("IntentRejected", {
    requestId: Schema.String,
    errorCode: Schema.String,
    ...received
  })
) {
  readonly isRetryable = false
  override get message() {
    return `Intent ${this.requestId} was rejected with error code ${this.errorCode}`
  }
}

/**
 * Schema for the fault in one field of a request: the path of the field and a message.
 *
 * @category models
 * @since 0.1.0
 */
export const FieldFault = Schema.Struct({ path: Schema.String, message: Schema.String })

/**
 * Error raised when a request is invalid. The client refused it before sending (`sent` is false), or the
 * service refused it with 400. It names fields, never values.
 *
 * @category errors
 * @since 0.1.0
 */
export class ValidationFailed extends printed(
  "ValidationFailed",
  Schema.TaggedError<ValidationFailed>("@pawl/core/ValidationFailed")("ValidationFailed", {
    sent: Schema.Boolean,
    fields: Schema.Array(FieldFault),
    ...response
  })
) {
  readonly isRetryable = false
  override get message() {
    const by = this.sent
      ? "The service refused the request"
      : "The request was refused before sending"
    return withFaults(by, this.fields)
  }
}

/** Adds the faults of fields to a message. */
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
export class NotFound extends printed(
  "NotFound",
  Schema.TaggedError<NotFound>("@pawl/core/NotFound")("NotFound", response)
) {
  readonly isRetryable = false
  override readonly message = "The service does not know this resource"
}

/**
 * Error raised when the response to the last attempt was 5xx, 408 or 425. `fields` has the reasons of the
 * service, if its body has any. `sent` is false if `/auth` answered so, and the operation was not sent.
 *
 * @category errors
 * @since 0.1.0
 */
export class ServiceFailed extends printed(
  "ServiceFailed",
  Schema.TaggedError<ServiceFailed>("@pawl/core/ServiceFailed")("ServiceFailed", {
    ...response,
    status: Schema.Int,
    attempts,
    sent,
    fields: Schema.optionalKey(Schema.Array(FieldFault))
  })
) {
  readonly isRetryable = true
  override get message() {
    return withFaults(
      `${notSent(this)}The service failed with ${this.status}, ${this.attempts} attempts made`,
      this.fields
    )
  }
}

/**
 * Error raised when the response to the last attempt was 429. `retryAfter` is in milliseconds. `sent` is false if `/auth`
 * answered so, and the operation was not sent.
 *
 * @category errors
 * @since 0.1.0
 */
export class RateLimited extends printed(
  "RateLimited",
  Schema.TaggedError<RateLimited>("@pawl/core/RateLimited")("RateLimited", {
    retryAfter: Schema.optionalKey(Schema.Finite),
    attempts,
    sent,
    ...response
  })
) {
  readonly isRetryable = true
  override get message() {
    const wait = this.retryAfter === undefined ? "" : `: call again in ${this.retryAfter} ms`
    return `${notSent(this)}The service limits the rate of calls${wait}`
  }
}

/**
 * Error raised when no response arrived: the connection failed, broke or timed out.
 *
 * **Details**
 *
 * `sent` is false if the request cannot have reached the service.
 *
 * @category errors
 * @since 0.1.0
 */
export class Unreachable extends printed(
  "Unreachable",
  Schema.TaggedError<Unreachable>("@pawl/core/Unreachable")("Unreachable", {
    reason: Schema.String,
    sent: Schema.Boolean,
    attempts
  })
) {
  readonly isRetryable = true
  override get message() {
    return `The service could not be reached (${this.reason}), ${this.attempts} attempts made`
  }
}

/**
 * Error raised when a response is outside the specification: a redirect, an unlisted HTTP status, or a body
 * that is too large or cannot be decoded. `fields` has the reasons of the service, if its body has any. `sent` is false if
 * `/auth` answered so, and the operation was not sent.
 *
 * @category errors
 * @since 0.1.0
 */
export class UnexpectedResponse extends printed(
  "UnexpectedResponse",
  Schema.TaggedError<UnexpectedResponse>("@pawl/core/UnexpectedResponse")("UnexpectedResponse", {
    ...response,
    status: Schema.Int,
    reason: Schema.String,
    sent,
    fields: Schema.optionalKey(Schema.Array(FieldFault))
  })
) {
  readonly isRetryable = false
  override get message() {
    return withFaults(
      `${notSent(this)}The service answered ${this.status}, but ${this.reason}`,
      this.fields
    )
  }
}

/** The errors of one call, apart from a doubt. */
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
 * Error raised when the client cannot know whether a create took effect. Call again with the same `requestId`,
 * the same fields and `inDoubt: true`: the service returns the original response, and nothing is processed twice.
 *
 * **Details**
 *
 * `cause` is the last failure after which the create may have taken effect, also in a later call. `refusal` is the
 * error of the last attempt, if that one left no doubt: a proxy that does not know the path answers 404 too, so a
 * refusal does not end the doubt. It is the cause as well if the client knows of the doubt by `inDoubt` alone.
 * `refusals` is the number of calls that the client saw refused, from the second one on. `body`, `status` and
 * `serviceRequestId` are those of the cause, or else of the refusal.
 *
 * @category errors
 * @since 0.1.0
 */
export class OutcomeUnknown extends printed(
  "OutcomeUnknown",
  Schema.TaggedError<OutcomeUnknown>("@pawl/core/OutcomeUnknown")("OutcomeUnknown", {
    requestId: Schema.String,
    cause: Failed,
    refusal: Schema.optionalKey(Failed),
    refusals: Schema.optionalKey(Schema.Int),
    ...response
  })
) {
  readonly isRetryable = true
  override get message() {
    const { cause, refusal, refusals, requestId } = this
    const advice =
      refusals === undefined
        ? "call again with the same requestId"
        : `${refusals} calls with this requestId were refused. A person has to ask the service whether it exists`
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
