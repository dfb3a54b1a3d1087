/** Identifiers are unique over all kinds, and used once unless a seed repeats them. */
import * as Effect from "effect/Effect"
import { assert } from "vitest"
import {
  ServiceUnderTest,
  bodyFor,
  create,
  it,
  itWith,
  pass,
  prepare,
  refused,
  reset
} from "./contractService.ts"
import { creates } from "@pawl/test-support/Creates"

const makeAll = Effect.gen(function* () {
  const resources = yield* prepare
  const others: Array<string> = [String(resources.paymentId)]
  const intents: Array<string> = []
  for (const path of Object.keys(creates)) {
    const answer = yield* create(path, {}, resources)
    const { redirectUrl, refundId, subscriptionId, transactionId } = answer
    others.push(...[refundId, subscriptionId, transactionId].filter(Boolean).map(String))
    if (typeof redirectUrl === "string") intents.push(redirectUrl.split("/").at(-1) ?? "")
  }
  return { intents, others }
})

const all = Effect.map(makeAll, ({ intents, others }) => [...intents, ...others])

const highest = (ids: ReadonlyArray<string>) => Math.max(...ids.map(Number))
const lowest = (ids: ReadonlyArray<string>) => Math.min(...ids.map(Number))

const test = itWith({ seed: undefined })

export const identifiers = [
  it("with a seed identifiers are decimal text from 100001, counted over all kinds but intents", function* () {
    const { intents, others } = yield* makeAll
    assert.deepStrictEqual(
      others,
      Array.from({ length: 9 }, (_, at) => String(100_001 + at))
    )
    assert.deepStrictEqual(intents, ["8000000000100001"])
  }),
  it("with a seed identifiers begin again after a reset", function* () {
    const before = yield* all
    yield* reset
    assert.deepStrictEqual(yield* all, before)
  }),
  test("without a seed no identifier is used again after a reset", function* () {
    const before = yield* makeAll
    yield* reset
    const after = yield* makeAll
    assert.isAbove(lowest(after.others), highest(before.others))
    assert.isAbove(lowest(after.intents), highest(before.intents))
    for (const id of [...after.others, ...after.intents]) assert.match(id, /^[1-9][0-9]{5,15}$/u)
  }),
  test("without a seed a service that starts later uses no identifier of an earlier one", function* () {
    const { another } = yield* ServiceUnderTest
    const before = yield* makeAll
    yield* pass("1 hours")
    const after = yield* Effect.provideServiceEffect(makeAll, ServiceUnderTest, another)
    assert.isAbove(lowest(after.others), highest(before.others))
    assert.isAbove(lowest(after.intents), highest(before.intents))
  }),
  test("the identifiers of intents and transactions have their own ranges, which JSON numbers hold exactly", function* () {
    const { intents, others } = yield* makeAll
    assert.isAbove(lowest(intents) - highest(others), 1_000_000_000_000)
    for (const id of [...intents, ...others]) assert.strictEqual(String(Number(id)), id)
    assert.isTrue(Number.isSafeInteger(highest(intents)))
  }),
  test("without a seed no card token is used again after a reset", function* () {
    const { cardToken } = yield* prepare
    yield* reset
    assert.notStrictEqual((yield* prepare).cardToken, cardToken)
    const over = { cardToken, paymentId: 0 }
    const charge = yield* bodyFor("/payments/card/charge", {}, over)
    assert.deepStrictEqual(yield* refused("POST", "/payments/card/charge", charge), ["cardToken"])
  })
]
