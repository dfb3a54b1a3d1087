import * as Evidence from "@pawl/core/Evidence"
import { Ledger } from "@pawl/webhook/Ledger"
import { RequestStore } from "@pawl/webhook/internal/ledger/RequestStore"
import * as Effect from "effect/Effect"
import type * as Laws from "../../../Laws.ts"
import { expect } from "../Expect.ts"
import * as HistoryLaws from "../HistoryLaws.ts"
import { callback } from "../ledger/LedgerLaw.ts"

const law = HistoryLaws.example(Effect.all([RequestStore, Ledger]))

const request = {
  requestId: "order-1",
  kind: "apm-payment",
  digest: "digest-1",
  hasCardData: false,
  body: "1.key.body"
} as const

const registration = {
  kind: "apm-payment",
  transactionId: "100001",
  requestId: "order-1",
  account: "4711",
  amount: "10.00",
  currency: "EUR"
} as const

const answered = { _tag: "Answered", text: "1.key.answer" } as const

const order = { requestId: "order-1", accountId: "4711", amount: "10.00", currency: "EUR" }

const acceptAndRead = Effect.fnUntraced(function* (
  ledger: Ledger["Service"],
  {
    askedAt,
    isConfirmed = true,
    method = "apm",
    status = "PENDING"
  }: {
    readonly askedAt: number
    readonly isConfirmed?: boolean
    readonly method?: "apm" | "card"
    readonly status?: "PENDING" | "PROCESSING"
  }
) {
  const token = [`${method}-payment`, order] as const
  const account = method === "card" ? { account: "4711" } : {}
  yield* ledger.accept(callback(status, { method, token, ...account }), askedAt - 10)
  const { rows } = yield* ledger.claim({ at: askedAt - 10, until: askedAt + 50, limit: 1 })
  const [leased] = rows
  if (leased === undefined) return expect(rows.length).toBe(1)
  const read = { status, askedAt }
  yield* ledger.write(leased, {
    ...(isConfirmed && { evidence: Evidence.confirmed(status), read }),
    release: { dueAt: undefined }
  })
})

