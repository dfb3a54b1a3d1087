/**
 * The laws of transactions: amounts, statuses, refunds, metadata and ids.
 */
import { isStatus, rank } from "@pawl/core/Status"
import * as Creates from "@pawl/test-support/Creates"
import * as Duration from "effect/Duration"
import * as fc from "fast-check"
import { ok, strictEqual } from "node:assert/strict"
import { apmBody, cardBody, field, type GatewayLaw, type JsonResponse, law } from "./GatewayLaw.ts"

const steps = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constantFrom("pay", "pay out"),
        requestId: fc.constantFrom("a", "b", "c")
      })
    },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant("read"),
        which: fc.nat(5),
        as: fc.constantFrom("payments/apm", "payouts/card")
      })
    },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant("wait"), minutes: fc.nat(90) })
    }
  ),
  { maxLength: 20 }
)

export const transactionLaws: ReadonlyArray<GatewayLaw> = [
  law(
    {
      name: "an amount is rounded half up to two decimals (X05)",
      section: 'spec.md, "Conventions"',
      explanation:
        "The specification says that values with more than two decimals are rounded, but not how. Half up is our default."
    },
    fc.tuple(fc.nat(), fc.array(fc.nat(9), { maxLength: 5 })),
    function* ({ get, post }, [units, decimals]) {
      const digits = [...(decimals as ReadonlyArray<number>)]
      const amount = digits.length === 0 ? String(units) : `${String(units)}.${digits.join("")}`
      const id = field(yield* post("/payouts/card", cardBody({ amount })), "transactionId")
      const total = field(yield* get(`/payouts/card/info/${id}`), "totalAmount")
      const [tenths = 0, hundredths = 0, next = 0] = digits
      const cents = Number(units) * 100 + tenths * 10 + hundredths + (next >= 5 ? 1 : 0)
      strictEqual(Math.round(Number(total) * 100), cents)
    }
  ),

  law(
    {
      name: "a status is a bare JSON string, and its rank never falls",
      section: 'spec.md, "States and transitions"',
      explanation:
        "A transaction is NEW, PENDING, PROCESSING, then terminal. A later read never shows a lower rank."
    },
    fc.tuple(
      fc.constantFrom("succeed", "decline:51", "refund", "chargeback", "challenge", "cancel"),
      fc.array(fc.nat(90), { maxLength: 8 })
    ),
    function* (client, [scenario, waits]) {
      const { get, pass, post } = client
      const body = apmBody({}, Creates.scenario(String(scenario)))
      const id = field(yield* post("/payments/apm", body), "transactionId")
      let lastRank = 0
      for (const minutes of [0, ...(waits as ReadonlyArray<number>)]) {
        yield* pass(Duration.minutes(minutes))
        const { json } = yield* get(`/payments/apm/status/${id}`)
        const status = typeof json === "string" && isStatus(json) ? json : undefined
        ok(status !== undefined)
        if (status === undefined) return
        ok(rank(status) >= lastRank)
        lastRank = rank(status)
      }
    }
  ),

  law(
    {
      name: "the refunds of a payment never exceed the captured amount, and a smaller refund is accepted",
      section: 'spec.md, "Refunds (card only)"',
      explanation:
        "A refund is full or partial. All refunds count together, also those in progress."
    },
    fc.array(
      fc.record({ cents: fc.integer({ min: 1, max: 6000 }), minutes: fc.constantFrom(0, 0, 600) }),
      { minLength: 1, maxLength: 8 }
    ),
    function* ({ pass, post }, refunds) {
      const paid = cardBody({ amount: "100.00", currency: "EUR" })
      const transactionId = Number(field(yield* post("/payments/card", paid), "transactionId"))
      yield* pass(Duration.hours(10))
      let left = 10_000
      for (const [index, { cents, minutes }] of refunds.entries()) {
        const amount = (cents / 100).toFixed(2)
        const { status } = yield* post("/refunds/card", {
          requestId: `refund-${index}`,
          mid: "m-1",
          transactionId,
          amount,
          reason: "duplicate"
        })
        strictEqual(status, cents <= left ? 200 : 400)
        if (status === 200) left -= cents
        yield* pass(Duration.minutes(minutes))
      }
    }
  ),

  law(
    {
      name: "metadata is returned exactly as sent",
      section: 'spec.md, "Conventions"',
      explanation:
        "The key-value pairs of the caller are returned unchanged and in order, whatever their names."
    },
    fc.array(
      fc.tuple(
        fc.oneof(
          fc.constantFrom("__proto__", "constructor", "amount", "Basket"),
          fc.string({ unit: "grapheme" })
        ),
        // "$&" once changed the request that the law itself wrote.
        fc.oneof(fc.constantFrom("$&", "$1"), fc.string({ unit: "grapheme" }))
      ),
      { maxLength: 4 }
    ),
    function* ({ get, post }, pairs) {
      const metadata = JSON.stringify(Object.fromEntries(pairs))
      const text = `${JSON.stringify(cardBody()).slice(0, -1)},"metadata":${metadata}}`
      const id = field(yield* post("/payouts/card", text), "transactionId")
      const { json } = yield* get(`/payouts/card/info/${id}`)
      strictEqual(JSON.stringify((json as { readonly metadata: unknown }).metadata), metadata)
    }
  ),

  law(
    {
      name: "each transaction has an id of its own, and only the endpoints of its kind know it",
      section: 'spec.md, "Endpoints"',
      explanation:
        "A plain model predicts each response. An id is unique over all kinds, and a requestId counts only within its endpoint."
    },
    steps,
    function* (client, steps) {
      const { get, pass, post } = client
      const created = new Map<string, JsonResponse>()
      for (const step of steps) {
        if (step.do === "wait") {
          yield* pass(Duration.minutes(step.minutes))
        } else if (step.do === "read") {
          const [key, response] = [...created][step.which] ?? []
          if (key === undefined || response === undefined) continue
          const { status } = yield* get(`/${step.as}/status/${field(response, "transactionId")}`)
          strictEqual(status, key.startsWith(step.as) ? 200 : 404)
        } else {
          const { requestId } = step
          const path = step.do === "pay" ? "payments/apm" : "payouts/card"
          const body = step.do === "pay" ? apmBody({ requestId }) : cardBody({ requestId })
          const response = yield* post(`/${path}`, body)
          const key = `${path} ${requestId}`
          strictEqual(response.body, (created.get(key) ?? response).body)
          created.set(key, response)
        }
        const ids = [...created.values()].map((response) => field(response, "transactionId"))
        strictEqual(new Set(ids).size, created.size)
      }
    }
  )
]
