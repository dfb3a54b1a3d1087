/**
 * Traces of real requests in virtual time: two processes on one store, killed and restarted, and a
 * service that loses requests and responses. An event of the store has the row, and time between
 * events is an event, so each stored row is compared to the millisecond.
 */
import { StoreUnavailable } from "@pawl/core/CallbackError"
import { OutcomeUnknown, Unreachable, ValidationFailed } from "@pawl/core/PaymentsError"
import * as NodeHmac from "@pawl/core/NodeHmac"
import { Profile } from "@pawl/core/Profile"
import { RequestSender } from "@pawl/core/RequestSender"
import * as CallbackUrl from "@pawl/webhook/CallbackUrl"
import * as World from "@pawl/test-support/World"
import * as RequestStore from "@pawl/webhook/internal/ledger/RequestStore"
import type { LeasedRequest, RequestRow } from "@pawl/webhook/internal/rule/RequestRow"
import * as Ledger from "@pawl/webhook/Ledger"
import * as Requests from "@pawl/webhook/Requests"
import * as Seal from "@pawl/webhook/Seal"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { MinimumLogLevel } from "effect/References"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import { secret } from "../rel/FakeService.ts"
import * as SeededRandom from "../rel/SeededRandom.ts"
import * as Process from "../simulation/Process.ts"
import { everyCall } from "../EveryCall.ts"
import { sleepUntil } from "@pawl/testkit/internal/Sleep"
import * as Model from "./Requests.ts"
import { both } from "./Checker.ts"
import * as Traces from "./Traces.ts"

type Store = RequestStore.RequestStore["Service"]

/** A planted bug, which changes the store or the requestId of an attempt. */
interface Bug {
  readonly store?: (store: Store) => Partial<Store>
  readonly requestId?: (requestId: string) => string
}

let another = 0

export const bugs: Readonly<Record<string, Bug>> = {
  "a request in doubt is sent again under a new requestId": {
    requestId: (requestId) => `${requestId} ${another++}`
  },
  "an attempt begins without a mark in the store": {
    store: () => ({ begin: (leased) => Effect.succeed(leased) })
  },
  "an attempt that was lost counts as one without an effect": {
    store: ({ release }) => ({
      release: (leased, options) => release(leased, { ...options, hadNoEffect: true })
    })
  },
  "the lease of a request is not renewed": { store: () => ({ renew: () => Effect.succeed(true) }) },
  "an answer is not stored": {
    store: ({ get }) => {
      const settled = { isSettled: true, isProvedWrong: false, refusal: undefined }
      return { settle: (id) => Effect.map(get(id), (row) => ({ before: row, row, ...settled })) }
    }
  },
  "a request that becomes due wakes no process": { store: () => ({ awaitWork: Effect.never }) }
}

/** A call that stores nothing is an event if the process lost the lease. */
const endsWithLease = ["begin", "release", "park", "settle"]

/** Notes an event of a process, while it lives. */
type See = (id: string, event: string) => unknown

const record = (store: Store, see: See, isDead: () => boolean, now: () => number): Store =>
  everyCall(store, (call, name, [of]) =>
    Effect.gen(function* () {
      if (isDead()) return yield* new StoreUnavailable({})
      const id = typeof of === "string" ? of : (of as Partial<LeasedRequest> | undefined)?.requestId
      const before = yield* store.get(id ?? "")
      const result = yield* call
      if (name === "claim") {
        const { rows } = result as { readonly rows: ReadonlyArray<RequestRow> }
        const claim = id === undefined ? "claim" : "take over"
        for (const row of rows) see(row.requestId, `${claim}: ${Model.textOf(row, now())}`)
      } else if (id !== undefined) {
        const after = yield* store.get(id)
        const isChanged = JSON.stringify(after) !== JSON.stringify(before)
        const isDone = name === "begin" ? result !== undefined : isChanged
        if (isDone || endsWithLease.includes(name))
          see(id, `${name}: ${Model.textOf(isDone ? after : undefined, now())}`)
      }
      return result
    })
  )

const minute = 60_000
const traffic = 20 * minute

/** A repeated fate is drawn more often. */
const fates = [
  "the service answers",
  "the service answers",
  "the response is lost",
  "the request is lost",
  "the request is refused"
] as const

/** Each seventh order is always refused; `made` notes a transaction. */
const makeSender = (see: See, random: SeededRandom.SeededRandom, made: (id: string) => void) => {
  const send = Effect.fnUntraced(function* ({ requestId: id }: { readonly requestId: string }) {
    if (random.isTrue(0.1)) {
      see(id, "there is no connection")
      return yield* new Unreachable({ reason: "refused", sent: false, attempts: 1 })
    }
    see(id, "the request is sent")
    const fate = Number(id) % 7 === 0 ? "the request is refused" : random.pick(fates)
    if (fate === "the service answers" || fate === "the response is lost") made(id)
    yield* Effect.sleep(random.isTrue(0.2) ? 40_000 : random.below(3000))
    see(id, fate)
    if (fate === "the service answers") return { transactionId: id, transactionStatus: "PENDING" }
    if (fate === "the request is refused")
      return yield* new ValidationFailed({ sent: true, status: 400, fields: [] })
    const cause = new Unreachable({ reason: "reset", sent: true, attempts: 1 })
    return yield* new OutcomeUnknown({ requestId: id, cause })
  })
  return RequestSender.of({
    encode: (kind, input) =>
      Effect.succeed({ kind, requestId: input.requestId ?? "", body: JSON.stringify(input) }),
    send: send as never,
    encodeOutcome: (_, outcome) => JSON.stringify(Result.getOrElse(outcome, () => ({}))),
    decodeOutcome: (_, text) => Effect.succeed(JSON.parse(text)) as never
  })
}

