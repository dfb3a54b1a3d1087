/**
 * The CPU time of an accept and of a claim with many documents, divided by that with few, of each
 * commit.
 */
import * as Effect from "effect/Effect"
import { callers, startLedger } from "./cpu.ts"
import { fill } from "./fill.ts"
import * as Places from "./places.ts"
import { type Both, figure, type Figure, type Side, sides } from "./turns.ts"

const few = 10_000
const count = 640
const claims = 10
const rounds = 15
const warmUps = 3

const filled = Effect.fnUntraced(function* (
  tree: string,
  store: Places.StoreName,
  documents: number
) {
  console.error(`scale: filling ${store} with ${documents} documents`)
  const place = yield* Places.make(store)
  const call = yield* startLedger(tree, place.options)
  let from = 0
  const prepare = (count: number) => {
    from += count
    return call("prepare", { from: from - count, count, statuses: ["PENDING"] })
  }
  yield* Effect.promise(async () => {
    await prepare(1)
    await call("accept", { callers })
    await fill(place, "100000000", documents - 1, console.error)
  })
  const costOf = async (work: () => Promise<{ readonly cpu: number }>) => {
    const start = await place.serverCpu()
    const { cpu } = await work()
    return cpu + (await place.serverCpu()) - start
  }
  const turn = async () => {
    await prepare(count)
    const accept = await costOf(() => call("accept", { callers }))
    return { accept, claim: await costOf(() => call("claim", { times: claims })) }
  }
  return turn
})

const ratios = Effect.fnUntraced(function* (
  tree: string,
  store: Places.StoreName,
  documents: number
) {
  const many = yield* filled(tree, store, documents)
  const less = yield* filled(tree, store, few)
  const found = { accept: Array<number>(), claim: Array<number>() }
  return yield* Effect.promise(async () => {
    for (let round = -warmUps; round < rounds; round++) {
      const first = round % 2 === 0 ? await many() : undefined
      const small = await less()
      const large = first ?? (await many())
      if (round < 0) continue
      found.accept.push(large.accept / small.accept)
      found.claim.push(large.claim / small.claim)
    }
    return found
  })
}, Effect.scoped)

export const scale = Effect.fnUntraced(function* (trees: Both<string>, documents: number) {
  const figures: Array<Figure> = []
  for (const store of ["sqlite", "postgres"] as const) {
    const found = new Map<Side, Effect.Success<ReturnType<typeof ratios>>>()
    for (const side of sides) found.set(side, yield* ratios(trees[side], store, documents))
    for (const each of ["accept", "claim"] as const) {
      const numbers = { old: found.get("old")![each], new: found.get("new")![each] }
      const unit = `CPU at ${documents} ÷ at ${few} documents`
      figures.push(figure(`${store}, ${each}`, unit, numbers, { of: "new", atMost: 1.3 }))
    }
  }
  return figures
})
