/**
 * Shows when to draw values from a schema, and when from `Generators` of `@pawl/testkit`.
 *
 * A schema reaches every value of one shape, but no order of statuses and no signature:
 * `Generators` has histories of the service, and callbacks whose checksum matches.
 */
import { expect, it } from "@effect/vitest"
import * as Amount from "@pawl/core/Amount"
import * as NodeHmac from "@pawl/core/NodeHmac"
import { type Status, statuses } from "@pawl/core/Status"
import * as Generators from "@pawl/testkit/Generators"
import * as Verifier from "@pawl/webhook/Verifier"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"

it.effect.prop("a schema draws amounts", { amount: Amount.Amount }, ({ amount }) =>
  Effect.gen(function* () {
    const eur = Amount.Currency.make("EUR")
    const units = yield* Effect.fromResult(Amount.toMinorUnits(amount, eur))
    const back = yield* Effect.fromResult(Amount.fromMinorUnits(units, eur))
    expect(Amount.compare(back, amount)).toBe(0)
  })
)

const draw = <A>(schema: Schema.Codec<A, unknown>) =>
  Arbitrary.sampleEffect(Arbitrary.schema(schema), { count: 1000, seed: 1 })

const wentBack = (history: ReadonlyArray<Status>) =>
  /^NEW,(PENDING,)?(PROCESSING,)?SUCCEED,REFUNDED$/u.test(history.join())

it.effect("only histories have a payment whose money went back", () =>
  Effect.gen(function* () {
    const drawn = yield* draw(Schema.Array(Schema.Literals(statuses)))
    expect(drawn.filter(wentBack)).toHaveLength(0)
    const histories = fc.sample(Generators.histories("card-payment"), { numRuns: 1000, seed: 1 })
    expect(histories.filter(({ statuses }) => wentBack(statuses)).length).toBeGreaterThan(10)
  })
)

it.effect("only callbacks have a checksum that matches", () =>
  Effect.gen(function* () {
    const secret = Redacted.make("sandbox-secret")
    const layer = Layer.provide(Verifier.layer({ current: secret }), NodeHmac.layer)
    const { verify } = yield* Effect.provide(Verifier.Verifier, layer)
    const isGenuine = (incoming: Verifier.Incoming) => Result.isSuccess(verify(incoming))
    const callbacks = fc.sample(Generators.callbacks(secret), { numRuns: 1000, seed: 1 })
    expect(callbacks.filter(isGenuine)).toHaveLength(1000)
    const checksums = yield* draw(Schema.String.check(Schema.isPattern(/^[\w+/]{43}=$/u)))
    const drawn = callbacks.map((each, at) => ({ ...each, checksum: checksums[at] }))
    expect(drawn.filter(isGenuine)).toHaveLength(0)
  })
)
