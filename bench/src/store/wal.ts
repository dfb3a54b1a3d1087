/**
 * The bytes of a transaction: in the write-ahead log of PostgreSQL over its whole life, and in the
 * tables after it.
 */
import * as Effect from "effect/Effect"
import * as PostgresServer from "../../../test-support/src/PostgresServer.ts"
import { callers, forBoth, startLedger } from "./cpu.ts"
import { fill } from "./fill.ts"
import * as Places from "./places.ts"
import { type Both, figure, type Figure, inTurns, type Side } from "./turns.ts"

const count = 256
const life = ["NEW", "PENDING", "PROCESSING", "SUCCEED"] as const
const documents = 100_000
const mostBytes = 450

const live = async (
  call: Effect.Success<ReturnType<typeof startLedger>>,
  from: number,
  count: number
) => {
  for (const to of life) {
    await call("prepare", { from, count, statuses: [to] })
    await call("accept", { callers })
    await call("work", { count, to })
  }
}

/** The log of a server is that of all its databases. */
const log = Effect.fnUntraced(function* (trees: Both<string>) {
  const settings = { autovacuum: 0, checkpoint_timeout: 3600, max_wal_size: 8192 }
  const server =
    PostgresServer.programs() === undefined ? undefined : yield* PostgresServer.make({ settings })
  const places = yield* forBoth(() => Places.makePostgres(server?.port))
  const ledgers = yield* forBoth((side) => startLedger(trees[side], places[side].options))
  let from = 0
  const turn = async (side: Side) => {
    const written = async () => {
      const text = "SELECT (pg_current_wal_lsn() - '0/0')::text AS bytes"
      const [line] = await places[side].query<{ readonly bytes: string }>(text)
      return Number(line?.bytes)
    }
    const start = await written()
    await live(ledgers[side], (from += count), count)
    return { bytes: ((await written()) - start) / count }
  }
  const pace = { name: "wal", rounds: 9, warmUps: 1, budget: 60_000 }
  const { bytes } = yield* Effect.promise(() => inTurns(pace, turn))
  const goal = { of: "ratio", atMost: 1 } as const
  return figure("postgres, life of a transaction", "bytes of log", bytes, goal)
}, Effect.scoped)

const size = Effect.fnUntraced(function* (tree: string, store: Places.StoreName) {
  const place = yield* Places.make(store)
  const call = yield* startLedger(tree, place.options)
  return yield* Effect.promise(async () => {
    await live(call, 0, 1)
    await call("deleteBodies", undefined)
    await fill(place, "100000000", documents, console.error)
    return [(await Places.compactSize(place)) / documents]
  })
}, Effect.scoped)

export const wal = Effect.fnUntraced(function* (trees: Both<string>) {
  const figures: Array<Figure> = [yield* log(trees)]
  for (const store of ["postgres", "sqlite"] as const) {
    const bytes = yield* forBoth((side) => size(trees[side], store))
    const goal = { of: "new", atMost: mostBytes } as const
    figures.push(figure(`${store}, finished transaction`, "bytes", bytes, goal))
    console.error(`wal: sizes of ${store}`)
  }
  return figures
})
