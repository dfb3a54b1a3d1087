/**
 * The methods of the services: each is its endpoint, under a span of its own name.
 *
 * @since 0.1.0
 */
import * as Checksum from "@pawl/core/Checksum"
import { Hmac } from "@pawl/core/Hmac"
import type { OutcomeUnknown, ReadError } from "@pawl/core/PaymentsError"
import { Profile } from "@pawl/core/Profile"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import { Caller } from "../Caller.ts"
import { PawlConfig } from "../PawlConfig.ts"
import type { Endpoint } from "./Operation.ts"

/** What every create carries. */
interface Fields {
  readonly requestId: string
}

/** Makes what creates and reads have in common. */
export const make = Effect.gen(function* () {
  const caller = yield* Caller
  const random = yield* SecureRandom.SecureRandom
  return {
    /** Makes a requestId where none is given, sends the fields `complete`, and judges the answer. */
    create: <Input extends Partial<Fields>, Response, A, E>(
      name: string,
      endpoint: Endpoint<Response>,
      judge: (requestId: string, response: Response) => Effect.Effect<A, E>,
      complete: (fields: Input & Fields) => Fields = identity
    ) =>
      traced(name)((input: Input): Effect.Effect<A, ReadError | OutcomeUnknown | E> => {
        const send = (requestId: string) =>
          Effect.flatMap(caller.create(endpoint, complete({ ...input, requestId })), (response) =>
            judge(requestId, response)
          )
        return input.requestId === undefined
          ? Effect.flatMap(random.uuidV7(), send)
          : send(input.requestId)
      }),
    read: <A>(name: string, endpoint: Endpoint<A>) =>
      traced(name)((id: string) => caller.call(endpoint, { params: { id } }))
  }
})

/**
 * Gives a method a span of its own name where a tracer listens. Elsewhere the span would go nowhere, and
 * cost a tenth of the call.
 */
export const traced = (name: string) => {
  // Made once: with every call it would read the stack for where it is made, half of what a span costs.
  const spanned = Effect.withSpan(name)
  return <Args extends ReadonlyArray<unknown>, A, E>(
    method: (...args: Args) => Effect.Effect<A, E>
  ) =>
    (...args: Args): Effect.Effect<A, E> =>
      Effect.withFiber(({ cache }) => {
        const call = method(...args)
        return cache.tracer === undefined ? call : spanned(call)
      })
}

/** Makes what adds the checksum of APM requests, over the very text that is sent. */
export const makeSigned = Effect.gen(function* () {
  const { requestChecksumSeparator } = yield* Profile
  const { merchantSecret } = yield* PawlConfig
  const sign = (yield* Hmac).keyed(merchantSecret)
  return <Signed extends Parameters<typeof Checksum.request>[2]>(fields: Signed) => ({
    ...fields,
    checksum: Checksum.request(sign, requestChecksumSeparator, fields)
  })
})
