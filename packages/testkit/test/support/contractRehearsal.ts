/**
 * The contract of what is rare: reasons of declines, refused subscriptions, nulls and epochs.
 */
import * as Effect from "effect/Effect"
import { assert } from "vitest"
import {
  ask,
  begin,
  type Case,
  create,
  idOf,
  it,
  type Json,
  noResources,
  prepare,
  ServiceUnderTest,
  steps
} from "./contractService.ts"
import { scenario } from "./creates.ts"

const subscriptions = "/payments/card/recurring"

/** Subscribes to a daily plan, and returns the response to the create. */
const subscribe = Effect.fnUntraced(function* (story: string) {
  const plan = { amount: "5", currency: "EUR", frequency: "DAILY", interval: 1 }
  return yield* create(subscriptions, yield* prepare, {
    plan: { ...plan, startDate: "1970-01-01" },
    ...scenario(story)
  })
})

export const rehearsal: ReadonlyArray<Case> = [
  it(
    "a declined APM payment or payout has a declineSubReason, in its response and its info; a card has none",
    Effect.gen(function* () {
      for (const path of ["/payments/apm", "/payouts/apm"]) {
        for (const [story, declineSubReason] of [
          ["decline:51", "DECLINED"],
          ["decline:51:LIMIT_EXCEEDED", "LIMIT_EXCEEDED"]
        ] as const) {
          const { answer, id } = yield* begin(path, story, noResources)
          const expected = { transactionStatus: "FAILED", declineCode: 51, declineSubReason }
          assert.deepInclude(answer, expected)
          if (path === "/payouts/apm") {
            assert.deepInclude(yield* ask("GET", `/payouts/apm/info/${id}`), expected)
          }
        }
        assert.notProperty((yield* begin(path, "succeed", noResources)).answer, "declineSubReason")
      }
      const { answer } = yield* begin("/payments/card", "decline:51:LIMIT_EXCEEDED", noResources)
      assert.notProperty(answer, "declineSubReason")
      assert.strictEqual(answer["declineCode"], 51)
    })
  ),
  it(
    "a payment whose chargeback is won is SUCCEED again, and with `lost` only its last callback is lost",
    Effect.gen(function* () {
      const { answer, id } = yield* begin("/payments/card", "chargeback-won+lost", noResources)
      assert.strictEqual(answer["transactionStatus"], "NEW")
      const seen: Array<unknown> = []
      for (let step = 0; step < 6; step++) {
        seen.push(yield* ask("GET", `/payments/card/status/${id}`))
        yield* steps(1)
      }
      const all = ["NEW", "PENDING", "PROCESSING", "SUCCEED", "CHARGEBACK", "SUCCEED"]
      assert.deepStrictEqual(seen, all)
      const { arrived } = yield* ServiceUnderTest
      const statuses = (yield* arrived).map(({ body }) => body["transactionStatus"])
      assert.deepStrictEqual(statuses, all.slice(0, -1))
    })
  ),
  it(
    "a subscription whose first charge is refused charges on: only the first is declined, or every one",
    Effect.gen(function* () {
      for (const [story, failureCount, lastChargeStatus] of [
        ["decline-once:51", 0, "SUCCEED"],
        ["decline:51", 3, "FAILED"]
      ] as const) {
        const { reset } = yield* ServiceUnderTest
        yield* reset
        const answer = yield* subscribe(story)
        assert.deepInclude(answer, { transactionStatus: "FAILED", declineCode: 51 })
        const path = `${subscriptions}/${idOf(answer)}`
        const first = { status: "ACTIVE", failureCount: 1, lastChargeStatus: "FAILED" }
        assert.deepInclude(yield* ask("GET", path), first)
        yield* steps(48)
        const later = { status: "ACTIVE", failureCount, lastChargeStatus }
        assert.deepInclude(yield* ask("GET", path), later)
      }
    })
  ),
  it(
    "in the style of a JVM a response has null for absent fields and epoch milliseconds for times",
    Effect.gen(function* () {
      const answer = yield* create("/payments/apm", noResources)
      assert.deepInclude(answer, { declineCode: null, declineSubReason: null, metadata: null })
      assert.strictEqual((answer["apmResponseData"] as Json)["qrData"], null)
      const started = Number(answer["createdTime"])
      assert.strictEqual(answer["createdTime"], started)
      const id = idOf(yield* create("/payouts/apm", noResources, { requestId: "payout" }))
      const info = yield* ask("GET", `/payouts/apm/info/${id}`)
      assert.deepInclude(info, { billingDetails: null, order: null })
      assert.closeTo(Number(info["createdAt"]), started, 60_000)
      const subscription = yield* subscribe("succeed")
      assert.isNumber(subscription["nextChargeDate"])
      const read = yield* ask("GET", `${subscriptions}/${idOf(subscription)}`)
      for (const name of ["createdAt", "nextChargeDate", "lastChargeDate"]) {
        assert.isNumber(read[name], name)
      }
      assert.strictEqual((read["plan"] as Json)["endDate"], null)
      assert.strictEqual(read["billingDetails"], null)
      const status = yield* ask("GET", `/payouts/apm/status/${id}`)
      assert.strictEqual<unknown>(typeof status, "string")
    }),
    { style: "jvm" }
  )
]
