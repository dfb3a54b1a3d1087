import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { assert, it } from "vitest"
import * as Book from "../src/internal/gateway/Transactions.ts"
import * as Scenario from "../src/Scenario.ts"
import { Receiver, run } from "./support/testGateway.ts"

/** Opens a transaction in a new gateway. */
const open = Effect.fnUntraced(function* (text: string) {
  const book = yield* Book.make(({ transactionId }) => ({
    url: "http://127.0.0.1:4020/callback",
    transactionId,
    signed: { account: "m-1", amount: "10", currency: "EUR", transactionId },
    body: { transactionId }
  }))
  const scenario = Scenario.parse(text)
  assert.isDefined(scenario)
  const { transactionId } = yield* book.open({
    kind: "card-payment",
    requestId: "r-1",
    amount: "10",
    currency: "EUR",
    scenario
  })
  yield* TestClock.adjust("1 minute")
  return { move: book.move, transactionId, truth: book.find("card-payment", transactionId) }
})

it("a move to the current status changes nothing and sends no callback", () =>
  run(
    Effect.gen(function* () {
      const { move, transactionId, truth } = yield* open("succeed")
      yield* move(transactionId, "SUCCEED")
      yield* move("7", "SUCCEED")
      yield* TestClock.adjust("1 minute")
      assert.lengthOf((yield* truth).history, 4)
      assert.lengthOf((yield* Receiver).received, 4)
    })
  ))

it("a declineCode is present only while the status is FAILED", () =>
  run(
    Effect.gen(function* () {
      const { move, transactionId, truth } = yield* open("decline:51")
      assert.strictEqual((yield* truth).declineCode, 51)
      yield* move(transactionId, "SUCCEED")
      assert.isUndefined((yield* truth).declineCode)
    })
  ))

it("a transaction is over at the end of its scenario, and stays over after another move", () =>
  run(
    Effect.gen(function* () {
      const { move, transactionId, truth } = yield* open("succeed")
      assert.isTrue((yield* truth).isOver)
      yield* move(transactionId, "REFUNDED")
      assert.include(yield* truth, { isOver: true, status: "REFUNDED" })
    })
  ))
