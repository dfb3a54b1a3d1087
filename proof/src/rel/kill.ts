/**
 * Kills receivers with SIGKILL at any moment while callbacks arrive: nothing answered 200 is lost,
 * final statuses are right, handler calls are in order, and the facts replay to them (R01, S1, S2,
 * S4, S5, S6).
 *
 * A receiver is killed after a random number of responses and a few milliseconds, sometimes before
 * it serves. The last one runs until everything has settled.
 */
import type { Status } from "@pawl/core/Status"
import * as Effect from "effect/Effect"
import { setTimeout as sleep } from "node:timers/promises"
import * as Application from "./Application.ts"
import * as FakeService from "./FakeService.ts"
import { sendAll, traffic } from "./KillTraffic.ts"
import { makePost, repeat } from "./LocalHttp.ts"
import * as ReceiverProcess from "./ReceiverProcess.ts"
import { collectMisses, onDatabases, type Run, type RunOptions, type StoreName } from "./Run.ts"
import * as SeededRandom from "./SeededRandom.ts"
import * as Stores from "./Stores.ts"
import * as Stories from "./Stories.ts"

const senders = 8
const answeredBeforeKill = { least: 20, most: 200 }
/** The longest delay of a kill after these responses, in milliseconds. */
const killDelay = 20
/** Ends the wait for these responses, in milliseconds. */
const hangTimeout = 60_000
/** The most handler calls in flight (`Worker`). */
const callsInFlight = 64
/** Ends the wait for the last calls, in milliseconds without one. */
const settleTimeout = { withLeases: 360_000, withoutLeases: 60_000 }

/** Options that only tests change; `leases` false deletes the leases of killed receivers. */
interface KillOptions {
  readonly leases: boolean
}

