import { forAll } from "@pawl/test-support/Properties"
import { encodedOf } from "@pawl/test-support/Schemas"
import { AmountFromNumber } from "@pawl/core/internal/JsonNumber"
import * as Decoder from "@pawl/core/internal/Decoder"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Endpoint from "../src/internal/wire/Endpoint.ts"
import * as Operation from "../src/internal/wire/Operation.ts"

type Codec = Schema.Codec<unknown, unknown>

const endpoints = Object.values<Operation.Endpoint<unknown> | Schema.Top>(Endpoint).flatMap(
  (each) => ("path" in each ? [each] : [])
)

/** Schemas that no endpoint has: a record and a list with an encoded form, and an optional key. */
const other: Operation.Endpoint<unknown> = {
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
}

const bodies = [...endpoints, other].flatMap((endpoint) =>
  endpoint.payload === undefined
    ? []
    : [
        {
          name: endpoint.identifier,
          endpoint: { ...endpoint, params: undefined },
          schema: endpoint.payload as Codec
        }
      ]
)

const named = (name: string, schema: Schema.Constraint | undefined) =>
  schema === undefined ? [] : [{ name, schema: schema as Codec }]

const schemas = endpoints.flatMap(({ identifier, params, success }) => [
  ...named(`params of ${identifier}`, params),
  ...named(`response of ${identifier}`, success as Codec | undefined)
])

/** Valid values of each schema. */
const samples = 10
/** Changed values of each valid one. */
const changes = 12

const anyValue = fc.constantFrom<unknown>(
  null,
  undefined,
  "",
  "12",
  "1e3",
  "NEW",
  "a|b",
  0,
  -0,
  12,
  1.5,
  1e21,
  Number.NaN,
  true,
  [],
  ["a"],
  {},
  { a: "b" },
  { toString: 1 },
  JSON.parse('{"__proto__":{"a":1}}'),
  Object.assign(Object.create({ requestId: "inherited" }), { mid: "own" }),
  new Date(0),
  Redacted.make("secret")
)

const extra = fc.constantFrom(
  "extra",
  "__proto__",
  "constructor",
  "toJSON",
  "7",
  "requestId",
  "mid"
)

const change = fc.record({
  /** The index of a key at each depth. */
  path: fc.array(fc.nat({ max: 15 }), { maxLength: 3 }),
  kind: fc.constantFrom("drop", "add", "replace", "number for text", "reverse"),
  value: anyValue,
  key: extra
})

type Change = typeof change extends fc.Arbitrary<infer A> ? A : never

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const withKey = (object: object, key: string, value: unknown): object =>
  Object.defineProperty({ ...object }, key, {
    value,
    enumerable: true,
    writable: true,
    configurable: true
  })

const changed = (value: unknown, { path: [at, ...path], ...rest }: Change): unknown => {
  if (at === undefined || !isObject(value)) {
    switch (rest.kind) {
      case "number for text":
        return typeof value === "string" ? Number(value) : JSON.stringify(value)
      case "add":
        return isObject(value) ? withKey(value, rest.key, rest.value) : rest.value
      case "reverse":
        return isObject(value) ? Object.fromEntries(Object.entries(value).toReversed()) : value
      case "drop":
      case "replace":
        return rest.value
    }
  }
  const keys = Object.keys(value)
  const key = keys[at % keys.length]
  if (key === undefined) return rest.value
  if (rest.kind === "drop" && path.length === 0) {
    const { [key]: _, ...others } = value
    return others
  }
  return withKey(value, key, changed(value[key], { ...rest, path }))
}

const format = SchemaIssue.makeFormatterStandardSchemaV1()

/** Shows types, secrets and the order of keys. */
const show = (value: unknown): string => {
  if (Redacted.isRedacted(value)) return `Redacted(${value.label}, ${show(Redacted.value(value))})`
  if (Array.isArray(value)) return `[${value.map(show).join()}]`
  if (isObject(value) && !(value instanceof Date)) {
    const fields = Object.keys(value).map((key) => `${JSON.stringify(key)}:${show(value[key])}`)
    return `{${fields.join()}}`
  }
  return typeof value === "string"
    ? JSON.stringify(value)
    : `${Object.is(value, -0) ? "-" : ""}${String(value)}`
}

