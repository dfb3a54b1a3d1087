import * as Decoder from "@pawl/core/Decoder"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import { describe, expect, it } from "vitest"

interface Tree {
  readonly children: ReadonlyArray<Tree>
}
const Tree: Schema.Codec<Tree> = Schema.Struct({
  children: Schema.Array(Schema.suspend(() => Tree))
})

class Point extends Schema.Class<Point>("Point")({ x: Schema.Finite }) {}

const key = Symbol("key")

/** Schemas of a kind that the contract has not, each with values of all kinds. */
const cases: Readonly<
  Record<string, readonly [Schema.Codec<unknown, unknown>, ...Array<unknown>]>
> = {
  "a tree": [Tree, { children: [{ children: [] }] }, { children: [{}] }],
  "a class": [Point, { x: 1 }, new Point({ x: 1 }), { x: "1" }],
  "an inherited field": [
    Schema.Struct({ a: Schema.optionalKey(Schema.String) }),
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
  "a closed object": [Schema.Struct({ a: Schema.String }), { a: "a", b: 1 }, { b: 1 }, [], "a"],
  "a check of the whole": [
    Schema.Struct({ a: Schema.Finite, b: Schema.Finite }).check(
      Schema.makeFilter(({ a, b }) => a < b)
    ),
    { a: 1, b: 2 },
    { a: 2, b: 1 }
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
  "a union that encodes by another member": [
    Schema.Union([Schema.Finite, Schema.FiniteFromString, Schema.RedactedFromValue(Schema.String)]),
    1,
    "1",
    "text"
  ],
  "a default": [
    Schema.Struct({
      a: Schema.String.pipe(
        Schema.decodeTo(Schema.String, {
          decode: SchemaGetter.withDefault(Effect.succeed("default")),
          encode: SchemaGetter.passthrough()
        })
      ),
      b: Schema.optionalKey(Schema.String).pipe(
        Schema.decodeTo(Schema.optionalKey(Schema.String), {
          decode: SchemaGetter.withDefault(Effect.succeed("default")),
          encode: SchemaGetter.passthrough()
        })
      )
    }),
    {},
    { a: "a" },
    { a: "a", b: undefined }
  ],
  "an option": [
    Schema.Struct({ a: Schema.OptionFromOptionalKey(Schema.String) }),
    {},
    { a: "a" },
    { a: 1 }
  ],
  "two kinds of keys": [
    Schema.StructWithRest(Schema.Struct({ a: Schema.String }), [
      Schema.Record(Schema.String, Schema.String)
    ]),
    { a: "a", b: "b" },
    { a: "a", b: 1 }
  ],
  undefined: [
    Schema.Struct({ a: Schema.optional(Schema.String), b: Schema.UndefinedOr(Schema.String) }),
    { a: undefined, b: undefined },
    { b: "b" },
    {}
  ],
  "a tuple": [Schema.Tuple([Schema.String, Schema.Finite]), ["a", 1], ["a"]]
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

  it("is decoded and encoded as by Schema", () => {
    const actual = Decoder.reencodeUnknownEffect(schema)
    for (const value of values) {
      const expected = Effect.flatMap(decode(value), encode)
      expect(show(actual(value))).toStrictEqual(show(expected))
    }
  })
})
