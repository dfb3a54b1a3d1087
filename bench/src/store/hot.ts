/**
 * Four processes that accept callbacks of the same 100 transactions in one PostgreSQL.
 */
import * as Effect from "effect/Effect"
import { callers, forBoth, startLedger } from "./cpu.ts"
import * as Places from "./places.ts"
import { type Both, figure, type Figure, inTurns, type Side } from "./turns.ts"

const processes = 4
const keys = 100
const rounds = 10
const times = 2500
/** The server has 100 connections for all processes. */
const maxConnections = 5

export const hot = Effect.fnUntraced(function* (trees: Both<string>) {
  const places = yield* forBoth(() => Places.makePostgres())
  const ledgers = yield* forBoth((side) =>
    Effect.forEach(Array.from({ length: processes }), () =>
      startLedger(trees[side], { ...places[side].options, maxConnections })
    )
  )
  for (const call of [...ledgers.old, ...ledgers.new]) {
    const statuses = ["NEW", "PENDING", "PROCESSING", "SUCCEED"] as const
    yield* Effect.promise(() => call("prepare", { from: 0, count: keys, statuses }))
  }
  let offset = 0
  const accepted = { old: 0, new: 0 }
  const failures = { old: 0, new: 0 }
  const turn = async (side: Side) => {
    const start = performance.now()
    offset += 1
    const all = await Promise.all(
      ledgers[side].map((call, index) =>
        call("accept", { callers: callers / processes, offset: offset + index * keys, times })
      )
    )
    const failed = all.reduce((sum, each) => sum + each.failed, 0)
    accepted[side] += processes * times - failed
    failures[side] += failed
    const throughput = ((processes * times - failed) / (performance.now() - start)) * 1000
    return { throughput, slowest: Math.max(...all.map(({ slowest }) => slowest)) }
  }
  const pace = { name: "hot", rounds, warmUps: 1, budget: 90_000 }
  const { slowest, throughput } = yield* Effect.promise(() => inTurns(pace, turn))
  /** A failed accept may have been counted. */
  const lost = yield* forBoth((side) =>
    Effect.promise(async () => {
      const counted = await ledgers[side][0]!("counted", { from: 0, count: keys })
      const tooMany = Math.max(0, counted - accepted[side] - failures[side])
      return [Math.max(0, accepted[side] - counted) + tooMany]
    })
  )
  const most = (side: Side) => [Math.max(...slowest[side])]
  const name = `postgres, ${processes} processes on ${keys} keys`
  const figures: ReadonlyArray<Figure> = [
    figure(name, "accepts a second", throughput, { of: "ratio", atLeast: 1 }),
    figure(
      name,
      "ms of the slowest accept",
      { old: most("old"), new: most("new") },
      {
        of: "new",
        atMost: 1000
      }
    ),
    figure(name, "failed accepts", { old: [failures.old], new: [failures.new] }),
    figure(name, "miscounted accepts", lost, { of: "new", atMost: 0 })
  ]
  return figures
}, Effect.scoped)
