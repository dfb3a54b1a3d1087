/**
 * Runs the attempts of a call with an access token, and decodes the response.
 */
import * as Effect from "effect/Effect"
import * as Attempts from "./call/Attempts.ts"
import type * as Authorized from "./token/Authorized.ts"
import * as ResponseIds from "./wire/ResponseIds.ts"
import * as Failure from "./call/Failure.ts"

/** Runs the attempts of a call that began at `start`. With `first` the first request was sent already. */
export const run = <A>(
  send: ReturnType<typeof Authorized.make>,
  call: Authorized.Call<A>,
  start: bigint,
  first: Authorized.SentWith | undefined
): Effect.Effect<A, Failure.CallFailure> => {
  const { annotations, classify, operation } = call
  return Attempts.run(
    call,
    (attempt) =>
      send(call, attempt, attempt.number === 1 ? first : undefined).pipe(
        Effect.flatMap((response) =>
          Effect.mapError(
            Effect.flatMap(operation.fromResponse(response), (value) =>
              ResponseIds.areOwn(value, annotations)
                ? Effect.succeed(value)
                : Effect.fail(ResponseIds.toError(response))
            ),
            (error) => Failure.toFailure(error)
          )
        ),
        Effect.mapError(classify)
      ),
    start
  )
}
