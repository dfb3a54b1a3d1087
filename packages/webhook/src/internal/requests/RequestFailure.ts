import * as CreateProof from "@pawl/core/internal/CreateProof"
import * as Json from "@pawl/core/internal/Json"
import {
  FieldFault,
  OutcomeUnknown,
  type ReadError,
  Unreachable,
  ValidationFailed
} from "@pawl/core/PaymentsError"
import type { Switches } from "@pawl/core/Profile"
import type { RequestError } from "@pawl/core/RequestSender"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

export type Failure = ReadError | OutcomeUnknown

export const isAnswer = (
  error: RequestError
): error is Extract<RequestError, { readonly _tag: "Declined" | "IntentRejected" }> =>
  error._tag === "Declined" || error._tag === "IntentRejected"

/** Nothing is sent without an access token. */
const mayBeSent = (error: Failure): boolean => !("sent" in error) || error.sent

/** Tells whether a request surely had no effect, if it was not in doubt before. */
export const hadNoEffect = (error: Failure, profile: Pick<Switches, "status422">): boolean => {
  if (!mayBeSent(error)) return true
  switch (error._tag) {
    case "Unauthorized":
    case "ValidationFailed":
    case "NotFound":
    case "RateLimited":
      return true
    case "UnexpectedResponse":
      return CreateProof.ofStatus(error.status, profile) === "no-effect"
    case "Unreachable":
    case "ServiceFailed":
    case "OutcomeUnknown":
      return false
  }
}

/** After 409 and 423 the same requestId may be in process. */
const isRefusalStatus = (status: number): boolean =>
  status >= 400 && status < 500 && status !== 409 && status !== 423

/** The error of the last attempt. */
const lastOf = (error: Failure): ReadError =>
  error._tag === "OutcomeUnknown" ? (error.refusal ?? error.cause) : error

const refusalIn = (error: Failure): ReadError | undefined => {
  const last = lastOf(error)
  const isRefusal =
    last._tag === "NotFound" ||
    last._tag === "ValidationFailed" ||
    (last._tag === "UnexpectedResponse" && isRefusalStatus(last.status))
  return isRefusal && mayBeSent(last) ? last : undefined
}

/**
 * Returns the refusal of the service, which names fields and no values. A refusal of the
 * credentials is left out.
 */
export const reasonOf = (error: Failure): string | undefined => {
  const refusal = refusalIn(error)
  return refusal && refusal.message.slice(0, maxReason)
}

const maxReason = 500

/** Returns how long the service asks to wait, in milliseconds. */
export const retryAfter = (error: Failure): number => {
  const last = lastOf(error)
  return last._tag === "RateLimited" ? (last.retryAfter ?? 0) : 0
}

const Stored = Schema.Struct({
  status: Schema.optionalKey(Schema.Int),
  fields: Schema.Array(FieldFault)
})
const decode = Schema.decodeUnknownResult(Stored)

export const encode = ({ fields, status }: ValidationFailed): string =>
  JSON.stringify({ status, fields })

export const fromText = (text: string): ValidationFailed => {
  const { fields, status } = Result.getOrElse(
    Result.flatMap(Json.fromText(text), decode),
    (): typeof Stored.Type => ({ fields: [] })
  )
  return new ValidationFailed({ sent: true, fields, ...(status !== undefined && { status }) })
}

export const unknown = (requestId: string, reason: string): OutcomeUnknown =>
  new OutcomeUnknown({
    requestId,
    cause: new Unreachable({ reason, sent: true, attempts: 0 })
  })

export const inDoubt = (requestId: string, error: Failure): OutcomeUnknown =>
  error._tag === "OutcomeUnknown" ? error : new OutcomeUnknown({ requestId, cause: error })
