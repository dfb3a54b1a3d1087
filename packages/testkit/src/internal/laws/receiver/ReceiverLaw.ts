/**
 * What is put to the test by the laws of a receiver, and how it is asked.
 *
 * @since 0.1.0
 */
import { keyed } from "@pawl/core/PortableHmac"
import type { Method } from "@pawl/core/Kind"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type { Law } from "../../../Laws.ts"
import type { Case } from "./Case.ts"
import { type Letter, toRequest } from "./Letter.ts"
import type { Service } from "./Service.ts"

/**
 * A receiver, by what it answers.
 *
 * - `secret`: the merchant secret that it verifies callbacks with.
 * - `send`: hands it one request.
 * - `url`: where it believes to be; `http://localhost/callback` unless given.
 * - `sleep`: lets time pass for it, in milliseconds; a virtual one first lets what is under way come to
 *   its end. Real time unless given.
 * - `patience`: how long it may take until it believes what it was told; 5 seconds unless given.
 *
 * @category models
 * @since 0.1.0
 */
export interface Answering {
  readonly secret: Redacted.Redacted
  readonly send: (request: Request) => Response | PromiseLike<Response>
  readonly url?: string | undefined
  readonly sleep?: ((millis: number) => PromiseLike<unknown>) | undefined
  readonly patience?: Duration.Input | undefined
}

/**
 * A receiver, by what it answers and what it believes.
 *
 * - `state`: the status that it believes a transaction has; nothing where it knows of none.
 * - `service`: the service that it reads from.
 *
 * @category models
 * @since 0.1.0
 */
export interface Believing extends Answering {
  readonly state: (
    method: Method,
    transactionId: string
  ) => string | null | undefined | PromiseLike<string | null | undefined>
  readonly service: Service
}

/**
 * A law of a receiver, tried on cases.
 *
 * @category models
 * @since 0.1.0
 */
export type ReceiverLaw<Subject extends Answering> = Law<Subject, Case>

/**
 * Error raised when a receiver does what it may not; `message` says what.
 *
 * @category errors
 * @since 0.1.0
 */
export class Wrong extends Data.TaggedError("Wrong")<{ readonly message: string }> {}

/**
 * An answer, as far as laws look at it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Answer {
  readonly status: number
  readonly body: string
}

/**
 * Lets time pass for a receiver.
 *
 * @category running
 * @since 0.1.0
 */
export const sleep = ({ sleep }: Answering, millis: number): Effect.Effect<unknown> =>
  sleep === undefined ? Effect.sleep(Duration.millis(millis)) : Effect.promise(() => sleep(millis))

/** The time that the courier of the sandbox gives a receiver. */
const answerTime = 10_000

/**
 * Sends a letter, and returns its answer; that none comes in 10 seconds is wrong.
 *
 * @category running
 * @since 0.1.0
 */
export const send = (subject: Answering, letter: Letter): Effect.Effect<Answer, Wrong> =>
  Effect.raceFirst(
    Effect.tryPromise({
      try: () =>
        Promise.resolve(
          subject.send(toRequest(keyed(subject.secret), subject.url ?? localhost, letter))
        ).then((response) => response.text().then((body) => ({ status: response.status, body }))),
      catch: (error) => new Wrong({ message: `no answer came: ${reason(error)}` })
    }),
    Effect.flatMap(sleep(subject, answerTime), () =>
      Effect.fail(new Wrong({ message: "no answer came within 10 seconds" }))
    )
  )

/**
 * Says why something failed, in the words of what it was caused by.
 *
 * @category conversions
 * @since 0.1.0
 */
export const reason = (error: unknown): string =>
  error instanceof Error
    ? error.cause === undefined
      ? error.message
      : reason(error.cause)
    : String(error)

const localhost = "http://localhost/callback"

/**
 * Sends a letter, and is content with one status alone.
 *
 * @category running
 * @since 0.1.0
 */
export const expectStatus = (
  subject: Answering,
  letter: Letter,
  expected: number
): Effect.Effect<Answer, Wrong> =>
  Effect.filterOrFail(
    send(subject, letter),
    ({ status }) => status === expected,
    ({ status }) => new Wrong({ message: `it is answered ${status}, not ${expected}` })
  )
