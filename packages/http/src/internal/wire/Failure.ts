/** The failure of an attempt: whether a retry may help, and whether the request may have taken effect. */
import * as CreateProof from "@pawl/core/internal/CreateProof"
import type {
  ReadError,
  ServiceFailed,
  UnexpectedResponse,
  Unreachable
} from "@pawl/core/PaymentsError"

/** An error after which the request may have taken effect. */
export type Doubt = Unreachable | ServiceFailed | UnexpectedResponse

export interface AttemptFailure {
  readonly error: ReadError
  readonly transient: boolean
  /** The error, when the request may have taken effect. */
  readonly doubt: Doubt | undefined
  /** Least wait before a retry, in milliseconds. */
  readonly retryAfter: number | undefined
  /** Whether the request was sent; false when there was no access token. */
  readonly isSent: boolean
}

/** The last error of a call, and the latest doubt of all its attempts. */
export interface CallFailure {
  readonly error: ReadError
  readonly doubt: Doubt | undefined
}

/** Makes the failure of an attempt; `retryAfter` is in milliseconds. */
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
 * The failure of a create, by `CreateProof`. After a 409 or 423 it is retried: the service may be
 * processing its requestId.
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

export const finalFailure = (error: ReadError): AttemptFailure => ({
  error,
  transient: false,
  doubt: undefined,
  retryAfter: undefined,
  isSent: false
})

/** A refusal leaves no doubt. A success that cannot be read does. */
const isDoubt = (error: ReadError): error is Doubt =>
  error._tag === "ServiceFailed" ||
  (error._tag === "Unreachable" && error.sent) ||
  (error._tag === "UnexpectedResponse" && (error.status < 300 || error.status >= 500))

export const isTransient = ({ transient }: AttemptFailure): boolean => transient

export const isInDoubt = ({ doubt }: AttemptFailure): boolean => doubt !== undefined

/** The connection failed before the request was sent, or the service answered 429. */
export const hadNoEffect = ({ error, isSent }: AttemptFailure): boolean =>
  isSent && (error._tag === "RateLimited" || (error._tag === "Unreachable" && !error.sent))
