import { forAll } from "@pawl/test-support/Properties"
import { isTerminal } from "@pawl/core/Status"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { assert, it } from "vitest"
import { ask, body, prepare, scenario } from "@pawl/test-support/Creates"
import { run } from "@pawl/test-support/TestGateway"
import * as Gateway from "../src/Gateway.ts"
import * as Scenario from "../src/Scenario.ts"

const story = fc.oneof(
  fc.constantFrom(
    "succeed",
    "challenge",
    "cancel",
    "refund",
    "chargeback",
    "chargeback-won",
    "conflict",
    "stuck",
    "customer"
  ),
  fc.nat(999_999_999).map((code) => `decline:${code}`)
)

it("any story with any suffixes is a scenario, and the suffixes commute and repeat freely", () =>
  forAll([story, fc.array(fc.constantFrom(...Scenario.suffixes))], (story, suffixes) => {
    const scenario = Scenario.parse([story, ...suffixes].join("+"))
    assert.isDefined(scenario)
    assert.deepStrictEqual(
      scenario,
      Scenario.parse([story, ...new Set(suffixes.toReversed())].join("+"))
    )
    for (const suffix of Scenario.suffixes) {
      assert.strictEqual(scenario.suffixes[suffix], suffixes.includes(suffix))
    }
    assert.strictEqual(scenario.statuses[0], "NEW")
    const waits = story === "stuck" || story === "customer"
    assert.strictEqual(isTerminal(scenario.statuses.at(-1) ?? "NEW"), !waits)
    assert.strictEqual(
      scenario.declineCode,
      story.startsWith("decline:") ? Number(story.slice(8)) : undefined
    )
  }))

it("any other text is not a scenario", () => {
  const none = [
    "",
    "steps:",
    "steps:NEW",
    "steps:PENDING,SUCCEED",
    "steps:NEW,PAID",
    `steps:NEW${",PENDING".repeat(16)}`,
    "+shuffle",
    "Succeed",
    "succeed+",
    "succeed +shuffle",
    "succeed+Shuffle",
    "succeed,shuffle",
    "decline",
    "decline:",
    "decline:x",
    "decline:-1",
    "decline:1.5",
    "decline:1234567890",
    "cancel:51",
    "constructor",
    "__proto__",
    "succeed+constructor"
  ]
  for (const text of none) assert.isUndefined(Scenario.parse(text), text)
  return forAll([fc.string()], (text) => {
    fc.pre(!/^(?:succeed|challenge|cancel|refund|chargeback|conflict|stuck|decline:\d)/u.test(text))
    assert.isUndefined(Scenario.parse(text))
  })
})

for (const skipFirstCharge of [false, true]) {
  it(`of a subscription with decline-once the first charge is declined and no later one; skipFirstCharge is ${skipFirstCharge}`, () =>
    run(
      Effect.gen(function* () {
        const path = "/payments/card/recurring"
        const over = { skipFirstCharge, ...scenario("decline-once:51") }
        yield* ask("POST", path, body(path, yield* prepare, over))
        yield* TestClock.adjust("100 days")
        const all = yield* (yield* Gateway.Gateway).transactions
        assert.deepStrictEqual(
          all.filter((each) => each.subscriptionId !== undefined).map(({ status }) => status),
          ["FAILED", ...(skipFirstCharge ? [] : ["SUCCEED"]), "SUCCEED", "SUCCEED"]
        )
      })
    ))
}
