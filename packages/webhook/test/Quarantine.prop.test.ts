/** The quarantine of two shards, beside a map of lists. */
import { optional } from "@pawl/test-support/Properties"
import { apm, card, verified } from "@pawl/test-support/Service"
import { test } from "@pawl/test-support/Tests"
import { repeats } from "@pawl/test-support/Repeats"
import { live } from "@pawl/test-support/Tests"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { expect, it } from "vitest"
import * as Fields from "../src/internal/documents/Fields.ts"
import { build } from "./memoryLedger.ts"
import * as LedgerOperations from "../src/internal/ledger/LedgerOperations.ts"
import * as Quarantine from "../src/internal/ledger/Quarantine.ts"

const make = Effect.map(build(), ({ engines, ledger }) => ({
  ledger,
  quarantine: Quarantine.make(engines),
  bodies: Effect.map(
    Effect.forEach(engines.own, ({ texts }) =>
      texts("quarantine", { before: Infinity, after: { at: 0, key: "", name: "" }, limit: 999 })
    ),
    (shards) => shards.flat().length
  )
}))

test("a body that is received again while old ones are deleted is kept", function* () {
  const { engines, ledger } = yield* build(1)
  const again = callbackOf(first, 1)
  yield* ledger.accept(again, 1)
  const [records] = engines.own
  const texts: typeof records.texts = (...page) =>
    Effect.tap(records.texts(...page), () =>
      page[0] === "quarantine" ? ledger.accept(again, 9) : Effect.void
    )
  const own = [{ ...records, texts }] as const
  const cleaner = LedgerOperations.make({ ...engines, own })
  expect(yield* cleaner.deleteBodies({ before: 9, limit: 9 })).toBe(0)
  expect(yield* ledger.quarantined).toMatchObject([{ bytes: again.bytes }])
  expect(yield* ledger.deleteBodies({ before: 10, limit: 9 })).toBe(1)
  expect(yield* ledger.quarantined).toEqual([])
})

const long = "x".repeat(300)
const ids = ["1", "2", "3", long, `${long}y`, "😀".repeat(150)]

const first = { method: "card", transactionId: "1" } as const
const transaction = fc.oneof(
  { arbitrary: fc.constant(first), weight: 2 },
  fc.record({ method: fc.constantFrom("card", "apm"), transactionId: fc.constantFrom(...ids) })
)

const body = fc.nat({ max: 40 })

/** A callback with one of a few bodies, at a time of any order. */
const accept = fc.record({ id: transaction, body, at: fc.nat({ max: 99 }) })
/** One commit removes the bodies of a transaction, and may accept another one. */
const remove = fc.record({ id: transaction, next: optional(body) })
const deleteOld = fc.record({ id: transaction, before: fc.nat({ max: 99 }) })

const steps = fc.array(fc.oneof({ arbitrary: accept, weight: 30 }, remove, deleteOld), {
  maxLength: 80,
  size: "max"
})

type Step = typeof steps extends fc.Arbitrary<ReadonlyArray<infer Each>> ? Each : never

/** The bodies have one length, so that only their bytes tell them apart. */
const callbackOf = ({ method, transactionId }: Step["id"], number: number) => {
  const transactionStatus = `ODD-${String.fromCharCode(65 + number)}`
  const fields = { transactionId, transactionStatus }
  return verified(method, method === "card" ? card(fields) : apm(fields))
}

interface Kept {
  readonly text: string
  readonly at: number
  newestAt: number
}

const agree = function* (steps: ReadonlyArray<Step>) {
  const { bodies, ledger, quarantine } = yield* make
  const kept = new Map<string, ReadonlyArray<Kept>>()
  const accept = Effect.fnUntraced(function* (id: Step["id"], body: number, at: number) {
    const callback = callbackOf(id, body)
    const accepted = yield* quarantine.accept(callback, callback.quarantine, at)
    return { accepted, text: JSON.stringify(callback.body) }
  })
  for (const [place, step] of steps.entries()) {
    const key = `${step.id.method} ${step.id.transactionId}`
    const of = kept.get(key) ?? []
    if ("body" in step) {
      const at = 100 * step.at + place
      const { accepted, text } = yield* accept(step.id, step.body, at)
      const same = of.find((each) => each.text === text)
      const isFull = same === undefined && of.length === 16
      expect(accepted).toEqual({
        isNew: same === undefined,
        ...(isFull && { reached: "quarantine" })
      })
      if (same) same.newestAt = at
      else kept.set(key, [...of.slice(0, 15), { text, at, newestAt: at }])
    } else if ("before" in step) {
      const before = 100 * step.before
      const isOld = ({ newestAt }: Kept) => newestAt < before
      const old = [...kept.values()].flat().filter(isOld)
      expect(yield* ledger.deleteBodies({ before, limit: 999 })).toBe(old.length)
      for (const [each, all] of kept) {
        const left = all.filter((one) => !isOld(one))
        if (left.length > 0) kept.set(each, left)
        else kept.delete(each)
      }
    } else {
      const { id, next } = step
      const accepting = next === undefined ? Effect.undefined : accept(id, next, place)
      const [removed, added] = yield* Effect.all([quarantine.remove(id), accepting], {
        concurrency: "unbounded"
      })
      expect(removed).toBe(of.length)
      if (added) kept.set(key, [{ text: added.text, at: place, newestAt: place }])
      else kept.delete(key)
    }
    expect(yield* quarantine.has(step.id)).toBe(kept.has(key))
  }
  const expected = [...kept.values()].flat().toSorted((one, two) => one.at - two.at)
  expect(yield* listed(quarantine)).toEqual(expected.map(({ text }) => text))
  expect(yield* bodies).toBe(expected.length)
}

const listed = ({ list }: ReturnType<typeof Quarantine.make>) =>
  Effect.map(list, (all) => all.map(({ body }) => JSON.stringify(body)))

it("keeps the first 15 bodies of a transaction and the last one, lists all by time, and removes them or the old ones", () =>
  live.forAll([steps], { numRuns: repeats(200) }, agree))

live("keeps a body that has the length and the hash of another", function* () {
  const callbacks = ["ODD1039599", "ODD1222382"].map((transactionStatus) =>
    verified("card", card({ transactionStatus }))
  )
  const [one, two] = callbacks.map(({ bytes }) => Fields.hashOfBytes(bytes))
  expect(one).toBe(two)
  const { quarantine } = yield* make
  for (const callback of callbacks)
    expect(yield* quarantine.accept(callback, "transactionStatus", 1)).toEqual({ isNew: true })
  expect(yield* listed(quarantine)).toHaveLength(2)
})
