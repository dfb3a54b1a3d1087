/**
 * Receivers killed at any millisecond while callbacks pour in: nothing that was answered 200 is lost, no
 * end is wrong, no call of the handler out of order (R01, S1, S2, S4, S5, S6).
 *
 * **Details**
 *
 * A sender posts signed callbacks of many transactions, shuffled, some twice, and again while they are
 * not answered 200. Receivers serve for some hundred milliseconds and get SIGKILL, now and then before
 * they serve. The last one lives until everything has settled: until the leases of the dead have run out.
 */
import type { Status } from "@pawl/core/Status"
import * as Effect from "effect/Effect"
import { setTimeout as sleep } from "node:timers/promises"
import * as Application from "./Application.ts"
import * as Chance from "./Chance.ts"
import * as Places from "./Places.ts"
import * as Receivers from "./Receivers.ts"
import { type Run, type StoreName, tally, inTurn, type Wanted } from "./Run.ts"
import * as Service from "./Service.ts"
import { each, poster } from "./Sockets.ts"

/** How many callbacks are posted at a time, and how many wait, from which the next is picked. */
const senders = 8
const waiting = 60
/** The longest a receiver serves before it is killed, in ms. */
const longestLife = 500
/** The most calls of the handler that one process has in flight, as DESIGN says. */
const inFlight = 64
/** After so long without a call nothing more is waited for: longer than a lease, and the longest backoff. */
const quiet = { withLeases: 360_000, without: 20_000 }

const histories: ReadonlyArray<ReadonlyArray<Status>> = [
  ["NEW", "PENDING", "PROCESSING", "SUCCEED"],
  ["PENDING", "SUCCEED"],
  ["NEW", "PENDING", "FAILED"],
  ["PENDING", "PROCESSING", "CANCELLED"],
  ["PENDING", "SUCCEED", "REFUNDED"],
  ["NEW", "PENDING", "PROCESSING", "SUCCEED", "CHARGEBACK"]
]

interface Delivery {
  readonly id: string
  readonly status: Status
  /** How far the transaction has come when it is posted. */
  readonly step: number
}

/** The callbacks of the run: what waits to be posted, and what was answered 200. */
const traffic = (chance: Chance.Chance, truth: Map<string, Status>) => {
  const lives = new Map<string, ReadonlyArray<Status>>()
  const steps = new Map<string, number>()
  const taken = new Map<string, Array<Status>>()
  const queue: Array<Delivery> = []
  const pouring = { isOpen: true }
  const pour = () => {
    const id = String(100_001 + lives.size)
    const history = chance.pick(histories)
    lives.set(id, history)
    for (const [step, status] of history.entries()) {
      const times = chance.pick([1, 1, 2, 3])
      for (let time = 0; time < times; time++) queue.push({ id, status, step })
    }
  }
  /** Picks what is posted next; a callback that is posted has happened. */
  const next = (): Delivery | undefined => {
    while (pouring.isOpen && queue.length < waiting) pour()
    const [delivery] = queue.splice(chance.below(queue.length), 1)
    if (delivery !== undefined && (steps.get(delivery.id) ?? -1) < delivery.step) {
      steps.set(delivery.id, delivery.step)
      truth.set(delivery.id, delivery.status)
    }
    return delivery
  }
  return {
    lives,
    taken,
    next,
    resend: (delivery: Delivery) => queue.push(delivery),
    take: ({ id, status }: Delivery) => taken.set(id, [...(taken.get(id) ?? []), status]),
    close: () => {
      pouring.isOpen = false
    }
  }
}

/** What a run may leave out: with `leases` false, the leases of the dead do not have to run out. */
interface Options {
  readonly leases: boolean
}

