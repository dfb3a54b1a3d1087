/**
 * Stops a merchant (SIGSTOP) while the service processes its requests, for longer than their leases
 * (Q02, Q04).
 *
 * A second process settles the requests after the leases. Then the callers of the first one get the
 * same transactions, and each order has one effect.
 */
import * as Effect from "effect/Effect"
import * as LossyService from "./create/LossyService.ts"
import * as MerchantProcess from "./create/MerchantProcess.ts"
import { orderId } from "./create/Task.ts"
import { type DatabasePart, onDatabases, type Run } from "./Run.ts"
import * as SeededRandom from "./SeededRandom.ts"
import * as Wait from "./Wait.ts"

const ordersPerCycle = 4

const onStore = Effect.fnUntraced(function* (part: DatabasePart) {
  const { count: cycles, log, miss, progress, seed, store } = part
  const service = yield* LossyService.start({ random: SeededRandom.make(seed, "loss"), miss })
  const figures = { orders: 0, stopped: 0, settledByOther: 0, told: 0, askedAgain: 0 }
  const told = new Map<string, string>()
  const { requests, start } = yield* MerchantProcess.make(store, service.baseUrl, {
    told: (id, transactionId) => {
      figures.told++
      told.set(id, transactionId)
    },
    failed: (id, tag) => {
      log(`${id} failed with ${tag}`)
      if (tag === "OutcomeUnknown") figures.askedAgain++
      else miss(`the caller of ${id} was told ${tag}`)
    },
    miss
  })
  const until = Wait.within(Wait.longest, miss, 1)

  const cycle = async () => {
    const first = start()
    const orders = Array.from({ length: ordersPerCycle }, () => 2 * figures.orders++)
    const ids = orders.map(orderId)
    const before = service.figures.requests
    first.give({ orders })
    await until("a request", () => service.figures.requests > before)
    first.pause()
    const isOpen = ({ id, outcome }: MerchantProcess.RequestLine) =>
      ids.includes(id) && outcome === null
    const open = (await requests()).filter(isOpen).map(({ id }) => id)
    figures.stopped += open.length
    const second = start()
    second.give()
    await until("the recovery", async () => !(await requests()).some(isOpen))
    figures.settledByOther += open.length
    first.resume()
    await until("the answer", () => ids.every((id) => told.has(id)))
    await first.end()
    await second.end()
  }

  yield* Effect.promise(async () => {
    for (let number = 1; number <= cycles; number++) {
      await cycle()
      progress(`${number} of ${cycles} cycles, ${figures.stopped} requests stopped`)
    }
    for (const { id, outcome, transaction_id } of await requests()) {
      const { transactionId } = service.effects.get(id) ?? {}
      if (outcome !== "Answered") miss(`${id} has the outcome ${String(outcome)}`)
      if (transaction_id !== transactionId) miss(`${id} has another transaction`)
      if (told.get(id) !== transactionId) miss(`the caller of ${id} was told another transaction`)
    }
    if (service.effects.size !== figures.orders) miss("an order has no effect")
    if (figures.stopped === 0) miss("no request was stopped")
  })
  return { ...figures, ...service.figures }
})

export const pause: Run = {
  summary:
    "SIGSTOP while the service processes requests, beside another process: one effect an order",
  unit: "cycles",
  count: { sqlite: 3, postgres: 3 },
  make: (options) => onDatabases(options, onStore)
}
