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
import * as RequestStore from "@pawl/webhook/internal/ledger/RequestStore"
import type { RequestRow } from "@pawl/webhook/internal/rule/RequestRow"
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
import type * as Process from "../simulation/Process.ts"
import { pass } from "../VirtualTime.ts"
import * as Model from "./Requests.ts"
import type { Index } from "./Checker.ts"
import * as Traces from "./Traces.ts"
import * as TwoProcesses from "./TwoProcesses.ts"

type Store = RequestStore.RequestStore["Service"]
type Sender = RequestSender["Service"]

interface Bug {
  readonly store?: (store: Store) => Partial<Store>
  readonly sender?: (sender: Sender) => Partial<Sender>
}

let another = 0

export const bugs: Readonly<Record<string, Bug>> = {
  "a request in doubt is sent again under a new requestId": {
    sender: ({ send }) => ({
      send: (request, limits) =>
        send({ ...request, requestId: `${request.requestId} ${another++}` }, limits)
    })
  },
  "an attempt begins without a mark in the store": {
    store: () => ({ begin: (leased) => Effect.succeed(leased) })
  },
  "an attempt that was lost counts as one without an effect": {
    store: ({ release }) => ({
      release: (leased, options) => release(leased, { ...options, hadNoEffect: true })
    })
  },
  "the lease of a request is not renewed": {
    store: () => ({ renew: () => Effect.succeed(true) })
  },
  "an answer is not stored": {
    store: ({ get }) => ({
      settle: (requestId) =>
        Effect.map(get(requestId), (row) => ({
          row,
          isSettled: true,
          isProvedWrong: false,
          refusal: undefined
        }))
    })
  },
  "a request that becomes due wakes no process": { store: () => ({ awaitWork: Effect.never }) }
}

interface Shared {
  readonly random: SeededRandom.SeededRandom
  readonly now: () => number
  readonly see: (id: string, event: string) => void
  /** The requestIds of the transactions that the service made, by request. */
  readonly made: ReadonlyMap<string, Set<string>>
  readonly refused: ReadonlySet<string>
}

const record = (
  store: Store,
  by: Index,
  { isDead }: Process.Instance,
  { now, see }: Pick<Shared, "now" | "see">
): Store => {
  const note = (id: string, call: string, row: RequestRow | undefined) =>
    see(id, `${by} ${call}: ${Model.textOf(row, now())}`)
  const noted = <A, E>(call: Effect.Effect<A, E>, note: (result: A) => void) =>
    Effect.suspend((): Effect.Effect<A, E | StoreUnavailable> =>
      isDead()
        ? Effect.fail(new StoreUnavailable({}))
        : Effect.tap(call, (result) => Effect.sync(() => note(result)))
    )
  return {
    ...store,
    write: (request, options) =>
      noted(store.write(request, options), ({ isNew, row }) => {
        const id = row.requestId
        if (isNew && row.lease !== undefined) note(id, "write", row)
        else if (isNew) see(id, `write: ${Model.textOf(row, now())}`)
      }),
    restart: (request, options) =>
      noted(store.restart(request, options), (row) => row && note(row.requestId, "restart", row)),
    claim: (options) =>
      noted(store.claim(options), ({ rows }) => {
        const call = options.requestId === undefined ? "claim" : "take over"
        for (const row of rows) note(row.requestId, call, row)
      }),
    begin: (leased, options) =>
      noted(store.begin(leased, options), (row) => note(leased.requestId, "begin", row)),
    renew: (leased, until) =>
      noted(store.renew(leased, until), (isRenewed) => {
        if (isRenewed) see(leased.requestId, `${by} renew`)
      }),
    release: (leased, options) =>
      noted(store.release(leased, options), (row) => note(leased.requestId, "release", row)),
    park: (leased, reason, at) =>
      noted(store.park(leased, reason, at), (row) => note(leased.requestId, "park", row)),
    settle: (id, settlement, registration) =>
      noted(store.settle(id, settlement, registration), ({ isSettled, row }) =>
        note(id, "settle", isSettled ? row : undefined)
      )
  }
}

const traffic = 20 * 60_000
const quiet = 60 * 60_000

