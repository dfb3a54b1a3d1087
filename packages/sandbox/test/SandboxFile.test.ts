import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { assert, describe, expect, it } from "vitest"
import * as Sandbox from "../src/Sandbox.ts"
import * as Tagged from "../src/internal/sandbox/StoredJson.ts"
import { body } from "@pawl/test-support/Creates"
import { files } from "@pawl/test-support/Stores"
import { payment } from "@pawl/test-support/TestGateway"
import { live as test } from "@pawl/test-support/Tests"
import { noResources } from "./support/contractService.ts"
import { api, control, list, pay, runWith, type Shown, type Test } from "./support/sandbox.ts"
import { receiver } from "./support/wire.ts"

const file = files()

/** Runs sandboxes one after the other on one file. */
const inTurn = (options: Sandbox.Options, ...tests: ReadonlyArray<Test<void>>) => {
  const { filename } = file()
  return Effect.forEach(
    tests,
    (test) => Effect.promise(() => runWith({ ...options, filename }, test)),
    { discard: true }
  )
}

const clock = (advance: string) => control("POST", "/clock", { advance })

describe("X03: a sandbox with a file", () => {
  test("continues after a restart during delivery: the remaining statuses and the retries", function* () {
    let isUp = false
    let before: readonly [
      transactions: ReadonlyArray<Shown>,
      deliveries: ReadonlyArray<Shown>,
      advanced: number
    ] = [[], [], 0]
    const shop = yield* receiver(() => [isUp ? 200 : 503])
    const callbackUrl = `${shop.url}/cb`
    yield* inTurn(
      { pace: "50 seconds" },
      function* () {
        yield* pay({ callbackUrl })
        yield* clock("1 minute")
        const { advanced } = (yield* control("GET", "/clock")).json
        before = [yield* list("/transactions"), yield* list("/deliveries"), advanced]
      },
      function* () {
        const [transactions, deliveries, advanced] = before
        assert.deepStrictEqual(yield* list("/transactions"), transactions)
        assert.deepStrictEqual(yield* list("/deliveries"), deliveries)
        assert.strictEqual((yield* control("GET", "/clock")).json.advanced, advanced)
        expect(shop.received.map(({ body }) => body.transactionStatus)).toEqual(["NEW", "PENDING"])
        isUp = true
        yield* clock("10 minutes")
        const all = yield* list("/deliveries")
        const start = Date.parse(all[0]?.at ?? "")
        assert.deepStrictEqual(
          all.map(({ answer, at, attempt, status }) => [
            status,
            attempt,
            answer,
            Math.round((Date.parse(at) - start) / 1000)
          ]),
          [
            ["NEW", 1, 503, 0],
            ["PENDING", 1, 503, 50],
            ["PROCESSING", 1, 200, 100],
            ["NEW", 2, 200, 120],
            ["SUCCEED", 1, 200, 150],
            ["PENDING", 2, 200, 170]
          ]
        )
      },
      function* () {
        yield* clock("1 day")
        assert.lengthOf(shop.received, 6)
      }
    )
  })

  test("delivers callbacks that were held or late when it closed: shuffled, twice, and none lost", function* () {
    const shop = yield* receiver(() => [200])
    const create = (scenario: string) =>
      pay({ requestId: scenario, scenario, callbackUrl: `${shop.url}/cb` })
    yield* inTurn(
      { pace: "10 seconds", seed: 1 },
      function* () {
        yield* create("succeed+shuffle")
        yield* create("succeed+late+duplicate")
        yield* clock("25 seconds")
        assert.isEmpty(shop.received)
      },
      function* () {
        yield* clock("1 hour")
        const byTransaction = Map.groupBy(shop.received, ({ body }) => body.transactionId)
        const [shuffled = [], late = []] = Array.from(byTransaction.values(), (all) =>
          all.map(({ body }) => body.transactionStatus)
        )
        const story = ["NEW", "PENDING", "PROCESSING", "SUCCEED"]
        assert.sameMembers(shuffled, story)
        assert.notDeepEqual(shuffled, story)
        expect(late).toStrictEqual(story.flatMap((status) => [status, status]))
      }
    )
  })

  test("restores its tokens, responses, cards, subscriptions, identifiers and clock", function* () {
    const once = payment({ requestId: "once", metadata: { "~": "x", __proto__x: "y" } })
    let saved = { first: "", token: "", subscription: "", read: "" }
    const path = "/payments/card/recurring"
    const tokenize = body("/payments/card/tokenize", noResources)
    const subscribe = (cardToken: string) =>
      body(
        path,
        { ...noResources, cardToken },
        {
          callbackUrl: "http://127.0.0.1:1/cb",
          billingDetails: { email: "ada@shop.example", firstName: "Ada" }
        }
      )
    yield* inTurn(
      {},
      function* () {
        const { text: first } = yield* api("POST", "/v1/payments/apm", once)
        const tokenized = yield* api("POST", "/v1/payments/card/tokenize", tokenize)
        const { cardToken } = tokenized.json as { readonly cardToken: string }
        const created = yield* api("POST", `/v1${path}`, subscribe(cardToken))
        const { subscriptionId } = created.json as { readonly subscriptionId: string }
        yield* clock("1 day")
        const read = yield* api("GET", `/v1${path}/${subscriptionId}`)
        saved = { first, token: tokenized.text, subscription: subscriptionId, read: read.text }
      },
      function* () {
        assert.strictEqual((yield* api("POST", "/v1/payments/apm", once)).text, saved.first)
        const again = yield* api("POST", "/v1/payments/card/tokenize", tokenize)
        assert.strictEqual(again.text, saved.token)
        const id = saved.subscription
        assert.strictEqual((yield* api("GET", `/v1${path}/${id}`)).text, saved.read)
        const transactionId = yield* pay({ requestId: "new" })
        const known = yield* list("/transactions")
        const ids = known.map((one) => one.transactionId)
        assert.strictEqual(new Set([...ids, id]).size, ids.length + 1)
        assert.include(ids, transactionId)
        const before = ids.length
        yield* clock("800 days")
        const charges = yield* list("/transactions")
        assert.isAbove(charges.length, before + 13)
      }
    )
  })

  test("does not restore state that was reset", function* () {
    yield* inTurn(
      {},
      function* () {
        yield* pay()
        yield* control("POST", "/reset")
      },
      function* () {
        assert.deepStrictEqual(yield* list("/transactions"), [])
        assert.strictEqual(yield* pay(), "100001")
        assert.lengthOf(yield* list("/transactions"), 1)
      }
    )
  })

  test("that cannot be opened does not start, and gives the reason in one sentence", function* () {
    const filename = `${file().filename}/nowhere/sandbox.db`
    const failed = yield* Effect.flip(Layer.build(Sandbox.layer({ filename })))
    assert.strictEqual(failed._tag, "SqlError")
    assert.include(failed.message, "nowhere/sandbox.db cannot be used")
  })
})

it("a stored value reads as it was written, with redacted values and any key", () => {
  const value = {
    "~": ["redacted", 1],
    list: [{ "~": { "~": null } }, [], "~"],
    hidden: Redacted.make("x", { label: "ssn" }),
    deep: { hidden: Redacted.make("y") },
    ["__proto__x"]: 1
  }
  const read = Tagged.read(Tagged.write(value)) as typeof value
  assert.strictEqual(Redacted.value(read.hidden), "x")
  assert.strictEqual(read.hidden.label, "ssn")
  assert.strictEqual(Redacted.value(read.deep.hidden), "y")
  assert.deepStrictEqual({ ...read, hidden: 0, deep: 0 }, { ...value, hidden: 0, deep: 0 })
  const polluted = Tagged.read(Tagged.write(JSON.parse('{"__proto__":{"polluted":1}}')))
  assert.isTrue(Object.hasOwn(polluted as object, "__proto__"))
  assert.notProperty({}, "polluted")
})
