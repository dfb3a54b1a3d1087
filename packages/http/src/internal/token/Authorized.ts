/**
 * Sends a request with an access token, and once more after a 401. `Renewals` decides when a 401 leads to a
 * request for a new token.
 */
import { Unauthorized, Unreachable } from "@pawl/core/PaymentsError"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { AccessToken, Token } from "./AccessToken.ts"
import type * as Transport from "../../Transport.ts"
import * as Attempts from "../call/Attempts.ts"
import * as ErrorResponse from "../wire/ErrorResponse.ts"
import * as Failure from "../call/Failure.ts"
import type { Operation } from "../wire/Operation.ts"
import type { Renewals } from "./Renewals.ts"

/** One call of an operation: its request without an access token, and the rules of its attempts. */
export interface Call<A> extends Attempts.Rules {
  readonly operation: Operation<A>
  readonly request: Transport.Request
  /** Changes the failure of an attempt, as the kind of the call requires. */
  readonly classify: (failure: Failure.AttemptFailure) => Failure.AttemptFailure
  /** The number of requests of the call that may have left. */
  requests: number
}

/** A request that was sent already, with its token and its result. */
export interface SentWith {
  readonly token: Token
  readonly sent: Attempts.Sent
}

/** Adds an access token to a request. */
export const authorize = (request: Transport.Request, { text }: Token): Transport.Request => ({
  method: request.method,
  url: request.url,
  headers: { ...request.headers, authorization: `Bearer ${Redacted.value(text)}` },
  body: request.body
})

/** Sends the request of an attempt. `total` is the time to the deadline of the call, in milliseconds. */
export type Send = (call: Call<unknown>, request: Transport.Request, total: number) => Attempts.Sent

/**
 * Makes a function that sends the request of a call and returns a 2xx response. With `first` the request was
 * sent already, so that only its result is handled.
 */
export const make = (tokens: AccessToken["Service"], renewals: Renewals, send: Send) => {
  const getToken = (
    call: Call<unknown>,
    { number, remaining }: Attempts.Attempt
  ): Effect.Effect<Token, Failure.AttemptFailure> =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const held = tokens.peek(now)
      return held !== undefined
        ? Effect.succeed(held)
        : Effect.mapError(requestToken(number, remaining), (error) =>
            Failure.finalFailure(
              error._tag === "Unauthorized"
                ? new Unauthorized({
                    ...ErrorResponse.partsOfError(error),
                    sent: call.requests > 0
                  })
                : error
            )
          )
    })

  const requestToken = (attempts: number, remaining: Attempts.Attempt["remaining"]) =>
    Effect.flatMap(Clock.monotonicTimeNanos, (now) =>
      renewals.mayAsk(now)
        ? tokens.get.pipe(
            Effect.timeoutOrElse({
              duration: remaining(),
              orElse: () =>
                Effect.fail(
                  new Unreachable({ reason: "no access token in time", sent: false, attempts })
                )
            }),
            Effect.tapErrorTag("Unauthorized", () =>
              Effect.map(Clock.monotonicTimeNanos, renewals.authRefused)
            )
          )
        : Effect.fail(new Unauthorized({ sent: false }))
    )

  const sendWith = (
    call: Call<unknown>,
    token: Token,
    attempt: Attempts.Attempt,
    sent?: Attempts.Sent
  ): Effect.Effect<Transport.Response, Failure.AttemptFailure> => {
    if (sent === undefined) {
      if (attempt.isLate()) return Effect.fail(tooLate(attempt))
      call.requests++
    }
    const request = authorize(call.request, token)
    return Effect.map(
      Attempts.requireSuccess(request, sent ?? send(call, request, attempt.remaining()), attempt),
      (response) => {
        renewals.succeeded(call.operation.name, token)
        return response
      }
    )
  }

  const afterRefusal = Effect.fnUntraced(function* (operation: string, token: Token) {
    const now = yield* Clock.monotonicTimeNanos
    const held = tokens.peek(yield* Clock.currentTimeMillis)
    const next = renewals.afterRefusal(operation, token, held, now)
    if (next === "renew") yield* tokens.drop(token)
    return next
  })

  return (
    call: Call<unknown>,
    attempt: Attempts.Attempt,
    first?: SentWith
  ): Effect.Effect<Transport.Response, Failure.AttemptFailure> => {
    const { name } = call.operation
    return Effect.flatMap(
      first === undefined ? getToken(call, attempt) : Effect.succeed(first.token),
      (token) =>
        Effect.catchIf(sendWith(call, token, attempt, first?.sent), isUnauthorized, (failure) =>
          Effect.flatMap(afterRefusal(name, token), (next) =>
            next === "fail"
              ? Effect.fail(failure)
              : Effect.flatMap(getToken(call, attempt), (fresh) =>
                  Effect.tapError(sendWith(call, fresh, attempt), (error) =>
                    isUnauthorized(error)
                      ? Effect.map(Clock.monotonicTimeNanos, (now) => renewals.refused(name, now))
                      : Effect.void
                  )
                )
          )
        )
    )
  }
}

const tooLate = ({ number }: Attempts.Attempt): Failure.AttemptFailure =>
  Failure.finalFailure(
    new Unreachable({
      reason: "the time in which the request may be sent is over",
      sent: false,
      attempts: number - 1
    })
  )

const isUnauthorized = ({ error }: Failure.AttemptFailure): boolean => error._tag === "Unauthorized"