export const recordTraces = Effect.fnUntraced(
  function* (seed: number, count: number, bug: Bug = {}) {
    const random = SeededRandom.make(seed, "requests")
    const clock = yield* Clock.Clock
    const now = () => clock.currentTimeMillisUnsafe()
    const stores = yield* Layer.build(
      Layer.provideMerge(RequestStore.layerMemory, Layer.fresh(Ledger.layerMemory))
    )
    const original = Context.get(stores, RequestStore.RequestStore)
    const planted: Store = { ...original, ...bug.store?.(original) }
    const traces = Traces.make()
    const last = new Map<string, number>()
    const see = (id: string, event: string) => {
      traces.see(id, `${now() - (last.get(id) ?? 0)} ms pass`)
      traces.see(id, event)
      last.set(id, now())
    }
    /** The orders, each with the requestIds of the transactions that the service made. */
    const orders = new Map<string, Set<string>>()
    const made = (id: string) => orders.get(id)?.add(bug.requestId?.(id) ?? id)

    const processes = both.map((by) =>
      Process.make(
        Effect.fnUntraced(function* ({ isDead }) {
          const killed = Effect.sync(() => {
            for (const id of orders.keys()) see(id, `${by} a process is killed`)
          })
          yield* Effect.addFinalizer(() => killed)
          const seeOfProcess: See = (id, event) => isDead() || see(id, `${by} ${event}`)
          const store = record(planted, seeOfProcess, isDead, now)
          const layer = Requests.layer().pipe(
            Layer.provide([
              Layer.succeed(RequestStore.RequestStore, store),
              Layer.succeed(RequestSender, makeSender(seeOfProcess, random, made)),
              CallbackUrl.layer(Redacted.make(secret)),
              Seal.layer({ current: Redacted.make(secret) })
            ]),
            Layer.provide(NodeHmac.layer)
          )
          const built = yield* Effect.orDie(Layer.build(Layer.fresh(layer)))
          return { ...Context.get(built, Requests.Requests), find: store.find }
        })
      )
    )
    type Running = NonNullable<ReturnType<(typeof processes)[0]["running"]>>
    type Work = Effect.Effect<unknown, unknown>
    const at = (time: number, work: () => Work) =>
      sleepUntil(time).pipe(
        Effect.andThen(work),
        Effect.exit,
        Effect.forkScoped({ startImmediately: true })
      )
    const call = (time: number, work: (running: Running) => Work) =>
      at(time, () => {
        const running = processes.flatMap((process) => process.running() ?? [])
        return running.length === 0 ? Effect.void : work(random.pick(running))
      })

    yield* Effect.forEach(processes, ({ kill, start }) => Effect.acquireRelease(start, () => kill))
    for (let index = 0; index < count; index++) {
      const id = String(100_001 + index)
      const made = new Set<string>()
      orders.set(id, made)
      const ordered = { accountId: "4711", amount: "10.00", currency: "EUR" }
      const input = { ...ordered, requestId: id, apmPayload: { paymentMethod: "EWALLET" } } as const
      const begin = random.below(traffic)
      if (random.isTrue(0.5)) yield* call(begin, ({ enqueue }) => enqueue("apm-payment", input))
      for (let calls = random.below(4); calls > 0; calls--) {
        const limited = Effect.timeoutOption(random.isTrue(0.2) ? 2000 : 100_000)
        yield* call(begin + random.below(minute), ({ send }) => limited(send("apm-payment", input)))
      }
      const soon = begin + random.below(random.isTrue(0.5) ? 10_000 : 300_000)
      if (random.isTrue(0.5)) yield* call(soon, ({ cancel }) => cancel(id))
      yield* call(traffic + random.below(traffic), ({ redrive }) => redrive(id))
      const found = { ...Model.found, ordered: { requestId: id }, transactionId: id }
      yield* call(random.below(traffic), ({ find }) =>
        made.size > 0 ? find(id, found) : Effect.void
      )
    }
    for (let time = minute; time < traffic; time += minute) {
      const { kill, start } = random.pick(processes)
      const down = random.below(5000)
      yield* at(time + random.below(minute / 2), () =>
        Effect.andThen(kill, Effect.delay(start, down))
      )
    }
    for (let time = 0; time < 4 * traffic; time += minute) yield* World.pass(minute)
    for (const [id, made] of orders) see(id, `${made.size} transactions`)
    return traces.all().filter(({ events }) => events.some((event) => event.includes(": ")))
  },
  Effect.scoped,
  Effect.provide(TestClock.layer({ warningDelay: "1 hour" })),
  Effect.provideService(MinimumLogLevel, "None"),
  Effect.updateService(Profile, (switches) => ({
    ...switches,
    requestIdWindow: Duration.millis(Model.window)
  }))
)