export const examples: ReadonlyArray<Laws.Law<HistoryLaws.Fresh<RequestStore | Ledger>>> = [
  law(
    {
      name: "an outcome and the registration of its transaction are written together",
      section: "docs/decisions/0012",
      explanation:
        "A callback finds what was ordered as soon as the outcome is known. A registration that the ledger refuses does not keep the outcome from being written."
    },
    function* ([store, ledger]) {
      yield* store.write(request, { at: 10, until: 100 })
      const settled = yield* store.settle("order-1", { outcome: answered, at: 20 }, registration)
      expect(settled.isSettled).toBe(true)
      expect(settled.refusal).toBeUndefined()
      const row = yield* ledger.get("apm", "100001")
      expect(row?.registered).toBe(true)
      expect(row?.ordered).toMatchObject({ requestId: "order-1", amount: "10.00" })
      const other = { ...registration, requestId: "order-2", amount: "11.00" }
      yield* store.write({ ...request, requestId: "order-2" }, { at: 30, until: 100 })
      const second = yield* store.settle("order-2", { outcome: answered, at: 40 }, other)
      expect(second.isSettled).toBe(true)
      expect(second.refusal?._tag).toBe("RegisteredDifferently")
      expect((yield* store.get("order-2"))?.outcome).toEqual(answered)
      expect((yield* ledger.get("apm", "100001"))?.ordered?.amount).toBe("10.00")
    }
  ),
  law(
    {
      name: "whatever an answer names as a transaction is in the ledger before the answer is handed over",
      section: "docs/decisions/0012",
      explanation:
        "Another process may have settled the request meanwhile. The transaction is followed all the same."
    },
    function* ([store, ledger]) {
      yield* store.write(request, { at: 10, until: 100 })
      yield* store.settle("order-1", { outcome: answered, at: 20 })
      const settled = yield* store.settle("order-1", { outcome: answered, at: 30 }, registration)
      expect(settled.isSettled).toBe(false)
      expect((yield* ledger.get("apm", "100001"))?.registered).toBe(true)
    }
  ),
  law(
    {
      name: "a confirmed transaction replaces a refusal, and an answer replaces both (Q08)",
      section: "docs/decisions/0060",
      explanation:
        "A proxy may refuse a request after it forwarded it. The confirmed transaction proves an effect, and the next call gets it."
    },
    function* ([store, ledger]) {
      const refused = { _tag: "Refused", text: "1.key.refusal" } as const
      const { row } = yield* store.write(request, { at: 10, until: 100 })
      yield* store.settle("order-1", { outcome: refused, at: 20, lease: row.lease?.id })
      yield* acceptAndRead(ledger, { askedAt: 45 })
      expect(yield* store.get("order-1")).toMatchObject({
        outcome: { _tag: "Found" },
        transaction: { method: "apm", transactionId: "100001" }
      })
      const settled = yield* store.settle("order-1", { outcome: answered, at: 50 }, registration)
      expect(settled).toMatchObject({ isSettled: true, isProvedWrong: false })
      const { row: second } = yield* store.write(
        { ...request, requestId: "order-2" },
        { at: 10, until: 100 }
      )
      yield* store.settle("order-2", { outcome: refused, at: 20, lease: second.lease?.id })
      const proved = yield* store.settle("order-2", { outcome: answered, at: 50 })
      expect(proved).toMatchObject({ isSettled: true, isProvedWrong: true })
    }
  ),
  law(
    {
      name: "a confirmed transaction whose callback names a request by its token settles it (Q08)",
      section: "docs/decisions/0060",
      explanation:
        "The response was lost, and the callback shows that the request took effect. It is not sent again."
    },
    function* ([store, ledger]) {
      yield* store.write(request, { at: 10, until: 20 })
      yield* acceptAndRead(ledger, { askedAt: 40 })
      expect(yield* store.get("order-1")).toMatchObject({
        outcome: { _tag: "Found" },
        transaction: { method: "apm", transactionId: "100001" },
        settledAt: 40
      })
      const claimed = yield* store.claim({ at: 100, until: 200, limit: 1 })
      expect(claimed).toEqual({ rows: [], dueAt: undefined })
    }
  ),
  law(
    {
      name: "a transaction settles no request before the service confirms it (Q08)",
      section: "docs/decisions/0060",
      explanation: "A callback alone claims a status. Its request is sent again until then."
    },
    function* ([store, ledger]) {
      yield* store.write(request, { at: 10, until: 20 })
      yield* acceptAndRead(ledger, { askedAt: 40, isConfirmed: false })
      expect((yield* store.get("order-1"))?.outcome).toBeUndefined()
    }
  ),
  law(
    {
      name: "a token that was moved to a callback with another amount settles nothing (Q08)",
      section: "docs/decisions/0060",
      explanation:
        "The token of a card payment has no amount, so that of the request counts. Otherwise the payment is never made."
    },
    function* ([store, ledger]) {
      const ordered = { requestId: "order-1", account: "4711", amount: "11.00", currency: "EUR" }
      yield* store.write({ ...request, kind: "card-payment", ordered }, { at: 10, until: 20 })
      yield* acceptAndRead(ledger, { askedAt: 40, method: "card" })
      expect((yield* store.get("order-1"))?.outcome).toBeUndefined()
      const { rows } = yield* store.claim({ at: 100, until: 200, limit: 1 })
      expect(rows).toMatchObject([{ requestId: "order-1", body: request.body }])
    }
  ),
  law(
    {
      name: "a found request is sent after a person denies its transaction, which settles it no more (Q08)",
      section: "docs/decisions/0060",
      explanation:
        "A token may be moved to a callback with the same account and amount. The body is kept until the cleaner deletes it, so that this can be undone."
    },
    function* ([store, ledger]) {
      yield* store.write(request, { at: 10, until: 20 })
      yield* acceptAndRead(ledger, { askedAt: 40 })
      const decision = { at: 50, window: 1_000_000 }
      expect(yield* store.redrive("order-1", decision)).toBe(false)
      expect(yield* store.redrive("order-1", { ...decision, hadNoEffect: true })).toBe(true)
      yield* acceptAndRead(ledger, { askedAt: 80, status: "PROCESSING" })
      const { rows } = yield* store.claim({ at: 200, until: 300, limit: 1 })
      expect(rows).toMatchObject([{ ...request, lease: { inDoubt: false } }])
    }
  ),
  law(
    {
      name: "a worker that waits is woken by a request that is written to be sent later",
      section: "docs/decisions/0012",
      explanation: "Otherwise the request waits for the next look of the worker."
    },
    function* ([store]) {
      yield* store.write(request, { at: 10 })
      yield* Effect.timeout(store.awaitWork, "2 seconds")
    }
  )
]
