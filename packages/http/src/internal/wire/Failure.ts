/**
 * The failure of an attempt: whether a retry may help, and whether the request may have taken effect.
 */
import * as CreateProof from "@pawl/core/internal/CreateProof"
import type {
  ReadError,
  ServiceFailed,
  UnexpectedResponse,
  Unreachable
} from "@pawl/core/PaymentsError"

/** An error after which the request may have taken effect. */
export type Doubt = Unreachable | ServiceFailed | UnexpectedResponse

/**
 * The failure of one attempt.
 *
 * - `transient`: a retry may help.
 * - `doubt`: the error, when the request may have taken effect.
 * - `retryAfter`: the least wait before a retry, in milliseconds.
 * - `isSent`: false when there was no access token, so that the request was not sent.
 */
export interface AttemptFailure {
  readonly error: ReadError
  readonly transient: boolean
  readonly doubt: Doubt | undefined
  readonly retryAfter: number | undefined
  readonly isSent: boolean
}

/** The failure of a call: the error of its last attempt, and the latest doubt of all its attempts. */
export interface CallFailure {
  readonly error: ReadError
  readonly doubt: Doubt | undefined
}

/** Makes the failure of an attempt from its error. `retryAfter` is in milliseconds. */
export const toFailure = (error: ReadError, retryAfter?: number): AttemptFailure => {
  const doubt = isDoubt(error) ? error : undefined
  return {
    error,
    transient: error.isRetryable || doubt !== undefined,
    doubt,
    retryAfter,
    isSent: true
  }
}

/**
 * Makes the failure of an attempt of a create: its status may leave a doubt (`CreateProof`). After a 409 or 423 the request is
 * sent again, because the service may be processing its requestId right now.
 */
export const ofCreate = (
  failure: AttemptFailure,
  profile: Parameters<typeof CreateProof.ofStatus>[1]
): AttemptFailure => {
  const { doubt, error, isSent } = failure
  if (!isSent || doubt !== undefined || error._tag !== "UnexpectedResponse") return failure
  return CreateProof.ofStatus(error.status, profile) === "no-effect"
    ? failure
    : { ...failure, doubt: error, transient: error.status === 409 || error.status === 423 }
}

/** Makes a failure without retry: the request was not sent. */
export const finalFailure = (error: ReadError): AttemptFailure => ({
  error,
  transient: false,
  doubt: undefined,
  retryAfter: undefined,
  isSent: false
})

/** Tells whether an error leaves a doubt. A refusal, documented or not, leaves none. A success that cannot be read does. */
export const isDoubt = (error: ReadError): error is Doubt =>
  error._tag === "ServiceFailed" ||
  (error._tag === "Unreachable" && error.sent) ||
  (error._tag === "UnexpectedResponse" && (error.status < 300 || error.status >= 500))

/** Returns whether a retry may help. */
export const isTransient = ({ transient }: AttemptFailure): boolean => transient

/** Returns whether the request may have taken effect. */
export const isInDoubt = ({ doubt }: AttemptFailure): boolean => doubt !== undefined

/**
 * Returns whether a request surely had no effect: the connection failed before it was sent, or the service limits
 * the rate of requests and refused it with 429.
 */
export const hadNoEffect = ({ error, isSent }: AttemptFailure): boolean =>
  isSent && (error._tag === "RateLimited" || (error._tag === "Unreachable" && !error.sent))
