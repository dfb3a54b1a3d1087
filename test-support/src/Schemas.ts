/** The schemas of core, and values of a schema. */
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"

export { nouns } from "@pawl/testkit/Generators"

/** Values of a schema, made by Effect's generator with a seed of fast-check. */
export const valuesOf = <A>(schema: Schema.Codec<A, unknown>): fc.Arbitrary<A> => {
  const arbitrary = Arbitrary.schema(schema)
  return fc.noShrink(fc.integer()).map((seed) => {
    const [value] = Effect.runSync(Arbitrary.sampleEffect(arbitrary, { count: 1, seed }))
    return value as A
  })
}

/** The encoded form of such values. */
export const encodedOf = <I>(schema: Schema.Codec<unknown, I>): fc.Arbitrary<I> =>
  valuesOf(schema).map(Schema.encodeSync(schema))
