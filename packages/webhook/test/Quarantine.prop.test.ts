/** The quarantine of two shards, beside a map of lists. */
import { apm, card, verified } from "@pawl/test-support/Service"
import { repeats } from "@pawl/test-support/Repeats"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { expect, it } from "vitest"
import * as Fields from "../src/internal/documents/Fields.ts"
import { build } from "./memoryLedger.ts"
import * as Quarantine from "../src/internal/ledger/Quarantine.ts"

const make = Effect.map(build(), ({ engines }) => Quarantine.make(engines))

const long = "x".repeat(300)
const ids = ["1", "2", "3", long, `${long}y`, "😀".repeat(150)]

const first = { method: "card", transactionId: "1" } as const
const transaction = fc.oneof(
  { arbitrary: fc.constant(first), weight: 2 },
  fc.record({ method: fc.constantFrom("card", "apm"), transactionId: fc.constantFrom(...ids) })
)

/** A callback with one of a few bodies, at a time of any order. */
const accept = fc.record({ id: transaction, body: fc.nat({ max: 40 }), at: fc.nat({ max: 99 }) })
const remove = fc.record({ id: transaction })

const steps = fc.array(fc.oneof({ arbitrary: accept, weight: 30 }, remove), {
  maxLength: 80,
  size: "max"
})

type Step = typeof steps extends fc.Arbitrary<ReadonlyArray<infer Each>> ? Each : never

const agree = Effect.fnUntraced(function* (steps: ReadonlyArray<Step>) {
  const quarantine = yield* make
  const kept = new Map<string, Array<{ readonly text: string; readonly at: number }>>()
  for (const [place, step] of steps.entries()) {
    const { method, transactionId } = step.id
    const of = kept.get(`${method} ${transactionId}`) ?? []
    if ("body" in step) {
      // Bodies of one length, so that only their bytes tell them apart.
      const transactionStatus = `ODD-${String.fromCharCode(65 + step.body)}`
      const fields = { transactionId, transactionStatus }
      const callback = verified(method, method === "card" ? card(fields) : apm(fields))
      const at = 100 * step.at + place
      const text = JSON.stringify(callback.body)
      const isNew = of.every((each) => each.text !== text)
      const isFull = isNew && of.length === 16
      expect(yield* quarantine.accept(callback, callback.quarantine, at)).toEqual({
        isNew,
        ...(isFull && { reached: "quarantine" })
      })
      if (isNew) kept.set(`${method} ${transactionId}`, [...of.slice(0, 15), { text, at }])
    } else {
      expect(yield* quarantine.remove(step.id)).toBe(of.length)
      kept.delete(`${method} ${transactionId}`)
    }
    expect(yield* quarantine.has(step.id)).toBe(kept.has(`${method} ${transactionId}`))
  }
  const expected = [...kept.values()].flat().toSorted((one, two) => one.at - two.at)
  expect(yield* listed(quarantine)).toEqual(expected.map(({ text }) => text))
})

const listed = ({ list }: ReturnType<typeof Quarantine.make>) =>
  Effect.map(list, (all) => all.map(({ body }) => JSON.stringify(body)))

it("keeps the first 15 bodies of a transaction and the last one, lists all by time, and removes them", () =>
  fc.assert(
    fc.asyncProperty(steps, (steps) => agree(steps).pipe(Effect.scoped, Effect.runPromise)),
    { numRuns: repeats(200) }
  ))

it("keeps a body that has the length and the hash of another", () =>
  Effect.gen(function* () {
    const callbacks = ["ODD1039599", "ODD1222382"].map((transactionStatus) =>
      verified("card", card({ transactionStatus }))
    )
    const [one, two] = callbacks.map(({ bytes }) => Fields.hashOfBytes(bytes))
    expect(one).toBe(two)
    const quarantine = yield* make
    for (const callback of callbacks)
      expect(yield* quarantine.accept(callback, "transactionStatus", 1)).toEqual({ isNew: true })
    expect(yield* listed(quarantine)).toHaveLength(2)
  }).pipe(Effect.scoped, Effect.runPromise))
