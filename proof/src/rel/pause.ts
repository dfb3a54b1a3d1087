/**
 * Stops a merchant (SIGSTOP) while the service processes its requests, for longer than their leases
 * (Q02, Q04).
 *
 * A second process settles the requests after the leases. Then the callers of the first one get the
 * same transactions, and each order has one effect.
 */
import * as Effect from "effect/Effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import * as LossyService from "./create/LossyService.ts"
import * as MerchantProcess from "./create/MerchantProcess.ts"
import { orderId, secretsAfter, type Task } from "./create/Task.ts"
import { collectMisses, onDatabases, type Run, type RunOptions, type StoreName } from "./Run.ts"
import * as SeededRandom from "./SeededRandom.ts"
import * as Stores from "./Stores.ts"

const ordersPerCycle = 4
/** The longest wait for a step, in milliseconds. */
const stepTimeout = 90_000

interface RequestLine {
  readonly id: string
  readonly outcome: string | null
  readonly transaction_id: string | null
}

const secret = () => secretsAfter(0)[0]

const onStore = (
  name: Exclude<StoreName, "memory">,
  { count: cycles, log, progress, seed }: RunOptions
) =>
  Effect.gen(function* () {
    const { miss, misses } = collectMisses()
    const store = yield* Stores.makeSql(name)
    const service = yield* LossyService.start(SeededRandom.make(seed, "loss"), 0, miss, secret)
    const cache = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "pawl-rel-cache-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
    )
    const figures = { orders: 0, stopped: 0, settledByOther: 0, told: 0, askedAgain: 0 }
    const told = new Map<string, string>()
    const start = yield* MerchantProcess.make(cache, {
      told: (id, transactionId) => {
        figures.told++
        told.set(id, transactionId)
      },
      enqueued: () => {},
      handled: () => {},
      failed: (id, tag) => {
        log(`${name}: ${id} failed with ${tag}`)
        if (tag === "OutcomeUnknown") figures.askedAgain++
        else miss(`the caller of ${id} was told ${tag}`)
      },
      miss
    })
    const query = yield* Stores.queryOf(store)
    yield* Effect.promise(() => query("CREATE TABLE orders (id TEXT PRIMARY KEY)"))
    const lines = () =>
      query<RequestLine>("SELECT request_id AS id, outcome, transaction_id FROM pawl_requests_view")

    const until = async (what: string, holds: () => boolean | Promise<boolean>) => {
      const deadline = performance.now() + stepTimeout
      while (!(await holds())) {
        if (performance.now() > deadline) return miss(`${what} did not happen`)
        await sleep(1)
      }
      return true
    }
    const task = (orders: ReadonlyArray<number>): Task => ({
      baseUrl: service.baseUrl,
      store: store.url,
      orders,
      mark: undefined,
      times: 1,
      secrets: secretsAfter(0)
    })

    const cycle = async () => {
      const first = start()
      const orders = Array.from({ length: ordersPerCycle }, () => 2 * figures.orders++)
      const ids = orders.map(orderId)
      const before = service.figures.requests
      first.give(task(orders))
      await until("a request", () => service.figures.requests > before)
      first.pause()
      const isOpen = ({ id, outcome }: RequestLine) => ids.includes(id) && outcome === null
      const open = (await lines()).filter(isOpen).map(({ id }) => id)
      figures.stopped += open.length
      const second = start()
      second.give(task([]))
      await until("the recovery", async () => !(await lines()).some(isOpen))
      figures.settledByOther += open.length
      first.resume()
      await until("the answer", () => ids.every((id) => told.has(id)))
      await first.end()
      await second.end()
    }

    yield* Effect.promise(async () => {
      for (let number = 1; number <= cycles; number++) {
        await cycle()
        progress(`${name}: ${number} of ${cycles} cycles, ${figures.stopped} requests stopped`)
      }
      for (const { id, outcome, transaction_id } of await lines()) {
        const { transactionId } = service.effects.get(id) ?? {}
        if (outcome !== "Answered") miss(`${id} has the outcome ${String(outcome)}`)
        if (transaction_id !== transactionId) miss(`${id} has another transaction`)
        if (told.get(id) !== transactionId) miss(`the caller of ${id} was told another transaction`)
      }
      if (service.effects.size !== figures.orders) miss("an order has no effect")
      if (figures.stopped === 0) miss("no request was stopped")
    })
    return { figures: { ...figures, ...service.figures }, misses: misses() }
  }).pipe(Effect.scoped)

export const pause: Run = {
  summary:
    "SIGSTOP while the service processes requests, beside another process: one effect an order",
  unit: "cycles",
  count: { sqlite: 3, postgres: 3 },
  stores: ["sqlite", "postgres"],
  make: (options) => onDatabases(options, (name) => onStore(name, options))
}
