/**
 * Kills a merchant's process between the write of a request and the end of its handler, while the
 * service loses requests and responses: one effect an order, none stuck (Q01, Q02, Q06).
 *
 * A process ends itself at a mark or is killed at any moment. The last one recovers the rest from a
 * service that loses nothing.
 */
import * as Effect from "effect/Effect"
import { setTimeout as sleep } from "node:timers/promises"
import * as LossyService from "./create/LossyService.ts"
import * as MerchantProcess from "./create/MerchantProcess.ts"
import { isEnqueued, kindOf, marks, orderId, orderOf, secretsAfter } from "./create/Task.ts"
import { type Changed, type DatabasePart, onDatabases, type Run } from "./Run.ts"
import * as SeededRandom from "./SeededRandom.ts"
import * as Stores from "./Stores.ts"
import * as Wait from "./Wait.ts"

const ordersPerCycle = 4
/** The probability that a process is killed at any moment, and that an order is repeated. */
const killedAnywhere = 0.25
const askedAgain = 0.3
const markTimeout = 500
/** Ends the wait for the last outcomes, in milliseconds. */
const settleTimeout = 400_000
const defaultLoss = 0.3

/** Only tests change it: false ends the leases of killed processes. */
const usual = { leases: true }

interface Line extends MerchantProcess.RequestLine {
  readonly told: string | null
}

/** The customer of an intent makes its transaction, so its response names none. */
const isWithoutTransaction = (id: string): boolean => kindOf(orderOf(id)) === "payment-intent"

const stateOf = ({ due_at, parked_at }: Line, now: number) => {
  const inSeconds = (time: number | bigint | null) =>
    time === null ? "never" : `in ${Math.round((Number(time) - now) / 1000)} s`
  return `due ${inSeconds(due_at)}, parked ${inSeconds(parked_at)}`
}

const onStore = Effect.fnUntraced(function* (part: DatabasePart<typeof usual>) {
  const { count: cycles, leases, log, loss = defaultLoss, miss, progress, seed, store } = part
  const random = SeededRandom.make(seed, "create")
  let rotations = 0
  const service = yield* LossyService.start({
    random: SeededRandom.make(seed, "loss"),
    loss,
    miss,
    secretOf: () => secretsAfter(rotations)[0]
  })
  const figures = { orders: 0, askedAgain: 0, endedAtMark: 0, killed: 0, told: 0 }
  const told = new Map<string, string>()
  const enqueued = new Set<string>()
  const handled = new Set<string>()

  const note = (id: string, transactionId: string) => {
    figures.told++
    const before = told.get(id)
    if (before !== undefined && before !== transactionId) miss(`${id} was told two transactions`)
    told.set(id, transactionId)
  }
  const { query, requests, start } = yield* MerchantProcess.make(store, service.baseUrl, {
    told: note,
    enqueued: (id) => enqueued.add(id),
    handled: (transactionId, status) => handled.add(`${transactionId} ${status}`),
    miss
  })

  let next = start()
  const cycle = async (number: number): Promise<void> => {
    const merchant = next
    const isFirst = number === 1
    const orders = Array.from({ length: ordersPerCycle }, () => {
      const isOld = figures.orders > 0 && random.isTrue(askedAgain)
      if (isOld) figures.askedAgain++
      return isOld ? random.below(figures.orders) : figures.orders++
    })
    const isAnywhere = !isFirst && random.isTrue(killedAnywhere)
    const mark = isAnywhere ? undefined : isFirst ? "answered" : random.pick(marks)
    const times = isFirst ? 1 : 1 + random.below(3)
    rotations++
    merchant.give({ orders: [...new Set(orders)], mark, times, secrets: secretsAfter(rotations) })
    next = start()
    const { state } = merchant
    const isEarly = isAnywhere && random.isTrue(0.2)
    const earliest = random.below(300)
    const hasStarted = () => state.isReady || state.hasEnded
    if (!(await Wait.until(hasStarted, isEarly ? earliest : Wait.longest, 2)) && !isEarly)
      return miss(`a process did not start: ${merchant.errors()}`)
    const longest = isFirst ? Wait.longest : markTimeout
    const hasReached = () => state.hasEnded || (mark !== undefined && state.isDone)
    await Wait.until(hasReached, isAnywhere ? random.below(150) : longest, 2)
    if (!state.hasEnded && mark !== undefined && state.isDone) await sleep(20)
    if (await merchant.end()) figures.endedAtMark++
    else figures.killed++
  }

  // A join of the views would block the service for many seconds.
  const lines = async (): Promise<ReadonlyArray<Line>> => {
    const rows = await query<{ readonly id: string; readonly told: string | null }>(
      "SELECT transaction_id AS id, told FROM pawl_transactions_view"
    )
    const told = new Map(rows.map((row) => [row.id, row.told]))
    return (await requests()).map((row) => ({
      ...row,
      told: told.get(row.transaction_id ?? "") ?? null
    }))
  }

  yield* Effect.promise(async () => {
    for (let number = 1; number <= cycles; number++) {
      await cycle(number)
      progress(`${number} of ${cycles} cycles, ${service.effects.size} effects`)
    }
  })
  if (!leases) yield* Stores.endLeases(store)
  service.repair()
  next.give({ secrets: secretsAfter(rotations) })
  yield* Effect.promise(async () => {
    const isSettled = async () =>
      (await lines()).every(
        ({ id, outcome, told }) =>
          outcome === "Answered" && (told === "SUCCEED" || isWithoutTransaction(id))
      )
    const hasSettled = await Wait.until(isSettled, settleTimeout, 200)
    const all = await lines()
    const kept = new Set(all.map(({ id }) => id))
    for (const line of all) {
      const { id, outcome, told, transaction_id } = line
      const effect = service.effects.get(id)
      if (effect === undefined) miss(`${id} has a row and no effect`)
      if (outcome !== "Answered") {
        const state = stateOf(line, Date.now())
        miss(`${id} is stuck: its outcome is ${String(outcome)}; ${state}`)
      }
      if (isWithoutTransaction(id)) continue
      if (transaction_id !== effect?.transactionId) miss(`${id} has another transaction`)
      if (told !== "SUCCEED" || !handled.has(`${String(transaction_id)} SUCCEED`)) {
        miss(`the handler was not told of ${id}`)
      }
    }
    for (const id of service.effects.keys()) if (!kept.has(id)) miss(`${id} has no row`)
    for (const [id, transactionId] of told) {
      if (isWithoutTransaction(id)) continue
      if (service.effects.get(id)?.transactionId !== transactionId) {
        miss(`the caller of ${id} was told another transaction`)
      }
    }
    const placed = new Set((await query<{ id: string }>("SELECT id FROM orders")).map((o) => o.id))
    for (const id of enqueued) if (!placed.has(id)) miss(`${id} was enqueued and is lost`)
    for (let order = 1; order < figures.orders; order += 2) {
      const id = orderId(order)
      if (!isEnqueued(order)) continue
      if (placed.has(id) !== kept.has(id)) miss(`${id}: its order and its request differ`)
    }
    if (!hasSettled) log(next.errors())
  })
  return { ...figures, rows: service.effects.size, ...service.figures }
})

export const create = {
  summary: "SIGKILL between the write of a request and its end: one effect an order, none stuck",
  unit: "cycles",
  count: { sqlite: 2000, postgres: 300 },
  stores: ["sqlite"],
  make: (options: Changed<typeof usual>) => onDatabases({ ...usual, ...options }, onStore)
} satisfies Run
