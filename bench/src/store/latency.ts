/**
 * The throughput of a ledger in PostgreSQL at a distance of 5 ms.
 */
import * as Effect from "effect/Effect"
import { server } from "../../../test-support/src/Postgres.ts"
import { startServer } from "../processes.ts"
import { callers, forBoth, startLedger } from "./cpu.ts"
import * as Places from "./places.ts"
import { type Both, figure, type Figure, inTurns, type Side } from "./turns.ts"

const count = 2048
const worked = 512

const startProxy = Effect.acquireRelease(
  Effect.promise(() => startServer(new URL("proxy.ts", import.meta.url), [String(server.port)])),
  ({ close }) => Effect.sync(close)
)

export const latency = Effect.fnUntraced(function* (trees: Both<string>) {
  const { port } = yield* startProxy
  const places = yield* forBoth(() => Places.makePostgres())
  const near = yield* forBoth((side) => startLedger(trees[side], places[side].options))
  const far = yield* forBoth((side) => startLedger(trees[side], { ...places[side].options, port }))
  let from = 0
  const turn = async (side: Side) => {
    const prepare = async () => {
      const of = { from, count, statuses: ["PENDING"] } as const
      await near[side]("prepare", of)
      await far[side]("prepare", of)
      from += count
    }
    const throughput = (count: number, { time }: { readonly time: number }) => (count / time) * 1000
    await prepare()
    const accept = throughput(count, await far[side]("accept", { callers }))
    const work = throughput(worked, await far[side]("work", { count: worked, to: "PENDING" }))
    await prepare()
    await near[side]("accept", { callers })
    const repeat = throughput(count, await far[side]("accept", { callers }))
    return { accept, repeat, work }
  }
  const pace = { name: "latency", rounds: 15, warmUps: 2, budget: 75_000 }
  const numbers = yield* Effect.promise(() => inTurns(pace, turn))
  const judged = (name: string, of: keyof typeof numbers, atLeast: number) =>
    figure(`postgres at 5 ms, ${name}`, "a second", numbers[of], { of: "ratio", atLeast })
  const figures: ReadonlyArray<Figure> = [
    judged("accept", "accept", 1.2),
    judged("repeat of another process", "repeat", 0.9),
    judged("claim and two writes", "work", 2.5)
  ]
  return figures
}, Effect.scoped)
