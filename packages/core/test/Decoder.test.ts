import * as Decoder from "@pawl/core/internal/Decoder"
import { openStruct } from "@pawl/core/internal/OpenStruct"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { describe, expect, it } from "vitest"

interface Tree {
  readonly children: ReadonlyArray<Tree>
}
const Tree: Schema.Codec<Tree> = Schema.Struct({
  children: Schema.Array(Schema.suspend(() => Tree))
})

const key = Symbol("key")

const optional = Schema.optionalKey(Schema.String)

const exclaiming = SchemaTransformation.transform({
  decode: (text: string) => `${text}!`,
  encode: (text: string) => text
})

const byDefault = {
  decode: SchemaGetter.withDefault(Effect.succeed("default")),
  encode: SchemaGetter.passthrough<string>()
}
const withDefault = optional.pipe(Schema.decodeTo(Schema.String, byDefault))

const open = openStruct("Open", { a: Schema.Finite })

/** Schemas of a kind that the contract lacks. */
const cases: Readonly<
  Record<string, readonly [Schema.Codec<unknown, unknown>, ...Array<unknown>]>
> = {
  "a tree": [Tree, { children: [{ children: [] }] }, { children: [{}] }],
  "an inherited field": [
    Schema.Struct({ a: optional }),
    Object.create({ a: "inherited" }),
    Object.create(null)
  ],
  "a field named like one of every object": [
    Schema.Struct({ toString: Schema.optionalKey(Schema.String) }),
    {},
    { toString: "text" }
  ],
  "a field named by a symbol": [
    Schema.Struct({ [key]: Schema.optionalKey(Schema.String) }),
    {},
    { [key]: "text" },
    { [key]: 1 }
  ],
  "a closed object": [
    Schema.Struct({ a: Schema.String }),
    { a: "a", b: 1 },
    { b: 1 },
    [],
    "a",
    null,
    undefined
  ],
  "a group of checks": [
    Schema.Finite.check(Schema.isInt().and(Schema.isGreaterThan(0))),
    1,
    0,
    0.5
  ],
  "exactly one of two": [
    Schema.Union([Schema.String, Schema.NonEmptyString], { mode: "oneOf" }),
    "",
    "text"
  ],
  "a default": [
    Schema.Struct({
      a: Schema.String.pipe(Schema.decodeTo(Schema.String, byDefault)),
      b: optional.pipe(Schema.decodeTo(optional, byDefault))
    }),
    {},
    { a: "a" },
    { a: "a", b: undefined }
  ],
  "a field beside one named like one of every object": [
    Schema.Struct({
      a: Schema.optionalKey(Schema.String),
      toString: Schema.optionalKey(Schema.String)
    }),
    {},
    { a: "a" }
  ],
  "two faults": [Schema.Struct({ a: Schema.String, b: Schema.String }), {}, { a: 1, b: 2 }],
  "a default of the encoded form": [
    Schema.Struct({
      a: Schema.optionalKey(Schema.String).pipe(
        Schema.decodeTo(Schema.optionalKey(Schema.String), {
          decode: SchemaGetter.transform((text: string) => text),
          encode: SchemaGetter.withDefault(Effect.succeed("default"))
        })
      )
    }),
    {},
    { a: "a" }
  ],
  "an optional key that is made of a required one": [
    Schema.Struct({ a: Schema.String.pipe(Schema.decodeTo(optional, exclaiming)) }),
    {},
    { a: "a" }
  ],
  "an optional key that is made of a required one in two steps": [
    Schema.Struct({
      a: Schema.String.pipe(
        Schema.decodeTo(optional, exclaiming),
        Schema.decodeTo(optional, exclaiming)
      )
    }),
    {},
    { a: "a" }
  ],
  "a suspended default": [
    Schema.Struct({ a: Schema.optionalKey(Schema.suspend(() => withDefault)) }),
    {},
    { a: "a" }
  ],
  "a check of the encoded form": [
    Schema.flip(Schema.Struct({ a: Schema.Finite }).check(Schema.makeFilter(({ a }) => a > 0))),
    { a: 1 },
    { a: -1 }
  ],
  "a check of the encoded form of a union": [
    Schema.flip(
      Schema.Union([Schema.Finite, Schema.Boolean]).check(Schema.makeFilter((value) => value !== 0))
    ),
    0,
    1
  ],
  "further keys with a check": [
    Schema.StructWithRest(Schema.Struct({ a: Schema.String }), [
      Schema.Record(Schema.String, Schema.NonEmptyString)
    ]),
    { a: "" },
    { a: "a", b: "b" },
    { a: "a", b: "" }
  ],
  undefined: [
    Schema.Struct({ a: Schema.optional(Schema.String), b: Schema.UndefinedOr(Schema.String) }),
    { a: undefined, b: undefined },
    { a: undefined, b: "b" },
    { b: "b" },
    {}
  ],
  "an open object": [
    open,
    { a: 1 },
    { a: 1, b: 2, c: { d: 3 } },
    { b: 2 },
    { a: 1, toString: 2 },
    JSON.parse('{"a":1,"__proto__":2}'),
    Object.assign(Object.create({ b: 2 }), { a: 1 })
  ],
  "an open object with a check": [
    open.pipe(Schema.check(Schema.makeFilter(({ a }) => a > 0))),
    { a: 1 },
    { a: -1 },
    { a: 1, b: 2 }
  ],
  "an open object that is transformed": [
    open.pipe(
      Schema.decodeTo(
        Schema.Finite,
        SchemaTransformation.transform({ decode: ({ a }) => a, encode: (a) => ({ a }) })
      )
    ),
    { a: 1 },
    { a: 1, b: 2 },
    { a: "1" }
  ],
  "a text that is transformed twice": [
    Schema.FiniteFromString.pipe(
      Schema.decodeTo(
        Schema.Finite,
        SchemaTransformation.transform({ decode: (n) => n + 1, encode: (n) => n - 1 })
      )
    ),
    "1",
    "one",
    1
  ],
  "a number that is read by way of a text": [
    Schema.Finite.pipe(
      Schema.decodeTo(
        Schema.FiniteFromString,
        SchemaTransformation.transform({ decode: (n) => String(n), encode: (text) => Number(text) })
      )
    ),
    1,
    "1"
  ],
  "an open object in a text": [Schema.fromJsonString(open), '{"a":1,"b":2}', '{"b":2}', { a: 1 }],
  "a record": [
    Schema.Record(Schema.String, Schema.FiniteFromString),
    {},
    ["1"],
    "1",
    null,
    new Date(0),
    { a: "1", b: "2" },
    { a: "1", b: 2 },
    JSON.parse('{"__proto__":"1"}')
  ],
  "a record whose keys have a form": [
    Schema.Record(Schema.String.check(Schema.isPattern(/^[ab]$/u)), Schema.Finite),
    { a: 1 },
    { c: 1 }
  ],
  "several kinds of further keys": [
    Schema.StructWithRest(Schema.Struct({ a: Schema.String }), [
      Schema.Record(Schema.String, Schema.Any),
      Schema.Record(Schema.Symbol, Schema.Finite)
    ]),
    { a: "a", b: 1 },
    { a: "a", [key]: 1 },
    { a: "a", [key]: "1" }
  ],
  "a union with a check": [
    Schema.Union([Schema.Finite, Schema.Boolean]).check(Schema.makeFilter((value) => value !== 0)),
    0,
    1,
    true,
    "1"
  ],
  "a literal, null and a boolean": [
    Schema.Struct({ a: Schema.NullOr(Schema.Literals(["x", 1, true])), b: Schema.Boolean }),
    { a: null, b: true },
    { a: "x", b: false },
    { a: 1, b: true },
    { a: true, b: true },
    { a: "y", b: true },
    { a: "x", b: "true" }
  ],
  "no text": [Schema.Any, undefined, null, { a: undefined }, Symbol.iterator]
}

