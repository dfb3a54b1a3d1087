/**
 * The CPU time of the process, and of PostgreSQL's server, for accepts, for repeats, and for a
 * claim with two writes.
 */
import * as Effect from "effect/Effect"
import * as Children from "./children.ts"
import type { Operations } from "./ledgerProgram.ts"
import * as Places from "./places.ts"
import { type Both, figure, type Figure, inTurns, type Side } from "./turns.ts"

export const callers = 64
/** The callbacks of a round, and the rows that are worked on; others stay due. */
const count = 4096
const worked = 1024
const budget = 90_000

const goals = {
  postgres: { accept: 0.8, repeat: 1, work: 0.35 },
  sqlite: { accept: 1.1, repeat: 1, work: 0.6 }
}
const names = { accept: "accept", repeat: "accept a repeat", work: "claim and two writes" }

export const startLedger = (tree: string, options: Places.Place["options"]) =>
  Children.start<Operations>("ledgerProgram.ts", tree, options)

export const forBoth = <A, E, R>(make: (side: Side) => Effect.Effect<A, E, R>) =>
  Effect.all({ old: make("old"), new: make("new") })

const onStore = Effect.fnUntraced(function* (trees: Both<string>, store: Places.StoreName) {
  const places = yield* forBoth(() => Places.make(store))
  const ledgers = yield* forBoth((side) => startLedger(trees[side], places[side].options))
  let from = 0
  const turn = async (side: Side) => {
    const [call, place] = [ledgers[side], places[side]]
    const costOf = async (count: number, work: () => Promise<{ readonly cpu: number }>) => {
      const start = await place.serverCpu()
      const { cpu } = await work()
      return [cpu / count, ((await place.serverCpu()) - start) / count] as const
    }
    await call("prepare", { from, count, statuses: ["PENDING"] })
    from += count
    const [accept, acceptServer] = await costOf(count, () => call("accept", { callers }))
    const [repeat, repeatServer] = await costOf(count, () => call("accept", { callers }))
    const [work, workServer] = await costOf(worked, () =>
      call("work", { count: worked, to: "PENDING" })
    )
    return { accept, repeat, work, acceptServer, repeatServer, workServer }
  }
  const pace = { name: `cpu, ${store}`, rounds: 21, warmUps: 3, budget }
  const numbers = yield* Effect.promise(() => inTurns(pace, turn))
  return (["accept", "repeat", "work"] as const).flatMap((each) => {
    const name = `${store}, ${names[each]}`
    const own = figure(name, "CPU µs", numbers[each], {
      of: "ratio",
      atMost: goals[store][each]
    })
    return store === "sqlite"
      ? [own]
      : [own, figure(name, "CPU µs of the server", numbers[`${each}Server`])]
  })
})

export const cpu = (trees: Both<string>) =>
  Effect.map(
    Effect.forEach(["postgres", "sqlite"] as const, (store) =>
      Effect.scoped(onStore(trees, store))
    ),
    (figures): ReadonlyArray<Figure> => figures.flat()
  )
