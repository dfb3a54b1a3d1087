import * as Evidence from "@pawl/core/Evidence"
import { isTerminal, type Status } from "@pawl/core/Status"
import * as Fact from "@pawl/webhook/internal/rule/Fact"
import { layerMemory, Ledger } from "@pawl/webhook/Ledger"
import * as StoryScenario from "@pawl/receiver/internal/story/StoryScenario"
import * as Effect from "effect/Effect"
import { assert, describe, it } from "vitest"
import { callback } from "@pawl/testkit/internal/laws/ledger/LedgerLaw"
import * as Scenario from "@pawl/testkit/Scenario"

const id = "1"

/** Plays callbacks, and a read after each final status and at the end. */
const play = ({ statuses, suffixes }: Scenario.Scenario) =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    yield* ledger.register(
      { kind: "apm-payment", transactionId: id, amount: "10.00", currency: "EUR", status: "NEW" },
      0
    )
    const accept = (status: Status, at: number) =>
      ledger.accept(callback(status, { method: "apm", transactionId: id }), at)
    for (const [index, status] of statuses.entries()) {
      const at = 10 * (index + 1)
      const isLast = index === statuses.length - 1
      const isSent = !suffixes.silent && !(suffixes.lost && isLast)
      if (isSent) yield* accept(status, at)
      if (isSent && suffixes.duplicate) yield* accept(status, at + 1)
      if (isSent && suffixes.forged && !statuses.includes("CANCELLED"))
        yield* accept("CANCELLED", at)
      if (!isTerminal(status) && !isLast) continue
      const { rows } = yield* ledger.claim({ at: 9000, until: 9000, limit: 1 })
      for (const leased of rows) {
        yield* ledger.write(leased, {
          evidence: Evidence.confirmed(status),
          read: { status, askedAt: at + 5 },
          facts: [Fact.asked(at + 5, status, "apm-payment")],
          release: { dueAt: at }
        })
      }
    }
    return (yield* ledger.story("apm", id))[0] ?? assert.fail("no story")
  }).pipe(Effect.provide(layerMemory), Effect.runPromise)

const plain = [
  "succeed",
  "challenge",
  "refund",
  "chargeback",
  "chargeback-won",
  "conflict",
  "stuck",
  "customer",
  "decline:51"
]
const endings = ["", "+duplicate", "+forged", "+lost", "+silent", "+lost+duplicate"]

describe("the scenario of a story", () => {
  it.for(plain.flatMap((name) => endings.map((ending) => name + ending)))(
    "repeats %s",
    async (text) => {
      const scenario = Scenario.parse(text) ?? assert.fail(text)
      const story = await play(scenario)
      const exported = Scenario.parse(StoryScenario.make(story)) ?? assert.fail("not a scenario")
      // A callback had claimed this status before, so none is missing.
      const lost = scenario.suffixes.lost && text !== "chargeback-won+lost"
      assert.deepEqual(exported.suffixes, {
        ...scenario.suffixes,
        lost: lost && !text.startsWith("chargeback-won")
      })
      // Without callbacks only the read statuses are known.
      const isKnown = (status: Status, index: number) =>
        !scenario.suffixes.silent ||
        index === 0 ||
        isTerminal(status) ||
        index === scenario.statuses.length - 1
      assert.deepEqual([...exported.statuses], scenario.statuses.filter(isKnown))
      assert.match(
        StoryScenario.command(story) ?? "",
        /^pawl trigger steps:NEW\S+ --kind apm-payment --amount 10\.00 --currency EUR --callback-url /u
      )
    }
  )
})
