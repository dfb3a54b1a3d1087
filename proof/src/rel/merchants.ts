/**
 * Many merchants in one receiver (`Merchants`), over HTTP, each with its own store.
 *
 * - *foreign*: callbacks that another merchant signed. None is accepted or stored, and all get the
 *   same response.
 * - *quarter*: one merchant gets a tenth of the callbacks, at a quarter of the machine's rate, and
 *   its calls fail or hang; the handler time of the others is compared.
 * - *full*: the same at full load. `cpuRatio` compares the processor time for a callback.
 */
import * as Effect from "effect/Effect"
import { MinimumLogLevel } from "effect/References"
import { setTimeout as sleep } from "node:timers/promises"
import * as FakeService from "./FakeService.ts"
import { deliver, forEach, makePost, repeat } from "./LocalHttp.ts"
import * as World from "./merchants/World.ts"
import * as Run from "./Run.ts"
import * as SeededRandom from "./SeededRandom.ts"
import * as Wait from "./Wait.ts"

/** The broken merchant gets a tenth of the load. */
const brokenWeight = 11
const connections = 16
const genuineEvery = 500
const blocks = 12
/** The most posts of one callback. */
const deliveries = 31
const measured = 300
const load = 0.25
const compared = { quarter: 0.02, full: 0.1 }
const maxRatio = 1.1

const untilTold = (toldAt: World.World["toldAt"], ids: ReadonlyArray<string>, miss: Run.Miss) =>
  Wait.within(Wait.longest, miss)("the last call", () => ids.every((id) => toldAt.has(id)))

export const foreign = (
  { port, rowsOf, secretOf, toldAt }: World.World,
  { count, progress, seed }: Run.RunOptions
) =>
  Run.report(function* (miss) {
    const post = yield* makePost
    const random = SeededRandom.make(seed, "foreign")
    const queries = World.indexes.map((index) => World.urlQueryOf(index, secretOf(index)))
    const figures: Record<string, number> = { accepted: 0, genuine: 0, ledgersWithRows: 0 }
    const note = (name: string) => void (figures[name] = (figures[name] ?? 0) + 1)
    yield* Effect.promise(() =>
      repeat(count, connections, async (index) => {
        const victim = random.below(World.merchants)
        const signer = (victim + 1 + random.below(World.merchants - 1)) % World.merchants
        const id = String(100_000 + random.below(1000))
        const [account, search] = random.pick([
          [World.accountOf(victim), World.unsignedQuery],
          [World.accountOf(victim), queries[victim]],
          [World.accountOf(victim), queries[signer]],
          [String(90_000 + victim), World.unsignedQuery]
        ] as const)
        const options = { accountId: account, key: secretOf(signer), search }
        const forged = FakeService.callback(id, "SUCCEED", options)
        const status = await deliver(() => post(port, forged), deliveries, 100)
        const expected = search === queries[signer] ? 400 : 401
        note(`answered${String(status)}`)
        if (status === 200) note("accepted")
        if (status !== expected) miss(`a foreign callback was answered ${String(status)}`)
        if (index % 10_000 === 9999) progress(`${index + 1} of ${count} foreign callbacks`)
      })
    )
    for (let index = 0; index < World.merchants; index++) {
      const rows = yield* rowsOf(index)
      if (rows === 0) continue
      note("ledgersWithRows")
      miss(`the ledger of ${World.idOf(index)} has rows`)
    }
    const genuine = Math.max(World.merchants, Math.ceil(count / genuineEvery))
    yield* Effect.promise(() =>
      repeat(genuine, connections, async (index) => {
        const own = index % World.merchants
        const search = index % 2 === 0 ? queries[own] : World.unsignedQuery
        const id = String(200_000 + index)
        const options = { accountId: World.accountOf(own), key: secretOf(own), search }
        const genuineOne = FakeService.callback(id, "SUCCEED", options)
        const status = await deliver(() => post(port, genuineOne), deliveries, 100)
        if (status === 200) note("genuine")
        else miss(`a genuine callback was answered ${String(status)}`)
      })
    )
    const ids = Array.from({ length: genuine }, (_, index) => String(200_000 + index))
    yield* Effect.promise(() => untilTold(toldAt, ids, miss))
    return figures
  })

