/**
 * The order of requests that change state: one after the other, and one create for each requestId
 * (`spec.md`, "Conventions").
 */
import * as Effect from "effect/Effect"
import { PreventSchedulerYield } from "effect/Scheduler"
import * as Semaphore from "effect/Semaphore"
import type { Behaviour } from "../Behaviour.ts"
import { invalid, type ErrorResponse } from "./Contract.ts"
import { StateStore } from "../state/StateStore.ts"

export interface Writes {
  /** Runs one at a time and without interruption. */
  readonly exclusive: <A, E>(write: Effect.Effect<A, E>) => Effect.Effect<A, E>
  /**
   * Runs like `exclusive`, unless the endpoint succeeded with its requestId before; then it returns
   * the stored response.
   */
  readonly once: <A, E>(
    endpoint: string,
    requestId: string,
    write: Effect.Effect<A, E>,
    amount?: string
  ) => Effect.Effect<A, E | ErrorResponse>
  readonly reset: Effect.Effect<void>
}

export const make = Effect.fnUntraced(function* (
  repeated: Behaviour["repeated"]
): Effect.fn.Return<Writes> {
  const mutex = yield* Semaphore.make(1)
  const { open, save } = yield* StateStore
  const responses = open<unknown>("response")
  const amounts = open<string>("amount")
  // A write does not yield, so its changes are saved together.
  const exclusive: Writes["exclusive"] = (write) =>
    Effect.tap(write, save).pipe(
      Effect.uninterruptible,
      mutex.withPermit,
      Effect.provideService(PreventSchedulerYield, true)
    )
  return {
    exclusive,
    once: <A, E>(
      endpoint: string,
      requestId: string,
      write: Effect.Effect<A, E>,
      amount?: string
    ) => {
      const request = `${endpoint} ${requestId}`
      const key = repeated === "another" && amount !== undefined ? `${request} ${amount}` : request
      return exclusive(
        Effect.suspend((): Effect.Effect<A, E | ErrorResponse> => {
          if (repeated === "refused" && amount !== undefined) {
            const first = amounts.get(key) ?? amount
            if (first !== amount) return anotherBody
            amounts.set(key, first)
          }
          return responses.has(key)
            ? Effect.succeed(responses.get(key) as A)
            : Effect.tap(write, (response) => Effect.sync(() => responses.set(key, response)))
        })
      )
    },
    reset: Effect.sync(() => {
      responses.clear()
      amounts.clear()
    })
  }
})

const anotherBody = Effect.fail(
  invalid([{ field: "requestId", message: "Expected the body of the first request" }])
)
