import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { assert } from "vitest"
import * as Book from "../src/internal/gateway/Transactions.ts"
import * as Scenario from "../src/Scenario.ts"
import { test } from "@pawl/test-support/GatewayTests"
import { Receiver, authenticate, send } from "@pawl/test-support/TestGateway"

const makeBook = Book.make(({ transactionId }) => ({
  url: "http://127.0.0.1:4020/callback",
  transactionId,
  signed: { account: "m-1", amount: "10", currency: "EUR", transactionId },
  body: { transactionId }
}))

const openIn = (book: Book.Transactions, text: string) => {
  const scenario = Scenario.parse(text)
  assert.isDefined(scenario)
  return book.open({
    kind: "card-payment",
    requestId: "r-1",
    amount: "10",
    currency: "EUR",
    scenario
  })
}

const open = Effect.fnUntraced(function* (text: string) {
  const book = yield* makeBook
  const { transactionId } = yield* openIn(book, text)
  yield* TestClock.adjust("1 minute")
  return { move: book.move, transactionId, truth: book.find("card-payment", transactionId) }
})

test("a move to the current status changes nothing and sends no callback", function* () {
  const { move, transactionId, truth } = yield* open("succeed")
  yield* move(transactionId, "SUCCEED")
  yield* move("7", "SUCCEED")
  yield* TestClock.adjust("1 minute")
  assert.lengthOf((yield* truth).history, 4)
  assert.lengthOf((yield* Receiver).received, 4)
})

test("a transaction is over at the end of its scenario, and stays over after another move", function* () {
  const { move, transactionId, truth } = yield* open("succeed")
  assert.isTrue((yield* truth).isOver)
  yield* move(transactionId, "REFUNDED")
  assert.include(yield* truth, { isOver: true, status: "REFUNDED" })
})

test("of transactions that move at the same time, one that is halted holds back no other", function* () {
  const book = yield* makeBook
  const opened = yield* Effect.all(["succeed", "succeed", "stuck"].map((s) => openIn(book, s)))
  yield* book.halt(opened[0]?.transactionId ?? "")
  yield* TestClock.adjust("1 minute")
  const statuses = (yield* book.all).map(({ status }) => status)
  assert.deepStrictEqual(statuses, ["NEW", "SUCCEED", "PROCESSING"])
})

test("a token is valid until the second in which it expires", function* () {
  const token = yield* authenticate
  const status = Effect.map(
    send("GET", "/payments/apm/status/1", { token }),
    ({ status }) => status
  )
  yield* TestClock.adjust("2591999 seconds")
  assert.strictEqual(yield* status, 404)
  yield* TestClock.adjust("1 second")
  assert.strictEqual(yield* status, 401)
})
