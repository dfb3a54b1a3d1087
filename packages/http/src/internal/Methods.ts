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
      Effect.fn(name)(function* (
        input: Input
      ): Effect.fn.Return<A, ReadError | OutcomeUnknown | E> {
        const requestId = input.requestId ?? (yield* random.uuidV7())
        const response = yield* caller.create(endpoint, complete({ ...input, requestId }))
        return yield* judge(requestId, response)
      }),
    read: <A>(name: string, endpoint: Endpoint<A>) =>
      Effect.fn(name)((id: string) => caller.call(endpoint, { params: { id } }))
  }
})

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
