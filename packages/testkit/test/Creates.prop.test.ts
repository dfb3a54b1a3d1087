import * as Effect from "effect/Effect"
import * as Scheduler from "effect/Scheduler"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { assert, it } from "vitest"
import * as Gateway from "../src/Gateway.ts"
import * as Scenario from "../src/Scenario.ts"
import { authenticate, fields, Receiver, run, send, stories } from "@pawl/test-support/TestGateway"
import { body, creates, opening, prepare, scenario } from "@pawl/test-support/Creates"
import { repeats } from "@pawl/test-support/Repeats"

const paths = Object.keys(creates)
const canary = "k4n4ry"
const number = "4000056655665556"

/** Each makes one field invalid by the contract, with a value that must not be repeated. */
const contract: Readonly<Record<string, ReadonlyArray<readonly [field: string, value: unknown]>>> =
  {
    "/payments/apm": [
      ["accountId", `${canary}|`],
      ["amount", `1e${canary}`],
      ["currency", canary]
    ],
    "/payouts/apm": [
      ["apmPayload", [canary]],
      ["amount", "-1"],
      ["billingDetails", { ssn: { canary } }]
    ],
    "/payments/card": [
      ["amount", `1e${canary}`],
      ["currency", canary],
      ["metadata", canary]
    ],
    "/payments/card/tokenize": [
      ["requestId", 7],
      ["mid", [canary]]
    ],
    "/payments/card/charge": [
      ["cardToken", 7],
      ["callbackUrl", `ftp://${canary}`]
    ],
    "/payouts/card": [
      ["mid", 7],
      ["amount", canary],
      ["card", { number: `${canary}1111`, expMonth: "04", expYear: "2030" }],
      ["billingDetails", { firstName: canary }]
    ],
    "/refunds/card": [
      ["transactionId", canary],
      ["reason", 7],
      ["amount", canary]
    ],
    "/payments/intent": [
      ["type", canary],
      ["lang", canary],
      ["order", canary],
      ["billingDetails", {}]
    ],
    "/payments/card/recurring": [
      ["plan", { amount: canary }],
      ["cardToken", ""],
      ["successRedirectUrl", `javascript:${canary}`]
    ]
  }

const sandboxCard = { number, expMonth: "04", expYear: "2030" }
const unknown: readonly [string, unknown] = ["metadata", { "sandbox.scenario": canary }]
const mid: readonly [string, unknown] = ["mid", `${canary}|`]

/** The same for the rules beyond the contract. */
const beyond: typeof contract = {
  "/payments/apm": [unknown],
  "/payouts/apm": [unknown],
  "/payments/card": [mid, ["card", sandboxCard], unknown],
  "/payments/card/tokenize": [mid, ["card", sandboxCard]],
  "/payments/card/charge": [mid, ["cardToken", undefined], unknown],
  "/payouts/card": [mid, ["card", sandboxCard], ["currency", canary], unknown],
  "/refunds/card": [mid, unknown],
  "/payments/intent": [mid, unknown],
  "/payments/card/recurring": [
    mid,
    unknown,
    [
      "plan",
      { amount: "1", currency: "EUR", frequency: canary, interval: 0, startDate: "1970-02-30" }
    ]
  ]
}

const named = (json: unknown) => [
  ...new Set(fields(json).map((field) => field.split(".")[0] ?? ""))
]

it("every create is checked in one order: the token, the contract, then the other rules", () =>
  fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...paths).chain((path) =>
        fc.record({
          path: fc.constant(path),
          token: fc.constantFrom("good", "none", "bad"),
          contract: fc.subarray([...(contract[path] ?? [])]),
          beyond: fc.subarray([...(beyond[path] ?? [])])
        })
      ),
      (wrong) =>
        run(function* () {
          const resources = yield* prepare
          const before = yield* (yield* Gateway.Gateway).transactions
          const good = yield* authenticate
          const token = { good, none: undefined, bad: `${good}x` }[wrong.token]
          const {
            body: text,
            json,
            status
          } = yield* send("POST", wrong.path, {
            token,
            body: body(
              wrong.path,
              resources,
              Object.fromEntries([...wrong.beyond, ...wrong.contract])
            )
          })
          for (const secret of [canary, number]) assert.notInclude(text, secret)
          const expected = wrong.contract.length > 0 ? wrong.contract : wrong.beyond
          if (wrong.token !== "good") assert.strictEqual(status, 401)
          else if (expected.length === 0) assert.strictEqual(status, 200, text)
          else {
            assert.strictEqual(status, 400)
            assert.sameMembers(named(json), [...new Set(expected.map(([field]) => field))])
          }
          if (status !== 200) {
            assert.deepStrictEqual(yield* (yield* Gateway.Gateway).transactions, before)
          }
        })
    ),
    { numRuns: repeats(300) }
  ))