const show = (effect: Effect.Effect<unknown, Schema.SchemaError>): unknown =>
  Exit.match(Effect.runSyncExit(effect), {
    onSuccess: (value) => [value, Object.keys(Object(value))],
    onFailure: String
  })

describe.each(Object.entries(cases))("%s", (_, [schema, ...values]) => {
  const decode = Schema.decodeUnknownEffect(schema)
  const encode = Schema.encodeEffect(schema)

  it("is decoded as by Schema", () => {
    const actual = Decoder.decodeUnknownEffect(schema)
    for (const value of values) expect(show(actual(value))).toStrictEqual(show(decode(value)))
  })

  it("is refused with all its faults as by Schema", () => {
    const actual = Decoder.decodeUnknownEffect(schema, { errors: "all" })
    const decode = Schema.decodeUnknownEffect(schema, { errors: "all" })
    for (const value of values) expect(show(actual(value))).toStrictEqual(show(decode(value)))
  })

  it("is decoded and encoded as by Schema", () => {
    const actual = Decoder.reencodeUnknownEffect(schema)
    for (const value of values) {
      const expected = Effect.flatMap(decode(value), encode)
      expect(show(actual(value))).toStrictEqual(show(expected))
    }
  })
})

it("a key that every object inherits is not of the value", () => {
  const schema = Schema.Record(Schema.String, Schema.Finite)
  const decoders = [Decoder.decodeUnknownEffect(schema), Schema.decodeUnknownEffect(schema)]
  const results: Array<ReadonlyArray<string>> = []
  try {
    Reflect.defineProperty(Object.prototype, "inherited", {
      configurable: true,
      enumerable: true,
      value: 1,
      writable: true
    })
    results.push(...decoders.map((decode) => Object.keys(Object(Effect.runSync(decode({ a: 1 }))))))
  } finally {
    Reflect.deleteProperty(Object.prototype, "inherited")
  }
  expect(results).toEqual([["a"], ["a"]])
})
