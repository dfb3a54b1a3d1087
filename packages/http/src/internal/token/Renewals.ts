/**
 * Sends a request with an access token, and once more after a 401.
 *
 * **Details**
 *
 * A 401 to the current token drops it and causes one request to `/auth`, with three exceptions:
 *
 * - The token was replaced meanwhile: the new one is used.
 * - The same operation was refused with a new token within `cooldown`: another token does not help it.
 * - No operation has succeeded with the token, and an earlier 401 caused a request within `cooldown`.
 *
 * After `/auth` refused the credentials, it is not asked again within `cooldown`.
 */
import { Unauthorized } from "@pawl/core/PaymentsError"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Transport from "../../Transport.ts"
import * as Attempts from "../wire/Attempts.ts"
import * as Failure from "../wire/Failure.ts"
import * as ErrorResponse from "../wire/ErrorResponse.ts"
import type { AccessToken, Token } from "./AccessToken.ts"

type Renewals = ReturnType<typeof make>

/** Makes the state of the renewals, with times in nanoseconds of the monotonic clock. */
export const make = (cooldown: bigint) => {
  const operationsEnd = new Map<string, bigint>()
  let confirmed: Token | undefined
  let renewalEnd = 0n
  let authEnd = 0n
  return {
    succeeded: (operation: string, token: Token): void => {
      confirmed = token
      if (operationsEnd.size > 0) operationsEnd.delete(operation)
    },
    /** Records that an operation was refused with a new token. */
    refused: (operation: string, now: bigint): void => {
      operationsEnd.set(operation, now + cooldown)
    },
    authRefused: (now: bigint): void => {
      authEnd = now + cooldown
    },
    mayAsk: (now: bigint): boolean => now >= authEnd,
    /** Returns what to do after a 401 to `token`, while `cached` is the current one. */
    afterRefusal: (
      operation: string,
      token: Token,
      cached: Token | undefined,
      now: bigint
    ): "retry" | "renew" | "fail" => {
      if (cached !== token) return "retry"
      if (now < (operationsEnd.get(operation) ?? 0n)) return "fail"
      if (token !== confirmed && now < renewalEnd) return "fail"
      renewalEnd = now + cooldown
      return "renew"
    }
  }
}

export interface Call {
  readonly operation: { readonly name: string }
  readonly request: Transport.Request
  /** Number of requests that may have left. */
  requests: number
}

type Decode<A> = (response: Transport.Response) => Effect.Effect<A, Failure.AttemptFailure>

/** Makes a function that sends the request of a call in an attempt. */
export const sender = <C extends Call>(
  tokens: AccessToken["Service"],
  renewals: Renewals,
  send: (call: C, request: Transport.Request, attempt: Attempts.Attempt) => Attempts.Sent
) => {
  const requestToken = (
    call: C,
    { number, remaining }: Attempts.Attempt
  ): Effect.Effect<Token, Failure.AttemptFailure> =>
    Effect.flatMap(Clock.monotonicTimeNanos, (now) =>
      renewals.mayAsk(now)
        ? tokens.get.pipe(
            Effect.timeoutOrElse({
              duration: remaining(),
              orElse: () => Attempts.unreachable("no access token in time", false, number)
            }),
            Effect.tapErrorTag("Unauthorized", () =>
              Effect.map(Clock.monotonicTimeNanos, renewals.authRefused)
            )
          )
        : Effect.fail(new Unauthorized({ sent: false }))
    ).pipe(
      Effect.mapError((error) =>
        Failure.finalFailure(
          error._tag === "Unauthorized"
            ? new Unauthorized({ ...ErrorResponse.partsOfError(error), sent: call.requests > 0 })
            : error
        )
      )
    )

  const sendWithToken = <A>(
    call: C,
    attempt: Attempts.Attempt,
    decode: Decode<A>,
    afterUnauthorized: (
      failure: Failure.AttemptFailure,
      token: Token
    ) => Effect.Effect<A, Failure.AttemptFailure>
  ): Effect.Effect<A, Failure.AttemptFailure> => {
    const sendWith = (token: Token) => {
      call.requests++
      const authorization = `Bearer ${Redacted.value(token.text)}`
      const request = { ...call.request, headers: { ...call.request.headers, authorization } }
      const sent = send(call, request, attempt)
      const decoded = Attempts.requireSuccess(request, sent, attempt, (response) => {
        renewals.succeeded(call.operation.name, token)
        return decode(response)
      })
      return Effect.catchIf(
        decoded,
        ({ error }) => error._tag === "Unauthorized",
        (failure) => afterUnauthorized(failure, token)
      )
    }
    return Effect.clockWith((clock) => {
      const held = tokens.peek(clock.currentTimeMillisUnsafe())
      return held === undefined
        ? Effect.flatMap(requestToken(call, attempt), sendWith)
        : sendWith(held)
    })
  }

  return <A>(call: C, attempt: Attempts.Attempt, decode: Decode<A>) => {
    const { name } = call.operation
    return sendWithToken<A>(
      call,
      attempt,
      decode,
      Effect.fnUntraced(function* (failure, token) {
        const now = yield* Clock.monotonicTimeNanos
        const held = tokens.peek(yield* Clock.currentTimeMillis)
        const next = renewals.afterRefusal(name, token, held, now)
        if (next === "fail") return yield* Effect.fail(failure)
        if (next === "renew") yield* tokens.drop(token)
        return yield* sendWithToken<A>(call, attempt, decode, (again) =>
          Effect.flatMap(Clock.monotonicTimeNanos, (now) => {
            renewals.refused(name, now)
            return Effect.fail(again)
          })
        )
      })
    )
  }
}
