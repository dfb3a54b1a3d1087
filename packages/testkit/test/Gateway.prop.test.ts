import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { assert, it } from "vitest"
import * as Gateway from "../src/Gateway.ts"
import * as Scenario from "../src/Scenario.ts"
import {
  authenticate,
  type Created,
  payment,
  Receiver,
  run,
  send,
  stories
} from "@pawl/test-support/TestGateway"

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
