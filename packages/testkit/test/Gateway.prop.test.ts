import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { assert, it } from "vitest"
import * as Gateway from "../src/Gateway.ts"
import * as Scenario from "../src/Scenario.ts"
import {
  authenticate,
  create,
  type Created,
  payment,
  Receiver,
  run,
  send,
  stories
} from "@pawl/test-support/TestGateway"

it("X05: amounts with more than two decimals are rounded half up; others stay as they were sent", () =>
  fc.assert(
    fc.asyncProperty(
      fc.bigInt(0n, 10n ** 17n),
      fc.option(fc.tuple(fc.integer({ min: 1, max: 18 }), fc.bigInt(0n, 10n ** 18n - 1n))),
      (units, decimals) =>
        run(function* () {
          const text = decimals?.[1].toString().padStart(18, "0").slice(0, decimals[0])
          const amount = text === undefined ? `${units}` : `${units}.${text}`
          const { transactionId } = yield* create({ amount })
          const stored = (yield* (yield* Gateway.Gateway).transaction(transactionId))?.amount ?? ""
          yield* TestClock.adjust("1 millis")
          assert.strictEqual((yield* Receiver).received[0]?.body["amount"], stored)
          if (text === undefined || text.length <= 2) return assert.strictEqual(stored, amount)
          // At a scale of 18, rounding half up adds half a hundredth and truncates.
          const scaled = BigInt(`${units}${text.padEnd(18, "0")}`) + 5n * 10n ** 15n
          assert.strictEqual(BigInt(stored.replace(".", "")), scaled / 10n ** 16n)
          assert.match(stored, /^(?:0|[1-9][0-9]*)\.[0-9]{2}$/u)
        })
    ),
    {
      numRuns: 200,
      examples: [
        [10n, [3, 5n * 10n ** 15n]],
        [0n, [3, 995n * 10n ** 15n]],
        [9n, [3, 995n * 10n ** 15n]],
        [0n, [3, 4n * 10n ** 15n]]
      ]
    }
  ))

const pace = 200

type Operation =
  | { readonly do: "create"; readonly requestId: string; readonly story: string }
  | { readonly do: "wait"; readonly ms: number }
  | { readonly do: "read"; readonly index: number }
  | { readonly do: "reset" }

const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("create" as const),
      requestId: fc.constantFrom("a", "b", "c", "d", "e", "f"),
      story: fc.constantFrom(...stories)
    })
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("wait" as const), ms: fc.integer({ min: 0, max: 500 }) })
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("read" as const), index: fc.nat(7) }) },
  { weight: 1, arbitrary: fc.constant({ do: "reset" as const }) }
)

interface Modelled {
  readonly requestId: string
  readonly story: string
  readonly begun: number
}

const historyOf = ({ begun, story }: Modelled, now: number) => {
  const scenario = Scenario.parse(story)
  assert.isDefined(scenario)
  const moves = Math.floor((now - begun) / pace)
  return scenario.statuses.slice(0, scenario.atCreate + moves).map((status, at) => ({
    status,
    at: new Date(begun + Math.max(0, at + 1 - scenario.atCreate) * pace).toISOString()
  }))
}

it("behaves as its model for any requests at any times", () =>
  fc.assert(
    fc.asyncProperty(fc.array(operation, { maxLength: 40 }), (operations) =>
      run(
        function* () {
          const gateway = yield* Gateway.Gateway
          const token = yield* authenticate
          const { received } = yield* Receiver
          let model: Array<Modelled> = []
          let now = 0
          const answers = new Map<string, string>()

          for (const operation of operations) {
            switch (operation.do) {
              case "create": {
                const { requestId, story } = operation
                const body = payment({ requestId, scenario: story })
                const answer = yield* send("POST", "/payments/apm", { token, body })
                const isNew = model.every((modelled) => modelled.requestId !== requestId)
                if (isNew) {
                  model.push({ requestId, story, begun: now })
                  answers.set(requestId, answer.body)
                  const { declineCode, transactionId, transactionStatus } = answer.json as Created
                  assert.strictEqual(transactionId, String(100_000 + model.length))
                  const scenario = Scenario.parse(story)
                  assert.strictEqual(
                    transactionStatus,
                    scenario?.statuses[scenario.atCreate - 1] ?? ""
                  )
                  assert.strictEqual(declineCode, story === "decline:51" ? 51 : undefined)
                }
                assert.strictEqual(answer.body, answers.get(requestId))
                break
              }
              case "wait": {
                now += operation.ms
                yield* TestClock.adjust(operation.ms)
                break
              }
              case "read": {
                const modelled = model[operation.index]
                const id = 100_001 + operation.index
                const { json, status } = yield* send("GET", `/payments/apm/status/${id}`, { token })
                if (modelled === undefined) assert.strictEqual(status, 404)
                else assert.strictEqual(json, historyOf(modelled, now).at(-1)?.status)
                break
              }
              case "reset": {
                yield* gateway.reset
                model = []
                answers.clear()
                received.length = 0
              }
            }
            const truth = yield* gateway.transactions
            assert.deepStrictEqual(
              truth.map(({ history, requestId }) => ({ requestId, history })),
              model.map((modelled) => ({
                requestId: modelled.requestId,
                history: historyOf(modelled, now)
              }))
            )
            for (const { declineCode, status } of truth) {
              if (declineCode !== undefined) assert.strictEqual(status, "FAILED")
            }
          }

          // With enough time, every status of every history had one callback.
          yield* TestClock.adjust("1 minute")
          for (const [index, { requestId, story }] of model.entries()) {
            const callbacks = received.filter(
              ({ body }) => body["transactionId"] === String(100_001 + index)
            )
            assert.sameMembers(
              callbacks.map(({ body }) => body["transactionStatus"]),
              [...(Scenario.parse(story)?.statuses ?? [])],
              requestId
            )
          }
        },
        { pace: `${pace} millis`, seed: 1 }
      )
    ),
    { numRuns: 100 }
  ))