const broken = (
  { failures, port, secretOf, setBroken, toldAt }: World.World,
  { count, progress, seed }: Run.RunOptions,
  part: keyof typeof compared
) =>
  Run.report(function* (miss) {
    const post = yield* makePost
    const random = SeededRandom.make(seed, part)
    const times: Record<"whole" | "broken", Array<number>> = { whole: [], broken: [] }
    const cpu: Record<"whole" | "broken", Array<number>> = { whole: [], broken: [] }
    let next = part === "full" ? 5_000_000 : 1_000_000
    const draw = (number: number) =>
      Array.from({ length: number }, () => {
        const merchant = random.below(World.merchants - 1 + brokenWeight)
        return {
          merchant: merchant < World.merchants ? merchant : World.brokenMerchant,
          id: String(next++)
        }
      })
    const sentAt = new Map<string, number>()
    const send = async ({ id, merchant }: { readonly id: string; readonly merchant: number }) => {
      sentAt.set(id, performance.now())
      const options = { accountId: World.accountOf(merchant), key: secretOf(merchant) }
      const callback = FakeService.callback(id, "SUCCEED", options)
      const status = await deliver(() => post(port, callback), deliveries, 100)
      if (status !== 200) miss(`a genuine callback was answered ${String(status)}`)
    }

    const wait = (ids: ReadonlyArray<string>) => Effect.promise(() => untilTold(toldAt, ids, miss))
    const first = draw(measured)
    const startedAt = performance.now()
    yield* Effect.promise(() => forEach(first, connections, send))
    yield* wait(first.map(({ id }) => id))
    const gap = (performance.now() - startedAt) / measured / load
    if (part === "quarter") progress(`a callback every ${gap.toFixed(1)} ms`)

    for (let block = 0; block < blocks; block++) {
      const isBroken = block % 2 === 1
      yield* setBroken(isBroken)
      const posts = draw(Math.ceil((count * compared[part]) / blocks))
      const cpuAtStart = process.cpuUsage()
      yield* Effect.promise(async () => {
        const blockStart = performance.now()
        if (part === "full") return forEach(posts, connections, send)
        const sending = posts.map(async (each, index) => {
          await sleep(Math.max(0, blockStart + index * gap - performance.now()))
          return send(each)
        })
        return void (await Promise.all(sending))
      })
      const idsOf = (isOfBroken: boolean) =>
        posts
          .filter(({ merchant }) => (merchant === World.brokenMerchant) === isOfBroken)
          .map(({ id }) => id)
      yield* wait(idsOf(false))
      const { system, user } = process.cpuUsage(cpuAtStart)
      cpu[isBroken ? "broken" : "whole"].push((system + user) / posts.length)
      if (isBroken && idsOf(true).length > 0 && idsOf(true).every((id) => toldAt.has(id)))
        miss("the handler was not broken")
      for (const id of idsOf(false)) {
        times[isBroken ? "broken" : "whole"].push((toldAt.get(id) ?? 0) - (sentAt.get(id) ?? 0))
      }
      yield* setBroken(false)
      yield* wait(idsOf(true))
      progress(`block ${block + 1} of ${blocks}`)
    }
    const [whole, hurt] = [Run.percentiles(times.whole), Run.percentiles(times.broken)]
    const median = (all: ReadonlyArray<number>) =>
      all.toSorted((one, two) => one - two)[Math.floor(all.length / 2)] ?? 0
    const mean = (all: ReadonlyArray<number>) =>
      all.reduce((sum, each) => sum + each, 0) / all.length
    const ratioOf = (part: number, all: number) => Math.round((part / all) * 1000) / 1000
    const ratio = ratioOf(median(times.broken), median(times.whole))
    if (ratio > maxRatio) miss(`the others' handler times rose ${ratio} times`)
    return {
      ratio,
      meanRatio: ratioOf(mean(times.broken), mean(times.whole)),
      cpuRatio: ratioOf(median(cpu.broken), median(cpu.whole)),
      failures: failures(),
      wholeP50Ms: whole.p50Ms,
      brokenP50Ms: hurt.p50Ms,
      wholeP99Ms: whole.p99Ms,
      brokenP99Ms: hurt.p99Ms
    }
  })

export const merchantsRun: Run.Run = {
  summary:
    "100 merchants in one receiver: nothing that another one signed is accepted, and a broken handler delays no other",
  unit: "callbacks",
  count: { sqlite: 100_000, memory: 100_000, postgres: 100_000 },
  stores: ["sqlite", "postgres"],
  make: (options) => Run.onStores(options, onStore)
}

const onStore = Effect.fnUntraced(
  function* (part: Run.StorePart) {
    const world = yield* World.start(part.store)
    const { figures, misses } = yield* Run.inSequence([
      ["foreign", foreign(world, part)],
      ["quarter", broken(world, part, "quarter")],
      ["full", broken(world, part, "full")]
    ])
    for (const sentence of misses) part.miss(sentence)
    return figures
  },
  Effect.provideService(MinimumLogLevel, "None")
)
