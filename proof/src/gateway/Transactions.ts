/**
 * The laws of what the service does with money: amounts, statuses, refunds, and what is kept beside them.
 *
 * @since 0.1.0
 */
import { isStatus, rank } from "@pawl/core/Status"
import * as Duration from "effect/Duration"
import * as fc from "fast-check"
import { expect } from "../../../packages/testkit/src/internal/laws/Expect.ts"
import {
  type Answered,
  byCard,
  field,
  type GatewayLaw,
  law,
  payment,
  scenario
} from "./GatewayLaw.ts"

/** What is asked of the service in a history, and when. */
type Step =
  | { readonly do: "pay" | "pay out"; readonly requestId: string }
  | { readonly do: "read"; readonly which: number; readonly as: "payments/apm" | "payouts/card" }
  | { readonly do: "wait"; readonly minutes: number }

const steps: fc.Arbitrary<ReadonlyArray<Step>> = fc.array(
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
        do: fc.constant("read" as const),
        which: fc.nat(5),
        as: fc.constantFrom("payments/apm", "payouts/card")
      })
    },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant("wait" as const), minutes: fc.nat(90) })
    }
  ),
  { maxLength: 20 }
)

/**
 * What becomes of transactions.
 *
 * @category laws
 * @since 0.1.0
 */
export const transactions: ReadonlyArray<GatewayLaw> = [
  law(
    {
      name: "an amount is rounded half up to two decimals (X05)",
      section: 'spec.md, "Conventions"',
      explanation:
        "Values with more than two decimal places are rounded automatically. How is not documented; half up is ours."
    },
    fc.tuple(fc.nat(), fc.array(fc.nat(9), { maxLength: 5 })),
    function* ({ get, post }, [units, decimals]) {
      const digits = [...(decimals as ReadonlyArray<number>)]
      const amount = digits.length === 0 ? String(units) : `${String(units)}.${digits.join("")}`
      const id = field(yield* post("/payouts/card", byCard({ amount })), "transactionId")
      const total = field(yield* get(`/payouts/card/info/${id}`), "totalAmount")
      const [tenths = 0, hundredths = 0, next = 0] = digits
      const cents = Number(units) * 100 + tenths * 10 + hundredths + (next >= 5 ? 1 : 0)
      expect(Math.round(Number(total) * 100)).toBe(cents)
    }
  ),

  law(
    {
      name: "a status is a bare JSON string, and only goes forward",
      section: 'spec.md, "States and transitions"',
      explanation:
        "NEW, PENDING, PROCESSING, then an end: whoever asks twice is never told of an earlier rank the second time."
    },
    fc.tuple(
      fc.constantFrom("succeed", "decline:51", "refund", "chargeback", "challenge", "cancel"),
      fc.array(fc.nat(90), { maxLength: 8 })
    ),
    function* (asking, [story, waits]) {
      const { get, pass, post } = asking
      const given = payment(asking, {}, scenario(String(story)))
      const id = field(yield* post("/payments/apm", given), "transactionId")
      let reached = 0
      for (const minutes of [0, ...(waits as ReadonlyArray<number>)]) {
        yield* pass(Duration.minutes(minutes))
        const { json } = yield* get(`/payments/apm/status/${id}`)
        const status = typeof json === "string" && isStatus(json) ? json : undefined
        expect(status).toBeDefined()
        if (status === undefined) return
        expect(rank(status) >= reached).toBe(true)
        reached = rank(status)
      }
    }
  ),

  law(
    {
      name: "the refunds of a payment are never above what was captured, and what fits is not refused",
      section: 'spec.md, "Refunds (card only)"',
      explanation: "In full or in part: the parts together are what counts, those under way too."
    },
    fc.array(
      fc.record({ cents: fc.integer({ min: 1, max: 6000 }), minutes: fc.constantFrom(0, 0, 600) }),
      { minLength: 1, maxLength: 8 }
    ),
    function* ({ pass, post }, refunds) {
      const paid = byCard({ amount: "100.00", currency: "EUR" })
      const transactionId = Number(field(yield* post("/payments/card", paid), "transactionId"))
      yield* pass(Duration.hours(10))
      let left = 10_000
      for (const [at, { cents, minutes }] of refunds.entries()) {
        const amount = (cents / 100).toFixed(2)
        const { status } = yield* post("/refunds/card", {
          requestId: `refund-${at}`,
          mid: "m-1",
          transactionId,
          amount,
          reason: "duplicate"
        })
        expect(status).toBe(cents <= left ? 200 : 400)
        if (status === 200) left -= cents
        yield* pass(Duration.minutes(minutes))
      }
    }
  ),

  law(
    {
      name: "metadata comes back exactly as sent",
      section: 'spec.md, "Conventions"',
      explanation:
        "The caller's key-value pairs are returned unchanged: in their letters and in their order, whatever they are called."
    },
    fc.array(
      fc.tuple(
        fc.oneof(
          fc.constantFrom("__proto__", "constructor", "amount", "Basket"),
          fc.string({ unit: "grapheme" })
        ),
        fc.string({ unit: "grapheme" })
      ),
      { maxLength: 4 }
    ),
    function* ({ get, post }, pairs) {
      const metadata = JSON.stringify(Object.fromEntries(pairs))
      const text = JSON.stringify(byCard()).replace(/\}$/u, `,"metadata":${metadata}}`)
      const id = field(yield* post("/payouts/card", text), "transactionId")
      const { json } = yield* get(`/payouts/card/info/${id}`)
      expect(JSON.stringify((json as { readonly metadata: unknown }).metadata)).toBe(metadata)
    }
  ),

  law(
    {
      name: "whatever is asked and when, every transaction is its own, and of its kind",
      section: 'spec.md, "Endpoints"',
      explanation:
        "A plain model is asked beside it: an id is given once, over all kinds, and known to the endpoints of its kind alone; a requestId of one operation says nothing to another."
    },
    steps,
    function* (asking, steps) {
      const { get, pass, post } = asking
      const made = new Map<string, Answered>()
      for (const step of steps) {
        if (step.do === "wait") {
          yield* pass(Duration.minutes(step.minutes))
        } else if (step.do === "read") {
          const [key, answer] = [...made][step.which] ?? []
          if (key === undefined || answer === undefined) continue
          const { status } = yield* get(`/${step.as}/status/${field(answer, "transactionId")}`)
          expect(status).toBe(key.startsWith(step.as) ? 200 : 404)
        } else {
          const { requestId } = step
          const place = step.do === "pay" ? "payments/apm" : "payouts/card"
          const body = step.do === "pay" ? payment(asking, { requestId }) : byCard({ requestId })
          const answer = yield* post(`/${place}`, body)
          const key = `${place} ${requestId}`
          expect(answer.text).toBe((made.get(key) ?? answer).text)
          made.set(key, answer)
        }
        const ids = [...made.values()].map((answer) => field(answer, "transactionId"))
        expect(new Set(ids).size).toBe(made.size)
      }
    }
  )
]
