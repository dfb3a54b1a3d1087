/**
 * Measures one run of a property: generating observations, fast-check's runner, and the reducer
 * under test. The floor is fast-check's array of records.
 */
import { statuses } from "@pawl/core/Status"
import * as Generators from "@pawl/testkit/Generators"
import * as Reducer from "@pawl/testkit/Laws/Reducer"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { type Bench, measure, type Variant } from "./harness.ts"

const naive = fc.array(
  fc.oneof(
    fc.record({
      source: fc.constantFrom("callback" as const, "response" as const),
      status: fc.constantFrom(...statuses)
    }),
    fc.record({
      source: fc.constant("read" as const),
      status: fc.constantFrom(...statuses),
      askedAt: fc.nat(2)
    })
  ),
  { maxLength: 8 }
)

const status = Schema.Literals(statuses)
const schema = Arbitrary.schema(
  Schema.Array(
    Schema.Union([
      Schema.Struct({ source: Schema.Literals(["callback", "response"]), status }),
      Schema.Struct({
        source: Schema.Literal("read"),
        status,
        askedAt: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 }))
      })
    ])
  ).check(Schema.isMaxLength(8))
)

type Observations = ReadonlyArray<Generators.Observation>

const property = (
  name: string,
  arbitrary: fc.Arbitrary<Observations>,
  holds: (observations: Observations) => boolean
): Variant => ({
  name,
  check: () => {
    const lengths = new Set(fc.sample(arbitrary, 1000).map(({ length }) => length))
    if (lengths.size !== 9 && lengths.size !== 1)
      throw new Error(`${name}: not every length is generated`)
  },
  run: (times) => {
    const { failed, numRuns } = fc.check(fc.property(arbitrary, holds), { numRuns: times })
    if (failed || numRuns !== times) throw new Error(name)
  }
})

const reduce = Reducer.evidenceReducer()

export const properties: Bench = {
  what: "a run of a property over the observations of one transaction",
  floor: "fc.array of records",
  goals: [
    { variant: "Generators.observations", against: "fc.array of records", atMost: 0.2 },
    { variant: "observations and our reducer", against: "Generators.observations", atMost: 1.3 }
  ],
  run: () =>
    measure(
      [
        property("fc.array of records", naive, (observations) => observations.length <= 8),
        property("fast-check's runner alone", fc.constant([]), ({ length }) => length === 0),
        property(
          "Generators.observations",
          Generators.observations,
          (observations) => observations.length <= 8
        ),
        property(
          "observations and our reducer",
          Generators.observations,
          (observations) => reduce(observations).confirmed || observations.length <= 8
        ),
        {
          name: "Effect's Arbitrary of the schema",
          check: () => undefined,
          run: (times) => {
            const values = Effect.runSync(Arbitrary.sampleEffect(schema, { count: times }))
            if (values.length !== times) throw new Error("the schema generates too few values")
          }
        }
      ],
      { synchronous: true }
    )
}