const onStore = (
  name: Exclude<StoreName, "memory">,
  { count: cycles, progress, seed }: RunOptions,
  { leases }: KillOptions
) =>
  Effect.gen(function* () {
    const { miss, misses } = collectMisses()
    const random = SeededRandom.make(seed, "kill")
    /** The kills do not depend on the order of the senders. */
    const kills = SeededRandom.make(seed, "kills")
    const store = yield* Stores.makeSql(name)
    const { baseUrl, statuses } = yield* FakeService.start
    const application = yield* Application.start(miss, () => random.below(10))
    const start = yield* ReceiverProcess.make
    const post = yield* makePost(senders)
    const { accepted, add, close, histories, next, resend } = traffic(random, statuses)
    const figures = { callbacks: 0, answered200: 0, resent: 0, killedEarly: 0 }
    const startReceiver = (process: number) =>
      start(baseUrl, ["--store", store.url, "--forward", application.url(process)])

    let port: number | undefined
    yield* sendAll(
      senders,
      () => port,
      next,
      async (to, delivery) => {
        figures.callbacks++
        const status = await post(to, FakeService.callback(delivery.id, delivery.status))
        if (status === 200) {
          figures.answered200++
          add(delivery)
        } else {
          if (status !== undefined && status !== 503) miss(`a callback was answered ${status}`)
          figures.resent++
          resend(delivery)
        }
        await sleep(random.below(8))
      }
    )

    const waitForAnswers = async (count: number): Promise<void> => {
      const end = figures.answered200 + count
      const startedAt = performance.now()
      while (figures.answered200 < end) {
        if (performance.now() - startedAt > hangTimeout)
          return miss(`a receiver answered fewer than ${count} callbacks in ${hangTimeout} ms`)
        await sleep(1)
      }
    }

    // Two receivers use the store at once.
    let number = 0
    let standby = startReceiver(number)
    const killReceiver = async (process: number, { kill }: ReceiverProcess.ReceiverProcess) => {
      application.allowRepeats(process)
      await kill()
    }
    yield* Effect.promise(async () => {
      for (let cycle = 0; cycle < cycles; cycle++) {
        const [process, receiver] = [number, standby]
        if (kills.isTrue(0.1)) {
          figures.killedEarly++
          await Promise.race([receiver.ready, sleep(kills.below(1000))])
          standby = startReceiver(++number)
        } else {
          port = await receiver.ready
          if (port === undefined) miss(`a receiver did not start: ${receiver.errors()}`)
          standby = startReceiver(++number)
          const { least, most } = answeredBeforeKill
          await waitForAnswers(least + kills.below(most - least))
          await sleep(kills.below(killDelay))
        }
        const killed = killReceiver(process, receiver)
        port = undefined
        await killed
        progress(`${name}: ${number} of ${cycles} cycles, ${figures.answered200} answered 200`)
      }
    })

    if (!leases) {
      yield* Effect.promise(() => killReceiver(number, standby))
      yield* Stores.endLeases(store)
      standby = startReceiver(++number)
    }
    close()
    const lastPort = yield* ReceiverProcess.waitForPort(standby)
    port = lastPort
    const isTold = ([id, history]: readonly [string, ReadonlyArray<Status>]) =>
      application.callsOf.get(id)?.at(-1)?.to === history.at(-1)
    /** A crash between a call and its mark causes another call, after a backoff. */
    const isSettled = async (): Promise<boolean> => {
      if (![...histories].every(isTold)) return false
      for (const [id, history] of histories) {
        const row = await ReceiverProcess.showTransaction(standby, id)
        if (row?.told !== history.at(-1)) return false
      }
      return true
    }
    yield* Effect.promise(async () => {
      let [calls, lastCallAt] = [0, performance.now()]
      const timeout = leases ? settleTimeout.withLeases : settleTimeout.withoutLeases
      while (!(await isSettled()) && performance.now() < lastCallAt + timeout) {
        await sleep(100)
        if (application.calls() > calls)
          [calls, lastCallAt] = [application.calls(), performance.now()]
      }
      await repeat(histories.size, 8, async (index) => {
        const [id = "", history = []] = [...histories.entries()][index] ?? []
        const row = await ReceiverProcess.showTransaction(standby, id)
        const last = history.at(-1)
        const answered = accepted.get(id) ?? []
        const lost = answered.filter((status) => row?.claimed.includes(status) !== true)
        if (lost.length > 0) miss(`${id}: ${lost.join()} were answered 200 and are lost`)
        if ((row?.callbacks ?? 0) < answered.length) {
          miss(`${id}: ${answered.length} were answered 200, ${row?.callbacks ?? 0} are stored`)
        }
        if (row?.status !== last)
          miss(`${id} ended ${String(last)}, and its status is ${String(row?.status)}`)
        if (row?.told !== last)
          miss(`${id} ended ${String(last)}, and is marked told ${String(row?.told)}`)
        if (application.callsOf.get(id)?.at(-1)?.to !== last)
          miss(`${id} was never told ${String(last)}`)
      })
    })
    const stories = yield* Stories.check(store, application.callsOf, miss)
    const repeated = [...application.repeated.values()]
    for (const [process, calls] of application.repeated) {
      if (calls > callsInFlight) miss(`${calls} calls of process ${process} were made again`)
    }
    return {
      figures: {
        ...figures,
        transactions: histories.size,
        ...stories,
        handlerCalls: application.calls(),
        madeAgain: repeated.reduce((sum, calls) => sum + calls, 0),
        mostMadeAgain: Math.max(0, ...repeated)
      },
      misses: misses()
    }
  }).pipe(Effect.scoped)

export const killWith = (options: RunOptions, killOptions: KillOptions) =>
  onDatabases(options, (name) => onStore(name, options, killOptions))

export const kill: Run = {
  summary:
    "SIGKILL at any moment: nothing answered 200 is lost, final statuses are right, calls are in order",
  unit: "cycles",
  count: { sqlite: 2000, postgres: 300 },
  stores: ["sqlite"],
  make: (options) => killWith(options, { leases: true })
}