it("a requestId creates once an endpoint, and gets the same bytes at every repeat", () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          path: fc.constantFrom(...paths),
          requestId: fc.constantFrom("a", "b"),
          amount: fc.constantFrom("1", "2.5"),
          wait: fc.nat(1000)
        }),
        { maxLength: 20 }
      ),
      (requests) =>
        run(function* () {
          const resources = yield* prepare
          const gateway = yield* Gateway.Gateway
          const token = yield* authenticate
          const answers = new Map<string, string>()
          for (const { amount, path, requestId, wait } of requests) {
            const before = (yield* gateway.transactions).length
            const request = body(path, resources, { requestId, amount })
            const answer = yield* send("POST", path, { token, body: request })
            assert.strictEqual(answer.status, 200, answer.body)
            const key = `${path} ${requestId}`
            const original = answers.get(key)
            if (original !== undefined) {
              assert.strictEqual(answer.body, original)
              assert.lengthOf(yield* gateway.transactions, before)
            }
            answers.set(key, answer.body)
            yield* TestClock.adjust(wait)
          }
          const ids = (yield* gateway.transactions).map(({ transactionId }) => transactionId)
          assert.strictEqual(new Set(ids).size, ids.length)
        })
    ),
    { numRuns: repeats(100) }
  ))

it("a create sent a hundred times at once runs once, in any interleaving", async () => {
  for (const path of paths) {
    await run(function* () {
      const resources = yield* prepare
      const gateway = yield* Gateway.Gateway
      const before = (yield* gateway.transactions).length
      const token = yield* authenticate
      const answers = yield* Effect.forEach(
        Array.from({ length: 100 }),
        () => send("POST", path, { token, body: body(path, resources) }),
        { concurrency: "unbounded" }
      ).pipe(Effect.provideService(Scheduler.MaxOpsBeforeYield, 3))
      assert.lengthOf([...new Set(answers.map(({ body }) => body))], 1, path)
      assert.strictEqual(answers[0]?.status, 200)
      const opened = (yield* gateway.transactions).length - before
      const opens = [...opening, "/payments/card/recurring"].some((open) => open === path)
      assert.strictEqual(opened, opens ? 1 : 0)
    })
  }
})

it("every kind of transaction follows every scenario, and sends a callback for each status", () =>
  fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...opening),
      fc.constantFrom(...stories),
      fc.subarray(["duplicate", "shuffle"]),
      (path, story, suffixes) =>
        run(function* () {
          const resources = yield* prepare
          const { received } = yield* Receiver
          received.length = 0
          const token = yield* authenticate
          const text = [story, ...suffixes].join("+")
          const { json } = yield* send("POST", path, {
            token,
            body: body(path, resources, scenario(text))
          })
          const answer = json as Readonly<Record<string, unknown>>
          const expected = Scenario.parse(text)
          assert.isDefined(expected)
          assert.strictEqual(answer["transactionStatus"], expected.statuses[expected.atCreate - 1])
          assert.strictEqual(answer["declineCode"], story === "decline:51" ? 51 : undefined)
          yield* TestClock.adjust("1 minute")
          const id = String(answer["refundId"] ?? answer["transactionId"])
          const truth = yield* (yield* Gateway.Gateway).transaction(id)
          assert.deepStrictEqual(
            truth?.history.map(({ status }) => status),
            [...expected.statuses]
          )
          const times = suffixes.includes("duplicate") ? 2 : 1
          assert.sameMembers(
            received
              .filter(({ body }) => body["transactionId"] === id)
              .map(({ body }) => String(body["transactionStatus"])),
            expected.statuses.flatMap((status) => Array.from({ length: times }, () => status))
          )
        })
    ),
    { numRuns: repeats(200) }
  ))

const infos: Readonly<Record<string, string>> = {
  "/payouts/apm": "/payouts/apm/info",
  "/payouts/card": "/payouts/card/info",
  "/refunds/card": "/refunds/card/info",
  "/payments/card/recurring": "/payments/card/recurring"
}

it("metadata is returned exactly as sent, in the response, in every callback and in every read, and so is the time of a create", () =>
  fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...paths.filter((path) => path !== "/payments/card/tokenize")),
      fc.dictionary(
        fc.oneof(
          fc.string({ unit: "grapheme" }),
          fc.constantFrom("__proto__", "constructor", "toString", "amount", "plan")
        ),
        fc.oneof(fc.string({ unit: "grapheme" }), fc.constant("1.005"))
      ),
      (path, metadata) =>
        run(function* () {
          const resources = yield* prepare
          const { received } = yield* Receiver
          const token = yield* authenticate
          received.length = 0
          const request = body(path, resources, { metadata })
          const { json } = yield* send("POST", path, { token, body: request })
          const answer = json as Readonly<Record<string, unknown>>
          const text = JSON.stringify(metadata)
          assert.strictEqual(JSON.stringify(answer["metadata"]), text)
          // `prepare` has taken a minute.
          const at = "1970-01-01T00:01:00.000Z"
          assert.strictEqual(answer["createdTime"] ?? at, at)
          yield* TestClock.adjust("1 second")
          assert.lengthOf(received, path === "/payments/intent" ? 0 : 4)
          for (const { body } of received) {
            assert.strictEqual(JSON.stringify(body["metadata"]), text)
          }
          const info = infos[path]
          if (info === undefined) return
          const id = String(
            answer["refundId"] ?? answer["subscriptionId"] ?? answer["transactionId"]
          )
          const read = yield* send("GET", `${info}/${id}`, { token })
          const details = read.json as Readonly<Record<string, unknown>>
          assert.strictEqual(JSON.stringify(details["metadata"]), text)
          assert.strictEqual(details["createdAt"], at)
        })
    ),
    { numRuns: repeats(150) }
  ))
