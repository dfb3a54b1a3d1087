/**
 * The shortest path of a call: one request with the held access token, and a response that fits the contract.
 *
 * **Details**
 *
 * Nearly every call takes this path and no other. It makes no fiber and no race, and nothing that only a retry
 * needs. It decides nothing: without a token, or with any result but a 2xx response that the schema of the
 * operation decodes at once, the call goes on in `otherwise`, which gets the result as if it had sent the request
 * itself. So both paths have the same results, and this one costs less CPU time.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { AccessToken } from "./token/AccessToken.ts"
import * as Metrics from "./wire/Metrics.ts"
import * as Attempts from "./call/Attempts.ts"
import * as Authorized from "./token/Authorized.ts"
import * as ResponseIds from "./wire/ResponseIds.ts"
import type { CallFailure } from "./call/Failure.ts"
import type { Renewals } from "./token/Renewals.ts"

/** Makes a function that runs a call by its shortest path, and by `otherwise` where that is not enough. */
export const make =
  (tokens: AccessToken["Service"], renewals: Renewals, send: Authorized.Send) =>
  <A>(
    call: Authorized.Call<A>,
    otherwise: (first?: Authorized.SentWith) => Effect.Effect<A, CallFailure>
  ): Effect.Effect<A, CallFailure> =>
    Effect.withFiber((fiber) => {
      const clock = fiber.getRef(Clock.Clock)
      const token = tokens.peek(clock.currentTimeMillisUnsafe())
      if (token === undefined) return otherwise()
      call.requests++
      const { annotations, limits, operation } = call
      const request = Authorized.authorize(call.request, token)
      return Effect.matchEffect(send(call, request, limits.totalTimeout), {
        onSuccess: (response) => {
          if (Attempts.isSuccess(response)) {
            const exit = operation.fromResponse(response)
            if (
              Exit.isExit(exit) &&
              exit._tag === "Success" &&
              ResponseIds.areOwn(exit.value, annotations)
            ) {
              renewals.succeeded(operation.name, token)
              Metrics.attempts(operation.name, "Success").updateUnsafe(1, fiber.context)
              return Effect.succeed(exit.value as A)
            }
          }
          return otherwise({ token, sent: Effect.succeed(response) })
        },
        onFailure: (error) => otherwise({ token, sent: Effect.fail(error) })
      })
    })
