/**
 * Stores in memory do about the same work with many rows as with few. Work is counted in executed
 * blocks, not in time.
 */
import { live } from "@pawl/test-support/Tests"
import * as Ledger from "@pawl/webhook/Ledger"
import * as RequestStore from "@pawl/webhook/internal/ledger/RequestStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { expect } from "vitest"
import * as WorkCounter from "../src/fuzz/WorkCounter.ts"

const few = 500
const many = 16 * few
/** The time of the counted operations. The rows are older than it, and due after it. */
const now = 10_000_000
const later = 2 * now

const idOf = (position: number): string => String(100_000 + position)
const deadLetter = { reason: "handler-failed", to: undefined } as const

const stores = RequestStore.layerMemory.pipe(Layer.provideMerge(Ledger.layerMemory))

/** Registers a transaction: it is due later, or a dead letter. */
const work = Effect.fnUntraced(function* (transactionId: string, at: number, isParked: boolean) {
  const ledger = yield* Ledger.Ledger
  yield* ledger.register({ kind: "apm-payment", transactionId }, at)
  const { rows } = yield* ledger.claim({ at, until: at + 1, limit: 1 })
  for (const row of rows) {
    yield* ledger.write(row, {
      ...(isParked && { deadLetter: { ...deadLetter, at } }),
      release: { dueAt: isParked ? undefined : later + at, lane: "repeat" }
    })
  }
  return rows.length
})

/** Writes a request and ends its lease: it is settled, due later, or parked. */
const send = Effect.fnUntraced(function* (requestId: string, at: number, end: number) {
  const store = yield* RequestStore.RequestStore
  const request = { requestId, kind: "apm-payment", digest: "", hasCardData: false } as const
  yield* store.write({ ...request, body: "sealed" }, { at })
  const { rows } = yield* store.claim({ at, until: at + 1, limit: 1 })
  for (const row of rows) {
    if (end === 0) {
      yield* store.settle(requestId, { outcome: { _tag: "Answered", text: "sealed" }, at })
    } else if (end === 1) yield* store.release(row, { at, dueAt: at + 60_000 })
    else yield* store.park(row, "window", at)
  }
  return rows.length
})

const fill = (count: number) =>
  Effect.forEach(
    Array.from({ length: count }, (_, position) => position),
    (at) => Effect.andThen(work(idOf(at), at, at % 2 === 0), send(idOf(at), at, at % 3)),
    { discard: true }
  )

const middleOf = (count: number) =>
  ({ at: count / 2, transactionId: idOf(count / 2), scope: "apm-payment" }) as const

const operations = {
  "a claim, and the write of its row": () => work("1", now, false),
  "the backlog": () =>
    Ledger.Ledger.use(({ backlog }) => Effect.map(backlog(now), ({ due }) => 1 - due)),
  "a page of dead letters": (count: number) =>
    Ledger.Ledger.use(({ deadLetters }) =>
      Effect.map(deadLetters({ limit: 10, after: middleOf(count) }), ({ length }) => length)
    ),
  "a page of all rows": (count: number) =>
    Ledger.Ledger.use(({ page }) =>
      Effect.map(
        page({ limit: 10, after: middleOf(count), from: 0, before: Infinity }),
        ({ rows }) => rows.length
      )
    ),
  "a request": () => send("1", 1, 0),
  "a page of parked requests": (count: number) =>
    RequestStore.RequestStore.use(({ parked }) =>
      Effect.map(
        parked({ limit: 10, after: { at: count / 2, requestId: "" } }),
        ({ length }) => length
      )
    ),
  "a batch of old texts": () =>
    RequestStore.RequestStore.use(({ deleteTexts }) => deleteTexts({ before: now, limit: 10 }))
}

const measure = Effect.fnUntraced(function* (count: number) {
  yield* fill(count)
  const counter = yield* WorkCounter.make
  return yield* Effect.forEach(Object.entries(operations), ([name, operation]) =>
    Effect.gen(function* () {
      counter.take()
      const found = yield* operation(count)
      return { name, found, work: WorkCounter.total(counter.take()) }
    })
  )
})

live(
  "a ledger and a request store in memory do less than twice the work with 16 times the rows",
  function* () {
    const measured = (count: number) =>
      Effect.scoped(Effect.provide(measure(count), Layer.fresh(stores), { local: true }))
    const small = yield* measured(few)
    const large = yield* measured(many)
    for (const [position, { found, name, work: atMany }] of large.entries()) {
      const atFew = small[position]?.work ?? 0
      expect([name, found > 0]).toEqual([name, true])
      expect([name, atMany < 2 * atFew || { atFew, atMany }]).toEqual([name, true])
    }
  }
)
