/**
 * The service is down for six hours with 5,000 open payments to confirm: in virtual time, on a real
 * store.
 *
 * Callbacks claim SUCCEED during the outage. Meanwhile no second has more reads than the budget, the
 * handler gets no SUCCEED, and nothing becomes a dead letter. Then it gets each SUCCEED once, within
 * the budget's time for all and `slack`.
 */
import * as Admin from "@pawl/receiver/Admin"
import * as World from "@pawl/test-support/World"
import { Ledger } from "@pawl/webhook/Ledger"
import * as ReadBudget from "@pawl/webhook/internal/rule/ReadBudget"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Overview } from "./OperatorPage.ts"
import type { DatabasePart } from "./Run.ts"
import * as VirtualDatabase from "./VirtualDatabase.ts"

const { hour, second } = World
const readsPerSecond = 20
/** In milliseconds: the gap of failed reads and a lease. */
const slack = 60 * second
const concurrency = 64
const readTime = 20

/** Only the tests play a shorter outage. */
export const longOutage = (part: DatabasePart, outageTime = 6 * hour) =>
  Effect.flatMap(VirtualDatabase.make(part.store), (database) =>
    Effect.provideService(play(part, database, outageTime), Clock.Clock, database.clock)
  ).pipe(World.inVirtualTime)

const play = (
  { count, log, miss }: DatabasePart,
  database: VirtualDatabase.VirtualDatabase,
  outageTime: number
) =>
  Effect.gen(function* () {
    const ids = Array.from({ length: count }, (_, index) => String(100_001 + index))
    let isDown = false
    const perSecond = new Map<number, number>()
    const world = yield* World.started({
      limits: { readsPerSecond },
      plant: () => database.ledger,
      read: ({ at }) => {
        const key = Math.floor(at / second)
        perSecond.set(key, (perSecond.get(key) ?? 0) + 1)
        return Effect.delay(isDown ? World.unreachable : Effect.succeed("SUCCEED"), readTime)
      }
    })
    const { respond } = Context.get(
      yield* Layer.build(Admin.layer()).pipe(
        Effect.provideContext(Context.add(world.services, Ledger, world.ledger))
      ),
      Admin.Admin
    )
    const request = { method: "GET", path: "/overview", headers: { host: "127.0.0.1" } }
    const overview = Effect.map(respond(request), ({ body }) => JSON.parse(body) as Overview)
    const toldOf = (status: string) => world.calls.filter(({ to }) => to === status).length
    const passUntil = Effect.fnUntraced(function* (isReached: () => boolean, most: number) {
      const end = world.now() + most
      while (!isReached() && world.now() < end) yield* database.pass(second)
    })
    const postAll = Effect.fnUntraced(function* (status: "PENDING" | "SUCCEED") {
      let answered = 0
      const post = (id: string) =>
        Effect.map(world.receive(id, status), (answer) => {
          answered++
          if (answer !== 200) miss(`${id} was answered ${answer}`)
        })
      yield* Effect.forkScoped(Effect.forEach(ids, post, { concurrency, discard: true }))
      yield* passUntil(() => answered === count, hour)
    })

    yield* postAll("PENDING")
    yield* passUntil(() => toldOf("PENDING") === count, hour)
    isDown = true
    const downAt = world.now()
    yield* postAll("SUCCEED")
    const perHour: Array<number> = []
    for (const downUntil = downAt + outageTime; world.now() < downUntil;) {
      const before = world.reads.length
      yield* database.pass(Math.min(hour, downUntil - world.now()))
      perHour.push(world.reads.length - before)
      log(`down for ${perHour.length} h, ${world.reads.length} reads`)
    }
    const during = yield* overview
    if (toldOf("SUCCEED") > 0) miss(`${toldOf("SUCCEED")} were told without a confirmation`)
    if (during.events["silent"]?.count === 0) miss("the page does not say that the service is down")
    if (during.reads?.limit !== readsPerSecond) miss("the page does not say the read budget")

    isDown = false
    const upAt = world.now()
    const limit = (count * (second + ReadBudget.slack)) / readsPerSecond + slack
    yield* passUntil(() => toldOf("SUCCEED") === count, 10 * limit)
    const mendedMs = world.now() - upAt
    if (toldOf("SUCCEED") !== count) miss(`${toldOf("SUCCEED")} of ${count} were told SUCCEED`)
    if (mendedMs > limit) miss(`all were told ${mendedMs} ms after the outage`)
    const after = yield* overview
    if (after.backlog?.deadLetters !== 0) miss("there are dead letters")
    const most = Math.max(...perSecond.values())
    if (most > readsPerSecond) miss(`${most} reads were sent in a second`)
    return {
      mostReadsPerHour: Math.max(...perHour),
      mostReadsPerSecond: most,
      reads: world.reads.length,
      mendedMs
    }
  })
