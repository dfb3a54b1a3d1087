/**
 * Years of a shop, its receivers and the service, in virtual time, under one seed: crashes, faults of links, clocks and
 * store, forgeries; then quiet, and nothing is lost, doubled or wrong (`docs/simulation.md`).
 */
import * as NodeHmac from "@pawl/core/NodeHmac"
import * as Simulation from "../Simulation.ts"
import * as Effect from "effect/Effect"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { writeFileSync } from "node:fs"
import { type Run, tally, type Wanted } from "./Run.ts"

/** A year, with three faults for every two operations, most of them around the operations. */
export const year: Simulation.Size = { days: 365, perDay: 1, faults: 4, forgeries: 1 }

/**
 * Lives years one after the other, each under a seed of its own; `bug` is planted in all of them. A plan that breaks is
 * shrunk for so many milliseconds.
 */
export const live = Effect.fnUntraced(function* (
  { count, say, seed }: Omit<Wanted, "stores">,
  size: Simulation.Size = year,
  bug: Simulation.Bug = {},
  patience = 600_000
) {
  const { miss, misses } = tally()
  const met = new Map(Simulation.marks.map((mark) => [mark, 0]))
  const figures = { transactions: 0, told: 0 }
  let hash = ""
  for (let index = 0; index < count; index++) {
    const plan = Simulation.draw(seed + index, size)
    const outcome = yield* Simulation.run(plan, { bug })
    for (const [mark, times] of outcome.marks) met.set(mark, (met.get(mark) ?? 0) + times)
    figures.transactions += outcome.transactions
    figures.told += outcome.told
    hash = outcome.hash
    say(`seed ${seed + index}: ${outcome.transactions} transactions, trace ${outcome.hash}`)
    for (const { at, invariant, sentence } of outcome.broken) {
      miss(`seed ${seed + index}: ${invariant} does not hold at ${at}: ${sentence}`)
    }
    const [first] = outcome.broken
    if (first === undefined) continue
    say(`${first.invariant} does not hold: looking for the shortest plan that shows it`)
    const short = yield* Simulation.shrink(plan, first.invariant, { bug, millis: patience })
    const file = join(tmpdir(), `${first.invariant}-${seed + index}.json`)
    writeFileSync(file, `${JSON.stringify(short, null, 2)}\n`)
    miss(`keep ${file} in packages/testkit/test/regressions`)
    break
  }
  // What a run never met, it does not show.
  for (const [mark, times] of met) {
    say(`${String(times).padStart(8)} ${mark}`)
    if (times === 0) miss(`never met: ${mark}`)
  }
  return { figures, hash, misses: misses() }
}, Effect.provide(NodeHmac.layer))

export const sim: Run = {
  what: "years of crashes, faults and forgeries in virtual time; then all is told right",
  unit: "years",
  count: { memory: 100 },
  stores: ["memory"],
  make: (wanted) => live(wanted)
}
