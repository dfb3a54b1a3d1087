import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { createHmac } from "node:crypto"
import { assert, describe, it } from "vitest"
import * as Gateway from "../src/Gateway.ts"
import * as Scenario from "../src/Scenario.ts"
import { Receiver, run } from "@pawl/test-support/TestGateway"
import { ask, body, card, scenario } from "@pawl/test-support/Creates"

const cards = [
  ["4242424242424242", "succeed"],
  ["5555555555554444", "succeed"],
  ["4000000000000002", "decline:5"],
  ["4000000000003220", "challenge"]
] as const

const noResources = { cardToken: "", paymentId: 0 }

describe("a card payment", () => {
  it("has the response of an APM payment, with paymentType CARD and, if challenged, the challenge URLs", () =>
    run(
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.UTC(2026, 10, 20, 12, 30))
        const common = { createdTime: "2026-11-20T12:30:00.000Z", paymentType: "CARD" }
        for (const [index, [number, expectedFields]] of [
          ["4242424242424242", { transactionStatus: "NEW" }],
          ["4000000000000002", { transactionStatus: "FAILED", declineCode: 5 }],
          [
            "4000000000003220",
            {
              transactionStatus: "CUSTOMER_VERIFICATION",
              challengeUrl: "https://pay.invalid/challenge/100003",
              challengeUrlIframe: "https://pay.invalid/challenge/100003?frame=1"
            }
          ]
        ].entries()) {
          const requestId = `r-${index}`
          const over = { requestId, card: { ...card, number } }
          const created = yield* ask(
            "POST",
            "/payments/card",
            body("/payments/card", noResources, over)
          )
          const transactionId = String(100_001 + index)
          assert.deepStrictEqual(created, {
            requestId,
            transactionId,
            ...(expectedFields as object),
            ...common
          })
        }
      })
    ))

  it("follows the story of the card: paid with the card, with its token, or charged", () =>
    run(
      Effect.gen(function* () {
        const { received } = yield* Receiver
        for (const [number, story] of cards) {
          const request = { card: { ...card, number } }
          const { cardToken } = yield* ask("POST", "/payments/card/tokenize", {
            ...body("/payments/card/tokenize", noResources, request),
            requestId: number
          })
          const token = { cardToken, card: undefined }
          for (const [path, over] of [
            ["/payments/card", request],
            ["/payments/card", token],
            ["/payments/card/charge", { cardToken }]
          ] as const) {
            received.length = 0
            const requestId = `${number}-${Object.keys(over).join("-")}`
            yield* ask("POST", path, body(path, noResources, { ...over, requestId }))
            yield* TestClock.adjust("1 minute")
            assert.deepStrictEqual(
              received.map(({ body }) => body["transactionStatus"]),
              [...(Scenario.parse(story)?.statuses ?? [])]
            )
          }
        }
        const truth = yield* (yield* Gateway.Gateway).transactions
        assert.deepStrictEqual(
          [...new Set(truth.map(({ cardMask }) => cardMask))],
          ["424242******4242", "555555******4444", "400000******0002", "400000******3220"]
        )
      })
    ))

  it("follows the story of its metadata, unless that is succeed", () =>
    run(
      Effect.gen(function* () {
        const { received } = yield* Receiver
        for (const [number, story, expected] of [
          ["4000000000000002", "succeed", "decline:5"],
          ["4000000000000002", "succeed+duplicate", "decline:5+duplicate"],
          ["4000000000000002", "decline:51", "decline:51"],
          ["4000000000000002", "chargeback", "chargeback"],
          ["4000000000003220", "cancel", "cancel"],
          ["4242424242424242", "challenge+duplicate", "challenge+duplicate"]
        ] as const) {
          received.length = 0
          const over = { requestId: `${number} ${story}`, card: { number }, ...scenario(story) }
          const created = yield* ask(
            "POST",
            "/payments/card",
            body("/payments/card", noResources, over)
          )
          yield* TestClock.adjust("1 minute")
          const scenarioOf = Scenario.parse(expected)
          assert.strictEqual(created["declineCode"], scenarioOf?.declineCode)
          assert.deepStrictEqual(
            [...new Set(received.map(({ body }) => body["transactionStatus"]))],
            [...(scenarioOf?.statuses ?? [])]
          )
          const times = scenarioOf?.suffixes.duplicate === true ? 2 : 1
          assert.lengthOf(received, times * (scenarioOf?.statuses.length ?? 0))
        }
      })
    ))

  it("sends callbacks in the card layout, and their checksum verifies", () =>
    run(
      Effect.gen(function* () {
        const over = {
          amount: "10.505",
          metadata: { a: "b" },
          callbackUrl: "http://[::1]:1/cb?t=1"
        }
        yield* ask("POST", "/payments/card", body("/payments/card", noResources, over))
        yield* TestClock.adjust("1 millis")
        const [received] = (yield* Receiver).received
        assert.isDefined(received)
        assert.strictEqual(received.url, "http://[::1]:1/cb?t=1&paymentMethod=card")
        assert.deepStrictEqual(received.body, {
          transactionId: "100001",
          transactionStatus: "NEW",
          mid: "m-1",
          orderAmount: "10.51",
          orderCurrency: "EUR",
          metadata: { a: "b" }
        })
        assert.strictEqual(
          received.checksum,
          createHmac("sha256", "sandbox-secret").update("m-1|10.51|EUR|100001").digest("base64")
        )
      })
    ))
})

it("a card token differs for every requestId, and does not contain the card number", () =>
  run(
    Effect.gen(function* () {
      const path = "/payments/card/tokenize"
      const first = yield* ask("POST", path, body(path, noResources))
      const second = yield* ask("POST", path, body(path, noResources, { requestId: "r-2" }))
      assert.deepStrictEqual(Object.keys(first), ["requestId", "cardToken"])
      assert.strictEqual(first["requestId"], "r-1")
      assert.notStrictEqual(first["cardToken"], second["cardToken"])
      for (const { cardToken } of [first, second]) {
        assert.notInclude(card.number, String(cardToken).replaceAll(/[^0-9]/gu, "x"))
      }
    })
  ))
