/**
 * The subjects of the laws of a receiver, and the requests to them.
 */
import { keyed } from "@pawl/core/PortableHmac"
import type { Method } from "@pawl/core/Kind"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type * as Redacted from "effect/Redacted"
import type { Law } from "../../../Laws.ts"
import { type CallbackRequest, toRequest } from "./CallbackRequest.ts"
import type { ReceiverCase } from "./Case.ts"
import type { Service } from "./Service.ts"

/**
 * A receiver that answers callbacks.
 *
 * - `secret`: the merchant secret that verifies callbacks.
 * - `send`: sends the receiver one request.
 * - `url`: the URL of the receiver; `http://localhost/callback` by default.
 * - `sleep`: waits a number of milliseconds, in real time by default. A virtual clock first completes pending work.
 * - `settleTimeout`: the time until the receiver reports the service's status; 5 seconds by default.
 */
export interface Answering {
  readonly secret: Redacted.Redacted
  readonly send: (request: Request) => Response | PromiseLike<Response>
  readonly url?: string | undefined
  readonly sleep?: ((millis: number) => PromiseLike<unknown>) | undefined
  readonly settleTimeout?: Duration.Input | undefined
}

/**
 * A receiver that also reports the status of a transaction.
 *
 * - `status`: returns the reported status, or nothing for an unknown transaction.
 * - `service`: the service that the receiver reads from.
 */
export interface Reporting extends Answering {
  readonly status: (
    method: Method,
    transactionId: string
  ) => string | null | undefined | PromiseLike<string | null | undefined>
  readonly service: Service
}

/** A law of a receiver, checked on cases. */
export type ReceiverLaw<Subject extends Answering> = Law<Subject, ReceiverCase>

/** Error raised when a receiver breaks a law; `message` describes the failure. */
export class ReceiverWrong extends Data.TaggedError("ReceiverWrong")<{
  readonly message: string
}> {}

/** The parts of a response that the laws check. */
export interface ReceiverResponse {
  readonly status: number
  readonly body: string
}

export const sleep = ({ sleep }: Answering, millis: number): Effect.Effect<unknown> =>
  sleep === undefined ? Effect.sleep(Duration.millis(millis)) : Effect.promise(() => sleep(millis))

/** Milliseconds that the service waits for a response to a callback. */
const responseTimeout = 10_000

/** Sends a callback and returns the response. Fails if none arrives within 10 seconds. */
export const send = (
  subject: Answering,
  callback: CallbackRequest
): Effect.Effect<ReceiverResponse, ReceiverWrong> =>
  Effect.raceFirst(
    Effect.tryPromise({
      try: () =>
        Promise.resolve(
          subject.send(toRequest(keyed(subject.secret), subject.url ?? localhost, callback))
        ).then((response) => response.text().then((body) => ({ status: response.status, body }))),
      catch: (error) => new ReceiverWrong({ message: `no response arrived: ${wordsOf(error)}` })
    }),
    Effect.flatMap(sleep(subject, responseTimeout), () =>
      Effect.fail(new ReceiverWrong({ message: "no response arrived within 10 seconds" }))
    )
  )

/** The codes of a connection that the other side closed. */
export const closed: ReadonlyArray<string> = ["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"]

/** Says why there is no response: a receiver that ended, or that broke on this request. */
const wordsOf = (error: unknown): string => {
  const code = codeOf(error)
  if (code === "ECONNREFUSED")
    return "nothing listens at the URL any more, so the receiver has ended"
  return closed.includes(code)
    ? `the receiver closed the connection without one, so it broke on this request (${reasonOf(error)})`
    : reasonOf(error)
}

/** Returns the code of the first cause of an error, such as ECONNREFUSED. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && error.cause !== undefined
    ? codeOf(error.cause)
    : Predicate.hasProperty(error, "code")
      ? String(error.code)
      : ""

/** Returns the message of the first cause of an error. */
export const reasonOf = (error: unknown): string =>
  error instanceof Error
    ? error.cause === undefined
      ? error.message
      : reasonOf(error.cause)
    : String(error)

const localhost = "http://localhost/callback"

/** Sends a callback, and fails unless the response has the expected HTTP status. */
export const expectStatus = (
  subject: Answering,
  callback: CallbackRequest,
  expected: number
): Effect.Effect<ReceiverResponse, ReceiverWrong> =>
  Effect.filterOrFail(
    send(subject, callback),
    ({ status }) => status === expected,
    ({ status }) => new ReceiverWrong({ message: `the response is ${status}, not ${expected}` })
  )
