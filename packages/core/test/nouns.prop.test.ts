import { forAll } from "@pawl/test-support/Properties"
import * as Json from "@pawl/core/internal/Json"
import * as Equal from "effect/Equal"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { repeats } from "@pawl/test-support/Repeats"
import * as Schemas from "@pawl/test-support/Schemas"

type Codec = Schema.Codec<Record<string, unknown>, Record<string, unknown>>

const isObject = (value: unknown): value is Codec =>
  Schema.isSchema(value) && value.ast._tag === "Objects" && value.ast.propertySignatures.length > 0

const objects = Schemas.nouns.flatMap(([name, schema]: readonly [string, unknown]) =>
  isObject(schema) ? [[name, schema] as const] : []
)

const travel = (encoded: unknown) => {
  const text = JSON.stringify(encoded)
  // JSON.parse of Node 24.21 (not 22.23) takes a key of one escaped character for "\\" once an object of
  // the same shape had that key: JSON.parse('{"a":1,"\\\\":2}'); JSON.parse('{"a":1,"\\n":2}') // => { a: 1, "\\": 2 }
  fc.pre(!/"\\(?:[^u]|u.{4})":/.test(text))
  return Result.getOrThrow(Json.fromText(text))
}

it("the list covers the schemas of the specification", () => {
  expect(objects.map(([name]) => name)).toEqual(
    expect.arrayContaining([
      "ApmPaymentRequest",
      "ApmPayoutInfo",
      "CardPayoutRequest",
      "RefundRequest",
      "PaymentIntentRequest",
      "SubscriptionRequest",
      "Subscription",
      "CardCallback",
      "ApmCallback"
    ])
  )
})

describe.each(objects)("%s", (_name, schema) => {
  const codec = Schema.toCodecJson(schema)
  const encode = Schema.encodeSync(codec)
  const decode = Schema.decodeUnknownSync(codec)

  it("decodes an encoded value to the same value, through JSON", () =>
    forAll([Schemas.valuesOf(schema)], { numRuns: repeats(50) }, (value) => {
      expect(Equal.equals(decode(travel(encode(value))), value)).toBe(true)
    }))

  it("keeps unknown fields when it decodes and encodes", () => {
    const unknown = fc.dictionary(
      fc.string().map((name) => `x-${name}`),
      fc.jsonValue({ maxDepth: 2 }),
      { minKeys: 1, maxKeys: 3 }
    )
    return forAll([Schemas.valuesOf(schema), unknown], { numRuns: repeats(50) }, (value, extra) => {
      const sent = travel({ ...(encode(value) as object), ...extra })
      expect(travel(encode(decode(sent)))).toEqual(sent)
    })
  })

  it("fails with an error that names the field and holds no value", () => {
    const canary = "4111111111111111-canary"
    return forAll([Schemas.valuesOf(schema), fc.nat()], { numRuns: repeats(50) }, (value, at) => {
      const sent = travel(encode(value)) as Record<string, unknown>
      const names = Object.keys(sent)
      const name = names[at % names.length]
      if (name === undefined) return
      const wrong = { ...sent, [name]: [[canary]] }
      const decoded = Schema.decodeUnknownResult(codec, { errors: "all" })(wrong)
      if (Result.isSuccess(decoded)) return
      expect(String(decoded.failure)).toContain(JSON.stringify(name))
      expect(String(decoded.failure)).not.toContain("canary")
    })
  })
})