const makeSender = (
  by: Index,
  { isDead }: Process.Instance,
  { made, random, refused, see }: Shared
): Sender => {
  const send = Effect.fnUntraced(function* (requestId: string) {
    const id = requestId.split(" ")[0] ?? ""
    const say = (name: string) => Effect.sync(() => isDead() || see(id, `${by} ${name}`))
    if (random.isTrue(0.1)) {
      yield* say("there is no connection")
      return yield* new Unreachable({ reason: "refused", sent: false, attempts: 1 })
    }
    yield* say("the request is sent")
    const fate = refused.has(id) ? 9 : random.below(10)
    if (fate < 7) made.get(id)?.add(requestId)
    yield* Effect.sleep(random.isTrue(0.2) ? 40_000 : random.below(3000))
    if (fate < 5) {
      yield* say("the service answers")
      return { transactionId: id, transactionStatus: "PENDING" }
    }
    if (fate === 9) {
      yield* say("the request is refused")
      return yield* new ValidationFailed({ sent: true, status: 400, fields: [] })
    }
    yield* say(fate < 7 ? "the response is lost" : "the request is lost")
    const cause = new Unreachable({ reason: "reset", sent: true, attempts: 1 })
    return yield* new OutcomeUnknown({ requestId, cause })
  })
  return RequestSender.of({
    encode: (kind, input) =>
      Effect.succeed({ kind, requestId: input.requestId ?? "", body: JSON.stringify(input) }),
    send: (request) => send(request.requestId) as never,
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
    const store = Context.get(stores, RequestStore.RequestStore)
    const traces = Traces.make()
    const last = new Map<string, number>()
    const see = (id: string, event: string) => {
      traces.see(id, `${now() - (last.get(id) ?? 0)} ms pass`)
      traces.see(id, event)
      last.set(id, now())
    }
    const made = new Map<string, Set<string>>()
    const refused = new Set<string>()
    const shared: Shared = { random, now, see, made, refused }

    const { at, kill, restart, running } = yield* TwoProcesses.start(
      random,
      Effect.fnUntraced(function* (by, instance) {
        const killed = () => {
          for (const id of made.keys()) see(id, `${by} a process is killed`)
        }
        yield* Effect.addFinalizer(() => Effect.sync(killed))
        const sender = makeSender(by, instance, shared)
        const planted: Store = { ...store, ...bug.store?.(store) }
        const layer = Requests.layer().pipe(
          Layer.provide([
            Layer.succeed(RequestStore.RequestStore, record(planted, by, instance, shared)),
            Layer.succeed(RequestSender, { ...sender, ...bug.sender?.(sender) }),
            CallbackUrl.layer(Redacted.make(secret)),
            Seal.layer({ current: Redacted.make(secret) })
          ]),
          Layer.provide(NodeHmac.layer)
        )
        return Context.get(yield* Layer.build(Layer.fresh(layer)), Requests.Requests)
      })
    )

    type Work = (requests: Requests.Requests["Service"]) => Effect.Effect<unknown, unknown>
    const call = (time: number, work: Work) =>
      at(
        time,
        Effect.suspend(() => {
          const requests = running()
          return requests === undefined ? Effect.void : Effect.exit(work(requests))
        })
      )
    const decide = (
      time: number,
      id: string,
      name: string,
      decision: (requests: Requests.Requests["Service"]) => Effect.Effect<boolean, unknown>
    ) =>
      call(time, (requests) =>
        Effect.flatMap(decision(requests), (isDone) =>
          Effect.map(store.get(id), (row) => {
            if (isDone) see(id, `${name}: ${Model.textOf(row, now())}`)
          })
        )
      )
    for (let index = 0; index < count; index++) {
      const id = String(100_001 + index)
      made.set(id, new Set())
      const input = {
        requestId: id,
        accountId: "4711",
        amount: "10.00",
        currency: "EUR",
        apmPayload: { paymentMethod: "EWALLET" as const }
      }
      const begin = random.below(traffic)
      if (random.isTrue(0.5)) {
        yield* call(begin, (requests) => requests.enqueue("apm-payment", input))
      }
      for (let calls = random.below(4); calls > 0; calls--) {
        const limit = random.isTrue(0.2) ? 2000 : 100_000
        yield* call(begin + random.below(60_000), (requests) =>
          Effect.timeoutOption(requests.send("apm-payment", input), limit)
        )
      }
      if (random.isTrue(0.15)) refused.add(id)
      const soon = begin + random.below(random.isTrue(0.5) ? 10_000 : 300_000)
      if (random.isTrue(0.5))
        yield* decide(soon, id, "the request is cancelled", ({ cancel }) => cancel(id))
      const later = traffic + random.below(traffic)
      yield* decide(later, id, "a person redrives the request", ({ redrive }) => redrive(id))
      yield* decide(random.below(traffic), id, "a callback names the request", () =>
        Effect.gen(function* () {
          const before = yield* store.get(id)
          if (made.get(id)?.size === 0) return false
          yield* store.find(id, { ...Model.found, ordered: { requestId: id }, transactionId: id })
          return (yield* store.get(id))?.outcome !== before?.outcome
        })
      )
    }
    yield* restart(traffic, 1)
    for (let time = 0; time < traffic + quiet; time += 60_000) yield* pass("1 minute")
    for (const [id, { size }] of made) see(id, Model.endOf(size))
    const all = traces.all()
    yield* kill
    return all.filter(({ events }) => events.some((event) => event.includes(": ")))
  },
  Effect.scoped,
  Effect.provide(TestClock.layer({ warningDelay: Duration.hours(1) })),
  Effect.provideService(MinimumLogLevel, "None"),
  Effect.updateService(Profile, (switches) => ({
    ...switches,
    requestIdWindow: Duration.millis(Model.window)
  }))
)
