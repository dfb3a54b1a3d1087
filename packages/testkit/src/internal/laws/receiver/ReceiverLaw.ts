/** The subjects of the laws of a receiver. */
import { keyed } from "@pawl/core/Hmac"
import { BodyBuffer } from "@pawl/core/internal/BodyBuffer"
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

/** A receiver that answers callbacks. */
export interface Answering {
  /** The merchant secret that verifies callbacks. */
  readonly secret: Redacted.Redacted
  /** Sends the receiver one request. */
  readonly send: (request: Request) => Response | PromiseLike<Response>
  /** Its URL; `http://localhost/callback` by default. */
  readonly url?: string | undefined
  /** Waits milliseconds, in real time by default. A virtual clock first completes pending work. */
  readonly sleep?: ((millis: number) => PromiseLike<unknown>) | undefined
  /** The time until it reports the service's status; 5 seconds by default. */
  readonly settleTimeout?: Duration.Input | undefined
}

/** A receiver that also reports the status of a transaction. */
export interface Reporting extends Answering {
  /** Returns the reported status, or nothing for an unknown transaction. */
  readonly status: (
    method: Method,
    transactionId: string
  ) => string | null | undefined | PromiseLike<string | null | undefined>
  /** The service that it reads from. */
  readonly service: Service
}

export type ReceiverLaw<Subject extends Answering> = Law<Subject, ReceiverCase>

export class ReceiverWrong extends Data.TaggedError("ReceiverWrong")<{
  readonly message: string
  /** Tells that it was waited for in real time, so the case is not shrunk. */
  readonly isHanging?: boolean
  readonly cause?: unknown
}> {
  override readonly stack = ""
}

export interface ReceiverResponse {
  readonly status: number
  readonly body: string
}

export const sleep = ({ sleep }: Answering, millis: number): Effect.Effect<unknown> =>
  sleep === undefined ? Effect.sleep(Duration.millis(millis)) : Effect.promise(() => sleep(millis))

const responseTimeout = 10_000

const maxResponseBytes = 1_000_000

/** Reads the text of a response. Rejects if it is too long, as an endless one is. */
export const textOf = ({ body }: Response): Promise<string> => {
  const bytes = new BodyBuffer(maxResponseBytes)
  const reader = body?.getReader()
  const rest = (): Promise<string> =>
    reader === undefined
      ? Promise.resolve("")
      : reader.read().then(({ done, value }) => {
          if (done) return new TextDecoder().decode(bytes.bytes)
          if (bytes.add(value)) return rest()
          const message = `the response is longer than ${maxResponseBytes / 1_000_000} MB`
          return reader.cancel().then(() => Promise.reject(new ReceiverWrong({ message })))
        })
  return rest()
}

/** Fails if no response arrives within 10 seconds, and closes its connection. */
export const send = (
  subject: Answering,
  callback: CallbackRequest
): Effect.Effect<ReceiverResponse, ReceiverWrong> =>
  Effect.raceFirst(
    Effect.tryPromise({
      try: (signal) =>
        Promise.resolve(
          subject.send(toRequest(keyed(subject.secret), subject.url ?? localhost, callback, signal))
        ).then((response) => textOf(response).then((body) => ({ status: response.status, body }))),
      catch: (error) =>
        error instanceof ReceiverWrong
          ? error
          : new ReceiverWrong({
              message: `no response arrived: ${wordsOf(error)}`,
              cause: error
            })
    }),
    Effect.flatMap(sleep(subject, responseTimeout), () =>
      Effect.fail(
        new ReceiverWrong({
          message: "no response arrived within 10 seconds",
          isHanging: subject.sleep === undefined
        })
      )
    )
  )

export const closed: ReadonlyArray<string> = ["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"]

const wordsOf = (error: unknown): string => {
  const code = codeOf(error)
  if (code === "ECONNREFUSED")
    return "nothing listens at the URL any more, so the receiver has ended"
  return closed.includes(code)
    ? `the receiver closed the connection without one, so it broke on this request (${reasonOf(error)})`
    : reasonOf(error)
}

export const codeOf = (error: unknown): string =>
  error instanceof Error && error.cause !== undefined
    ? codeOf(error.cause)
    : Predicate.hasProperty(error, "code")
      ? String(error.code)
      : ""

export const reasonOf = (error: unknown): string =>
  error instanceof Error
    ? error.cause === undefined
      ? error.message
      : reasonOf(error.cause)
    : String(error)

const localhost = "http://localhost/callback"

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
