/**
 * Sets clocks while receivers work, and stops a receiver for longer than a lease (R27, R28).
 *
 * Each round has one fault, while callbacks arrive and some calls take seconds:
 *
 * - *process*: the clock of a machine is set, by a second to two hours in either direction.
 * - *database*: that of the database is.
 * - *pause*: SIGSTOP for 35 seconds, 5 more than a lease.
 *
 * No call begins before the one before it has ended or its lease has run out, the handler gets
 * every end, nothing answered 200 is lost, and each effect is committed once.
 */
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { setTimeout as sleep } from "node:timers/promises"
import * as Effects from "./Effects.ts"
import * as ReceiverProcess from "./ReceiverProcess.ts"
import { type Changed, type DatabasePart, onDatabases, type Run } from "./Run.ts"
import * as SeededRandom from "./SeededRandom.ts"
import * as Senders from "./Senders.ts"
import * as SteppedDatabase from "./SteppedDatabase.ts"
import * as StoredCallbacks from "./StoredCallbacks.ts"
import * as Stores from "./Stores.ts"
import * as TurnApplication from "./TurnApplication.ts"
import * as Wait from "./Wait.ts"

const steps = [1000, 8000, 45_000, 600_000, 7_200_000]
/** The largest step of the database that ends no lease early, in milliseconds. */
const harmlessStep = 8000
const skew = 45_000
/**
 * The milliseconds after which every process has noticed a step of the database
 * (`docs/decisions/0036-proof.md`).
 */
const noticeTime = 13_000
const answersPerFault = 60
const alarmLimit = 5000

/** Milliseconds that only tests change. */
const usual = { slow: 6000, wait: 12_000, pauseTime: 35_000 }

const leaseTime = 30_000

const onStore = Effect.fnUntraced(function* (part: DatabasePart<typeof usual>) {
  const { count, miss, pauseTime, progress, seed, slow, store, wait } = part
  const random = SeededRandom.make(seed, "clock")
  const faults = SeededRandom.make(seed, "steps")
  if (store._tag === "postgres") yield* SteppedDatabase.installSteps(store)
  yield* Effects.makeTable(store)
  const service = yield* ReceiverProcess.make(store.url)
  const application = yield* TurnApplication.start(miss, () =>
    random.isTrue(0.15) ? random.below(slow) : random.below(10)
  )
  const aheads = store._tag === "postgres" ? [0, skew] : [0]
  const receivers = yield* Effect.forEach(aheads, (ahead) => {
    const receiver = service.start({ forward: application.url, program: "committing" })
    receiver.setClock(ahead)
    return Effect.map(ReceiverProcess.waitForPort(receiver), (port) => ({
      ...receiver,
      port,
      ahead,
      isPaused: false,
      isStepped: false
    }))
  })
  const senders = yield* Senders.start({
    ...service,
    random,
    miss,
    ports: () => receivers.filter(({ isPaused }) => !isPaused).map(({ port }) => port),
    gap: 80
  })
  const figures = { process: 0, database: 0, pause: 0 }

  const drawStep = () => faults.pick(steps) * (faults.isTrue(0.5) ? 1 : -1)
  let databaseAhead = 0
  const deleteLeases = Effect.suspend(() => {
    // A call whose lease is deleted may begin later.
    application.endLeases(Infinity)
    // The stopped receiver may hold the lock of a row until the server ends its transaction.
    const schedule = Schedule.spaced("200 millis")
    return Effect.retry(Stores.endLeases(store), { schedule, times: 100 })
  })
  const fault = {
    process: Effect.sync(() => {
      const receiver = faults.pick(receivers)
      const step = drawStep()
      receiver.ahead += step
      receiver.isStepped ||= Math.abs(step) > alarmLimit
      receiver.setClock(receiver.ahead)
    }),
    database: Effect.suspend(() => {
      const step = drawStep()
      databaseAhead += step
      if (Math.abs(step) > harmlessStep) application.endLeases(noticeTime)
      return store._tag === "postgres" ? SteppedDatabase.set(store, databaseAhead) : Effect.void
    }),
    pause: Effect.gen(function* () {
      const receiver = faults.pick(receivers)
      receiver.pause()
      receiver.isPaused = true
      if (pauseTime < leaseTime) yield* deleteLeases
      yield* Effect.promise(() => sleep(pauseTime))
      receiver.resume()
      if (pauseTime < leaseTime) application.endLeases(noticeTime)
      receiver.isPaused = false
    })
  }
  const kinds =
    store._tag === "postgres"
      ? (["process", "pause", "database"] as const)
      : (["process", "pause"] as const)

  for (let round = 0; round < count; round++) {
    yield* Effect.promise(() => senders.waitForAnswers(answersPerFault))
    const kind = round < kinds.length ? kinds[round] : faults.pick(kinds)
    figures[kind ?? "process"]++
    yield* fault[kind ?? "process"]
    yield* Effect.promise(() => sleep(faults.below(wait)))
    progress(`${round + 1} of ${count} faults, ${application.figures.calls} calls`)
  }
  senders.close()
  progress("waiting for the last calls")
  yield* Effect.promise(() => application.settle(senders.histories))
  yield* StoredCallbacks.check(store, senders, miss)
  const effects = yield* Effects.check(store, senders.histories, miss)
  const expectAlarm = (index: number, pattern: RegExp, what: string) =>
    Wait.within(Wait.longest, miss)(
      `receiver ${index + 1} raises an alarm for ${what}`,
      () => receivers[index]?.hasLogged(pattern) === true
    )
  yield* Effect.promise(async () => {
    for (const [index, { isStepped }] of receivers.entries()) {
      if (isStepped) await expectAlarm(index, /a clock jumped by more than 5 seconds/u, "its clock")
      const difference = /clocks of this machine and of the database differ/u
      if (index > 0) await expectAlarm(index, difference, "the difference of the clocks")
    }
  })
  return {
    ...figures,
    ...senders.figures,
    ...application.figures,
    transactions: senders.histories.size,
    effects
  }
})

export const clock = {
  summary:
    "clocks set back and forward, 45 s apart, and SIGSTOP: turns are kept, and effects are committed once",
  unit: "faults",
  count: { sqlite: 60, postgres: 60 },
  make: (options: Changed<typeof usual>) => onDatabases({ ...usual, ...options }, onStore)
} satisfies Run