const outcome = (effect: Effect.Effect<unknown, Schema.SchemaError>): string =>
  Effect.runSync(
    Effect.match(effect, {
      onSuccess: show,
      onFailure: ({ issue }) => `refused: ${JSON.stringify(format(issue).issues)}`
    })
  )

const forInputs = (schema: Codec, holds: (input: unknown) => void) =>
  forAll(
    [
      encodedOf(schema),
      fc.noShrink(
        fc.array(fc.array(change, { minLength: 1, maxLength: 2 }), {
          minLength: changes,
          maxLength: changes
        })
      )
    ],
    { numRuns: samples },
    (value, all) => {
      for (const steps of [[], ...all]) holds(steps.reduce(changed, value))
    }
  )

const equal = (actual: string, expected: string, input: unknown): void => {
  // An `expect` for each value takes longer than everything else.
  if (actual !== expected) expect({ input, result: actual }).toEqual({ input, result: expected })
}

describe.each([...bodies, ...schemas])("$name", ({ schema }) => {
  const decode = Decoder.decodeUnknownEffect(schema, { errors: "all" })
  const reference = Schema.decodeUnknownEffect(schema, { errors: "all" })

  it("is decoded and refused as by Schema", async () => {
    let decoded = 0
    await forInputs(schema, (input) => {
      const expected = outcome(reference(input))
      equal(outcome(decode(input)), expected, input)
      if (!expected.startsWith("refused")) decoded++
    })
    expect(decoded).toBeGreaterThan(samples)
  })
})

describe.each(bodies)("$name", ({ endpoint, schema }) => {
  const { toRequest } = Operation.make(endpoint, {
    baseUrl: "https://payments.example/api",
    headers: {}
  })
  const decode = Schema.decodeUnknownEffect(schema, { errors: "all" })
  const encode = Schema.encodeSync(schema)

  it("is sent to the byte as Schema would write it, and stays as it is", () =>
    forInputs(schema, (input) => {
      const before = show(input)
      const expected = Effect.runSync(
        // An undefined member of a refused value counts as absent.
        Effect.match(
          decode(input).pipe(Effect.catch(() => decode(Operation.withoutUndefined(input)))),
          {
            onSuccess: (value) => JSON.stringify(encode(value)),
            onFailure: ({ issue }) =>
              format(issue)
                .issues.map(({ path }) => path?.map(String).join("."))
                .join()
          }
        )
      )
      const actual = Effect.runSync(
        Effect.match(toRequest({ payload: input as object }), {
          onSuccess: ({ body }) => String(body),
          onFailure: ({ fields }) => fields.map(({ path }) => path).join()
        })
      )
      equal(actual, expected, input)
      equal(show(input), before, input)
    }))
})

/** Only a fast path that is taken is fast: `Schema` reads each field of an open object twice. */
const objects = [...bodies, ...schemas].filter(
  ({ name, schema }) => name !== other.identifier && schema.ast._tag === "Objects"
)
describe.each(objects)("$name", ({ schema }) => {
  it("is decoded without Schema where it is valid", () => {
    const decode = Decoder.decodeUnknownEffect(schema)
    return forAll([encodedOf(schema)], { numRuns: samples }, (value) => {
      // Schema reads an own `__proto__`, and null in place of a number that is read as text.
      fc.pre(!show(value).includes("__proto__"))
      const { accountId, totalAmount } = value as Record<string, unknown>
      fc.pre(accountId !== null && totalAmount !== null)
      let reads = 0
      const [[name, field] = ["extra", undefined], ...others] = Object.entries(value as object)
      const counted = Object.defineProperty({}, name, {
        enumerable: true,
        get: () => {
          reads++
          return field
        }
      })
      expect(outcome(decode(Object.assign(counted, Object.fromEntries(others))))).toMatch(/^\{/u)
      expect(reads).toBe(1)
    })
  })
})
