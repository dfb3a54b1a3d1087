/**
 * Kills receivers with SIGKILL at any moment while callbacks arrive: nothing answered 200 is lost,
 * final statuses are right, handler calls are in order, and the facts replay to them (R01, S1, S2,
 * S4, S5, S6).
 *
 * A receiver is killed after some responses and milliseconds, or before it serves. The last one runs
 * until everything has settled.
 */
import * as Effect from "effect/Effect"
import { setTimeout as sleep } from "node:timers/promises"
import * as Application from "./Application.ts"
import * as ReceiverProcess from "./ReceiverProcess.ts"
import { type Changed, type DatabasePart, onDatabases, type Run } from "./Run.ts"
import * as SeededRandom from "./SeededRandom.ts"
import * as Senders from "./Senders.ts"
import * as StoredCallbacks from "./StoredCallbacks.ts"
import * as Stores from "./Stores.ts"
import * as Stories from "./Stories.ts"
import * as Wait from "./Wait.ts"

const answeredBeforeKill = { least: 20, most: 200 }
/** The longest delay of a kill after these responses, in milliseconds. */
const killDelay = 20
/** As `Worker` has it. */
const callsInFlight = 64
/** In milliseconds. */
const settleTimeout = { withLeases: 360_000, withoutLeases: 60_000 }

/** Only tests change it: false deletes the leases of killed receivers. */
const usual = { leases: true }

const onStore = Effect.fnUntraced(function* (part: DatabasePart<typeof usual>) {
  const { count: cycles, leases, miss, progress, seed, store } = part
  const random = SeededRandom.make(seed, "kill")
  /** The kills do not depend on the order of the senders. */
  const kills = SeededRandom.make(seed, "kills")
  const receivers = yield* ReceiverProcess.make(store.url)
  const application = yield* Application.start(miss, () => random.below(10))
  const startReceiver = (process: number) => receivers.start({ forward: application.url(process) })

  let ports: ReadonlyArray<number> = []
  const { close, figures, waitForAnswers, ...sent } = yield* Senders.start({
    ...receivers,
    random,
    miss,
    ports: () => ports,
    gap: 8,
    senders: 8
  })

  // Two receivers use the store at once.
  let number = 0
  let killedEarly = 0
  let standby = startReceiver(number)
  const killReceiver = async (process: number, { kill }: ReceiverProcess.ReceiverProcess) => {
    application.allowRepeats(process)
    await kill()
  }
  yield* Effect.promise(async () => {
    for (let cycle = 0; cycle < cycles; cycle++) {
      const [process, receiver] = [number, standby]
      if (kills.isTrue(0.1)) {
        killedEarly++
        await Promise.race([receiver.ready, sleep(kills.below(1000))])
        standby = startReceiver(++number)
      } else {
        const port = await receiver.ready
        if (port === undefined) miss(`a receiver did not start: ${receiver.errors()}`)
        else ports = [port]
        standby = startReceiver(++number)
        const { least, most } = answeredBeforeKill
        await waitForAnswers(least + kills.below(most - least))
        await sleep(kills.below(killDelay))
      }
      const killed = killReceiver(process, receiver)
      ports = []
      await killed
      progress(`${number} of ${cycles} cycles, ${figures.answered200} answered 200`)
    }
  })

  if (!leases) {
    yield* Effect.promise(() => killReceiver(number, standby))
    yield* Stores.endLeases(store)
    standby = startReceiver(++number)
  }
  close()
  ports = [yield* ReceiverProcess.waitForPort(standby)]
  const lastCall = (id: string) => application.callsOf.get(id)?.at(-1)?.to
  const isTold = () => [...sent.histories].every(([id, history]) => lastCall(id) === history.at(-1))
  const timeout = leases ? settleTimeout.withLeases : settleTimeout.withoutLeases
  yield* Effect.promise(() => Wait.whileMoving(isTold, application.calls, timeout))
  // A crash between a call and its mark causes another call, after a backoff.
  yield* StoredCallbacks.check(store, sent, miss, timeout)
  const stories = yield* Stories.check(store, application.callsOf, miss)
  const repeated = [...application.repeated.values()]
  for (const [process, calls] of application.repeated) {
    if (calls > callsInFlight) miss(`${calls} calls of process ${process} were made again`)
  }
  return {
    callbacks: figures.answered200 + figures.resent,
    ...figures,
    killedEarly,
    transactions: sent.histories.size,
    ...stories,
    handlerCalls: application.calls(),
    madeAgain: repeated.reduce((sum, calls) => sum + calls, 0),
    mostMadeAgain: Math.max(0, ...repeated)
  }
})

export const kill = {
  summary:
    "SIGKILL at any moment: nothing answered 200 is lost, final statuses are right, calls are in order",
  unit: "cycles",
  count: { sqlite: 2000, postgres: 300 },
  stores: ["sqlite"],
  make: (options: Changed<typeof usual>) => onDatabases({ ...usual, ...options }, onStore)
} satisfies Run
