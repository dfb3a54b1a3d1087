import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { createHmac } from "node:crypto"
import { assert, describe, it } from "vitest"
import { authenticate, payment, Receiver, run, send } from "@pawl/test-support/TestGateway"
import { ask, body, callbackUrl, card, scenario } from "@pawl/test-support/Creates"

const noResources = { cardToken: "", paymentId: 0 }

describe("an APM payout", () => {
  it("has the response of an APM payment, and its info returns the request fields", () =>
    run(
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.UTC(2026, 10, 20, 12, 30))
        const apmPayload = { paymentMethod: "BANK", iban: "LV80BANK0000435195001", odd: [1, null] }
        const billingDetails = { firstName: "Ada", ssn: "078-05-1120", loyalty: { tier: 3 } }
        const request = payment({
          accountId: "0077",
          apmPayload,
          billingDetails,
          order: { title: "Winnings" },
          metadata: { a: "b" },
          successRedirectUrl: "https://shop.example/thanks",
          failureRedirectUrl: "https://shop.example/sorry"
        })
        const apmResponseData = {
          providerTransactionId: "provider-100001",
          paymentMethod: "BANK",
          paymentType: "BANK_TRANSFER",
          actionType: "REDIRECTION",
          redirectUrl: "https://pay.invalid/apm/100001"
        }
        assert.deepStrictEqual(yield* ask("POST", "/payouts/apm", request), {
          requestId: "r-1",
          transactionId: "100001",
          transactionStatus: "NEW",
          metadata: { a: "b" },
          apmResponseData,
          createdTime: "2026-11-20T12:30:00.000Z",
          paymentType: "APM"
        })
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(yield* ask("GET", "/payouts/apm/info/100001"), {
          transactionId: "100001",
          requestId: "r-1",
          accountId: 77,
          transactionStatus: "SUCCEED",
          apmRequestPayload: apmPayload,
          apmResponseData,
          callbackUrl,
          billingDetails,
          order: { title: "Winnings" },
          createdAt: "2026-11-20T12:30:00.000Z",
          metadata: { a: "b" }
        })
        const { received } = yield* Receiver
        assert.lengthOf(received, 4)
        for (const { body, checksum, url } of received) {
          assert.strictEqual(url, `${callbackUrl}?paymentMethod=apm&apmType=BANK`)
          assert.include(body, { accountId: "0077", amount: "10.50", apmType: "BANK" })
          assert.strictEqual(
            checksum,
            createHmac("sha256", "sandbox-secret").update("0077|10.50|EUR|100001").digest("base64")
          )
        }
      })
    ))

  it("loses no digit of its account", () =>
    run(
      Effect.gen(function* () {
        const token = yield* authenticate
        const accounts = [
          ["9".repeat(64), "9".repeat(64)],
          ["12345678901234567890", "12345678901234567890"],
          ["000", "0"]
        ] as const
        for (const [index, [accountId, expected]] of accounts.entries()) {
          yield* ask("POST", "/payouts/apm", payment({ requestId: `r-${index}`, accountId }))
          const info = yield* send("GET", `/payouts/apm/info/${100_001 + index}`, { token })
          assert.include(info.body, `"accountId":${expected},`)
        }
      })
    ))

  it("that is declined has the decline in its info", () =>
    run(
      Effect.gen(function* () {
        yield* ask("POST", "/payouts/apm", payment(scenario("decline:7")))
        assert.include(yield* ask("GET", "/payouts/apm/info/100001"), {
          transactionStatus: "FAILED",
          declineCode: 7
        })
      })
    ))
})

describe("a card payout", () => {
  it("has every field of the specification, and its info has only the mask of the card", () =>
    run(
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.UTC(2026, 10, 20, 12, 30))
        const over = { amount: "12345678901234567.895", metadata: { a: "b" } }
        const created = yield* ask(
          "POST",
          "/payouts/card",
          body("/payouts/card", noResources, over)
        )
        assert.deepStrictEqual(created, {
          transactionId: "100001",
          transactionStatus: "NEW",
          paymentType: "CARD",
          metadata: { a: "b" }
        })
        yield* TestClock.adjust("1 second")
        const token = yield* authenticate
        const info = yield* send("GET", "/payouts/card/info/100001", { token })
        assert.include(info.body, `"totalAmount":12345678901234567.90,`)
        const { totalAmount: _, ...rest } = info.json as { readonly totalAmount: number }
        assert.deepStrictEqual<unknown>(rest, {
          transactionId: "100001",
          requestId: "r-1",
          mid: "m-1",
          transactionStatus: "SUCCEED",
          cardMask: "424242******4242",
          cardHolder: "Ada Lovelace",
          callbackUrl,
          createdAt: "2026-11-20T12:30:00.000Z",
          metadata: { a: "b" }
        })
      })
    ))

  it("sends callbacks in the card layout, in EUR unless the request has a currency", () =>
    run(
      Effect.gen(function* () {
        const { received } = yield* Receiver
        for (const [over, currency] of [
          [{}, "EUR"],
          [{ currency: "USD" }, "USD"]
        ] as const) {
          received.length = 0
          const request = { ...over, requestId: currency, ...scenario("stuck") }
          const { transactionId } = yield* ask(
            "POST",
            "/payouts/card",
            body("/payouts/card", noResources, request)
          )
          yield* TestClock.adjust("1 second")
          assert.lengthOf(received, 3)
          for (const { body, checksum, url } of received) {
            assert.strictEqual(url, `${callbackUrl}?paymentMethod=card`)
            const { transactionStatus: _, ...rest } = body
            assert.deepStrictEqual(rest, {
              transactionId,
              mid: "m-1",
              orderAmount: "10.50",
              orderCurrency: currency,
              ...scenario("stuck")
            })
            const signed = `m-1|10.50|${currency}|${String(transactionId)}`
            assert.strictEqual(
              checksum,
              createHmac("sha256", "sandbox-secret").update(signed).digest("base64")
            )
          }
        }
      })
    ))

  it("to the declining card is declined, and has the decline in its info", () =>
    run(
      Effect.gen(function* () {
        const over = { card: { ...card, number: "4000000000000002" } }
        const created = yield* ask(
          "POST",
          "/payouts/card",
          body("/payouts/card", noResources, over)
        )
        const expected = { transactionStatus: "FAILED", declineCode: 5 }
        assert.include(created, expected)
        assert.include(yield* ask("GET", "/payouts/card/info/100001"), expected)
      })
    ))
})
