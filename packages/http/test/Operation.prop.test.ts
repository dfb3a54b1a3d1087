import { AmountFromNumber } from "@pawl/core/internal/JsonNumber"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Endpoint from "../src/internal/wire/Endpoint.ts"
import * as Operation from "../src/internal/wire/Operation.ts"

/**
 * Schemas that no endpoint has yet: a record and a list with an encoded form, and an optional key.
 */
const other = {
  identifier: "other",
  method: "POST",
  path: "/api/other",
  payload: Schema.Struct({
    secrets: Schema.Record(Schema.String, Schema.RedactedFromValue(Schema.String)),
    amounts: Schema.optionalKey(Schema.Array(AmountFromNumber)),
    left: Schema.Struct({ out: Schema.OptionFromOptionalKey(Schema.String), in: Schema.String }),
    nested: Schema.Struct({ amount: Schema.NullOr(AmountFromNumber), text: Schema.String })
  }),
  success: Schema.Json
} as const

interface Payload {
  readonly name: string
  readonly endpoint: Operation.Endpoint<unknown>
  readonly schema: Schema.Codec<unknown, object>
}

const payloads: ReadonlyArray<Payload> = [...Object.values(Endpoint), other].flatMap((endpoint) =>
  "payload" in endpoint
    ? [
        {
          name: endpoint.identifier,
          endpoint: { ...endpoint, params: undefined },
          schema: endpoint.payload
        }
      ]
    : []
)

it("covers every endpoint with a body", () => {
  expect(payloads.length).toBeGreaterThan(10)
})

describe.each(payloads)("$name", ({ endpoint, schema }) => {
  const operation = Operation.make(endpoint, {
    baseUrl: "https://payments.example/api",
    headers: {}
  })
  const arbitrary = Arbitrary.schema(schema)
  const encode = Schema.encodeSync(schema)
  const decode = Schema.decodeUnknownSync(schema)

  it("sends the fields that encoding with the whole schema gives", () => {
    fc.assert(
      fc.property(fc.noShrink(fc.integer()), (seed) => {
        const [value] = Effect.runSync(Arbitrary.sampleEffect(arbitrary, { count: 1, seed }))
        const payload = encode(value)
        const { body } = Effect.runSync(operation.toRequest({ payload }))
        expect(body).toBe(JSON.stringify(encode(decode(payload))))
      }),
      { numRuns: 50 }
    )
  })
})
