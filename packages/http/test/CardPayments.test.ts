import { forAll } from "@pawl/test-support/Properties"
import type * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { CardPayments } from "../src/CardPayments.ts"
import * as Memory from "./support/memory.ts"

const name = fc.stringMatching(/^x[a-z]{1,8}$/u)

const extra = fc.dictionary(
  name,
  fc.oneof(
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(fc.string()),
    fc.dictionary(name, fc.integer())
  )
)

it("a body keeps undocumented fields, in the request and in the response", () =>
  forAll(
    [extra, extra, fc.constantFrom("create" as const, "charge" as const)],
    async (requestFields, responseFields, name) => {
      const input = { requestId: "request-1", amount: "10.50", ...requestFields }
      const answer = { transactionId: "7", transactionStatus: "NEW", ...responseFields }
      const service = Memory.answering(Memory.answer(200, answer))
      const result = await Memory.run(
        service,
        CardPayments.use((payments): Effect.Effect<object, unknown> => payments[name](input))
      )
      expect(JSON.parse(service.requests[0]?.body ?? "")).toEqual(input)
      const { unknownFields = {}, ...known } = Result.getOrThrow(result) as {
        readonly unknownFields?: object
      }
      expect({ ...known, ...unknownFields }).toEqual(answer)
      expect(Object.keys(unknownFields)).toEqual(Object.keys(responseFields))
    }
  ))
