/**
 * Builds the methods of the services. Each method calls one endpoint, in a span with the method's name.
 */
import { type OutcomeUnknown, type ReadError, ValidationFailed } from "@pawl/core/PaymentsError"
import * as RequestId from "@pawl/core/RequestId"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import { Caller } from "./Caller.ts"
import type { CallOptions, CreateOptions } from "../../CallOptions.ts"
import * as CallSite from "../CallSite.ts"
import type { Endpoint } from "../wire/Operation.ts"
import { spanned } from "../Spanned.ts"

/** The fields that every create has. */
interface CreateFields {
  readonly requestId: string
}

/** Makes the builders of create and read methods. */
export const make = Effect.gen(function* () {
  const caller = yield* Caller
  return {
    /**
     * Builds a create: makes a requestId when the input has none, sends the fields that `toPayload`
     * returns, and converts the response with `toResult`.
     */
    create: <Input extends Partial<CreateFields>, Response, A, E>(
      name: string,
      endpoint: Endpoint<Response>,
      toResult: (requestId: string, response: Response) => Effect.Effect<A, E>,
      toPayload: (fields: Input & CreateFields) => CreateFields = identity
    ) =>
      traced(name)(
        (
          input: Input,
          options?: CreateOptions
        ): Effect.Effect<A, ReadError | OutcomeUnknown | E> => {
          const send = (requestId: string) =>
            Effect.flatMap(
              caller.create(endpoint, toPayload({ ...input, requestId }), options),
              (response) => toResult(requestId, response)
            )
          const requestId = input.requestId ?? options?.requestId
          if (requestId === undefined) return Effect.flatMap(RequestId.ofInput(input), send)
          return requestId === (options?.requestId ?? requestId)
            ? send(requestId)
            : Effect.fail(twoRequestIds())
        }
      ),
    /** Builds a read by id. */
    read: <A>(name: string, endpoint: Endpoint<A>) =>
      traced(name)((id: string, options?: CallOptions) =>
        caller.call(endpoint, { params: { id } }, options)
      )
  }
})

const twoRequestIds = () =>
  new ValidationFailed({
    sent: false,
    fields: [
      { path: "requestId", message: "Expected the same requestId in the input and the options" }
    ]
  })

/** Runs a method in a span with its name; its errors show where it was called. */
export const traced =
  (name: string) =>
  <Args extends ReadonlyArray<unknown>, A, E>(method: (...args: Args) => Effect.Effect<A, E>) =>
    CallSite.shown((...args: Args) => spanned(name, () => method(...args)))