const onStore = (
  store: Exclude<StoreName, "memory">,
  { count: cycles, say, seed }: Wanted,
  { leases }: Options
) =>
  Effect.gen(function* () {
    const { miss, misses } = tally()
    const chance = Chance.make(seed, "kill")
    const place = yield* Places.makeSql(store)
    const { baseUrl, truth } = yield* Service.start
    const application = yield* Application.start(miss, () => chance.below(10))
    const start = yield* Receivers.make
    const post = yield* poster(senders)
    const { close, lives, next, resend, take, taken } = traffic(chance, truth)
    const figures = { callbacks: 0, answered200: 0, resent: 0, killedEarly: 0 }
    const begin = (process: number) =>
      start(baseUrl, ["--store", place.store, "--forward", application.url(process)])

    let port: number | undefined
    const send = async (signal: AbortSignal): Promise<void> => {
      while (!signal.aborted) {
        const to = port
        const delivery = to === undefined ? undefined : next()
        if (to === undefined || delivery === undefined) {
          await sleep(5)
          continue
        }
        figures.callbacks++
        const answer = await post(to, Service.callback(delivery.id, delivery.status))
        if (answer === 200) {
          figures.answered200++
          take(delivery)
        } else {
          if (answer !== undefined && answer !== 503) miss(`a callback was answered ${answer}`)
          figures.resent++
          resend(delivery)
        }
        await sleep(chance.below(8))
      }
    }
    yield* Effect.forkScoped(
      Effect.promise((signal) => Promise.all(Array.from({ length: senders }, () => send(signal))))
    )

    // Each starts while the one before it serves, so that the dead and the living meet in the store too.
    let number = 0
    let standby = begin(number)
    const bury = async (process: number, { kill }: Receivers.Started) => {
      application.bury(process)
      await kill()
    }
    yield* Effect.promise(async () => {
      for (let cycle = 0; cycle < cycles; cycle++) {
        const [process, receiver] = [number, standby]
        if (chance.is(0.1)) {
          figures.killedEarly++
          await Promise.race([receiver.ready, sleep(chance.below(1000))])
          standby = begin(++number)
        } else {
          port = await receiver.ready
          if (port === undefined) miss(`a receiver did not start: ${receiver.complaints()}`)
          standby = begin(++number)
          await sleep(chance.below(longestLife))
        }
        const gone = bury(process, receiver)
        port = undefined
        await gone
        if (number % 50 === 0)
          say(`${store}: ${number} cycles, ${figures.answered200} answered 200`)
      }
    })

    if (!leases) {
      yield* Effect.promise(() => bury(number, standby))
      const free = "UPDATE pawl_transactions SET lease_until = 0 WHERE lease_until IS NOT NULL"
      yield* Places.statement(place, free)
      standby = begin(++number)
    }
    close()
    const at = yield* Receivers.serving(standby)
    port = at
    const isTold = ([id, history]: readonly [string, ReadonlyArray<Status>]) =>
      application.told.get(id)?.at(-1)?.to === history.at(-1)
    /** Told is not yet marked: who dies in between has the call made again, when its backoff is over. */
    const isSettled = async (): Promise<boolean> => {
      if (![...lives].every(isTold)) return false
      for (const [id, history] of lives) {
        if ((await Receivers.believed(at, id))?.told !== history.at(-1)) return false
      }
      return true
    }
    yield* Effect.promise(async () => {
      let [calls, last] = [0, performance.now()]
      const patience = leases ? quiet.withLeases : quiet.without
      while (!(await isSettled()) && performance.now() < last + patience) {
        await sleep(100)
        if (application.calls() > calls) [calls, last] = [application.calls(), performance.now()]
      }
      await each(lives.size, 8, async (index) => {
        const [id = "", history = []] = [...lives.entries()][index] ?? []
        const row = await Receivers.believed(at, id)
        const end = history.at(-1)
        const answered = taken.get(id) ?? []
        const lost = answered.filter((status) => row?.claimed.includes(status) !== true)
        if (lost.length > 0) miss(`${id}: ${lost.join()} were answered 200 and are lost`)
        if ((row?.callbacks ?? 0) < answered.length) {
          miss(`${id}: ${answered.length} were answered 200, ${row?.callbacks ?? 0} are there`)
        }
        if (row?.status !== end)
          miss(`${id} ended ${String(end)}, and stands ${String(row?.status)}`)
        if (row?.told !== end) miss(`${id} ended ${String(end)}, and is told ${String(row?.told)}`)
        if (application.told.get(id)?.at(-1)?.to !== end)
          miss(`${id} was never told ${String(end)}`)
      })
    })
    const again = [...application.again.values()]
    for (const [process, calls] of application.again) {
      if (calls > inFlight) miss(`${calls} calls of process ${process} were made again`)
    }
    return {
      figures: {
        ...figures,
        transactions: lives.size,
        handlerCalls: application.calls(),
        madeAgain: again.reduce((sum, calls) => sum + calls, 0),
        mostMadeAgain: Math.max(0, ...again)
      },
      misses: misses()
    }
  }).pipe(Effect.scoped)

/** Kills so many receivers on each store, and waits for the leases of the dead or does not. */
export const killing = (wanted: Wanted, options: Options = { leases: true }) =>
  inTurn(
    wanted.stores
      .filter((store) => store !== "memory")
      .map((store) => [store, onStore(store, wanted, options)] as const)
  )

export const kill: Run = {
  what: "SIGKILL at any millisecond: nothing answered 200 is lost, no end wrong, no call out of order",
  unit: "cycles",
  count: { sqlite: 2000, postgres: 300 },
  stores: ["sqlite"],
  make: (wanted) => killing(wanted)
}
