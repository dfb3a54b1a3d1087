/**
 * Traces of real requests in virtual time: two processes on one store, killed and restarted, and a
 * service that loses requests and responses. An event is a step of the model with the row and the
 * time, so each stored row is compared to the millisecond.
 */
import { OutcomeUnknown, Unreachable, ValidationFailed } from "@pawl/core/PaymentsError"
import * as NodeHmac from "@pawl/core/NodeHmac"
import { Profile } from "@pawl/core/Profile"
import { RequestSender } from "@pawl/core/RequestSender"
import * as CallbackUrl from "@pawl/webhook/CallbackUrl"
import * as RequestStore from "@pawl/webhook/internal/ledger/RequestStore"
import type { Outcome, RequestRow } from "@pawl/webhook/internal/rule/RequestRow"
import * as RequestRule from "@pawl/webhook/internal/rule/RequestRule"
import * as Ledger from "@pawl/webhook/Ledger"
import * as Requests from "@pawl/webhook/Requests"
import * as Seal from "@pawl/webhook/Seal"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { MinimumLogLevel } from "effect/References"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { StoreUnavailable } from "@pawl/core/CallbackError"
import { secret } from "../rel/FakeService.ts"
import * as SeededRandom from "../rel/SeededRandom.ts"
import { pass, sleepUntil } from "../VirtualTime.ts"
import { keyOf } from "./Checker.ts"
import * as Inclusion from "./Inclusion.ts"
import * as Model from "./Requests.ts"

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

interface Event {
  readonly at: number
  readonly label: string
}

export interface Trace {
  readonly id: string
  readonly events: Array<Event>
  effects: number
}

/** Returns what an event says of a row, with times relative to `at`. */
const textOf = ({ begunAt, dueAt, lease, outcome, parked }: RequestRow, at: number): string => {
  const leased = lease && (lease.inDoubt ? "leased in doubt" : "leased")
  const due = dueAt === undefined ? "not due" : `due in ${dueAt - at}`
  const begun = begunAt === undefined ? "" : `, begun ${at - begunAt} ago`
  return `${outcome?._tag ?? parked?.reason ?? leased ?? due}${begun}`
}

const record = (
  store: Store,
  by: number,
  now: () => number,
  see: (id: string, event: string) => void
): Partial<Store> => {
  const named = (id: string, row: RequestRow | undefined, name: string) =>
    see(id, `${by} ${name}: ${row === undefined ? "nothing" : textOf(row, now())}`)
  const noted = <A, E>(call: Effect.Effect<A, E>, note: (result: A) => void) =>
    Effect.tap(call, (result) => Effect.sync(() => note(result)))
  const nameOf = (outcome: Outcome): string => {
    if (outcome._tag === "Answered") return "the answer is stored"
    if (outcome._tag === "Refused") return "the refusal is stored"
    return "reason" in outcome && outcome.reason === "expired"
      ? "the request expires"
      : "nothing was sent"
  }
  return {
    write: (request, options) =>
      noted(store.write(request, options), ({ isNew, row }) => {
        if (!isNew) return
        if (row.lease === undefined)
          see(row.requestId, `the request is enqueued: ${textOf(row, now())}`)
        else named(row.requestId, row, "a caller sends the request")
      }),
    restart: (request, options) =>
      noted(store.restart(request, options), (row) => {
        if (row !== undefined) named(row.requestId, row, "a caller sends the request again")
      }),
    claim: (options) =>
      noted(store.claim(options), ({ rows }) => {
        const name =
          options.requestId === undefined
            ? "a process claims the request"
            : "a caller takes the request over"
        for (const row of rows) named(row.requestId, row, name)
      }),
    begin: (leased, options) =>
      noted(store.begin(leased, options), (row) => {
        const name = row === undefined ? "an attempt does not begin" : "an attempt begins"
        named(leased.requestId, row, name)
      }),
    renew: (leased, until) =>
      noted(store.renew(leased, until), (isRenewed) => {
        if (isRenewed) see(leased.requestId, "the lease is renewed")
      }),
    release: (leased, options) =>
      noted(store.release(leased, options), (row) => {
        const isLeft = options.dueAt === options.at
        const name = isLeft ? "a caller gives up" : "the request is released"
        named(leased.requestId, row, name)
      }),
    park: (leased, reason, at) =>
      noted(store.park(leased, reason, at), (row) =>
        named(leased.requestId, row, "the request is parked")
      ),
    settle: (requestId, settlement, registration) =>
      noted(store.settle(requestId, settlement, registration), ({ isSettled, row }) =>
        named(requestId, isSettled ? row : undefined, nameOf(settlement.outcome))
      )
  }
}

const traffic = 20 * 60_000
const quiet = 60 * 60_000

export const recordTraces = Effect.fnUntraced(
  function* (seed: number, count: number, bugName = "") {
    const bug = bugs[bugName] ?? {}
    const random = SeededRandom.make(seed, "requests")
    const clock = yield* Clock.Clock
    const now = () => clock.currentTimeMillisUnsafe()
    const stores = yield* Layer.build(
      Layer.provideMerge(RequestStore.layerMemory, Layer.fresh(Ledger.layerMemory))
    )
    const store = Context.get(stores, RequestStore.RequestStore)
    const traces = new Map<string, Trace>()
    const see = (id: string, label: string) => traces.get(id)?.events.push({ at: now(), label })
    const known = new Map<string, string>()
    const refused = new Set<string>()

    const senderOf = (by: number, isDead: () => boolean): Sender => {
      const send = Effect.fnUntraced(function* (requestId: string) {
        const id = requestId.split(" ")[0] ?? ""
        const say = (name: string) => Effect.sync(() => isDead() || see(id, `${by} ${name}`))
        const make = Effect.sync(() => {
          const trace = traces.get(id)
          if (!known.has(requestId) && trace !== undefined) trace.effects++
          known.set(requestId, id)
        })
        if (random.isTrue(0.1)) {
          yield* say("there is no connection")
          return yield* new Unreachable({ reason: "refused", sent: false, attempts: 1 })
        }
        yield* say("the request is sent")
        const lost = new OutcomeUnknown({
          requestId,
          cause: new Unreachable({ reason: "reset", sent: true, attempts: 1 })
        })
        const fate = refused.has(id) ? 9 : random.below(10)
        if (fate < 7) yield* make
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
        return yield* lost
      })
      const sender = RequestSender.of({
        encode: (kind, input) =>
          Effect.succeed({ kind, requestId: input.requestId ?? "", body: JSON.stringify(input) }),
        send: (request) => send(request.requestId) as never,
        encodeOutcome: (_, outcome) => JSON.stringify(Result.getOrElse(outcome, () => ({}))),
        decodeOutcome: (_, text) => Effect.succeed(JSON.parse(text)) as never
      })
      return { ...sender, ...bug.sender?.(sender) }
    }

    const start = Effect.fnUntraced(function* (by: number) {
      const process = { isDead: false }
      const scope = yield* Scope.make()
      const planted: Store = { ...store, ...bug.store?.(store) }
      const recorded: Partial<Store> = {}
      for (const [name, call] of Object.entries(record(planted, by, now, see))) {
        const run = call as (...options: ReadonlyArray<unknown>) => Effect.Effect<unknown, unknown>
        Object.assign(recorded, {
          [name]: (...options: ReadonlyArray<unknown>) =>
            Effect.suspend(() =>
              process.isDead ? Effect.fail(new StoreUnavailable({})) : run(...options)
            )
        })
      }
      const sender = senderOf(by, () => process.isDead)
      const layer = Requests.layer().pipe(
        Layer.provide([
          Layer.succeed(RequestStore.RequestStore, { ...planted, ...recorded }),
          Layer.succeed(RequestSender, sender),
          CallbackUrl.layer(Redacted.make(secret)),
          Seal.layer({ current: Redacted.make(secret) })
        ]),
        Layer.provide(NodeHmac.layer)
      )
      const built = yield* Layer.buildWithScope(Layer.fresh(layer), scope)
      const kill = Effect.suspend(() => {
        process.isDead = true
        for (const id of traces.keys()) see(id, `${by} a process is killed`)
        return Scope.close(scope, Exit.die("killed"))
      })
      return { requests: Context.get(built, Requests.Requests), kill }
    })

    type Process = Effect.Success<ReturnType<typeof start>>
    const processes: [Process | undefined, Process | undefined] = [yield* start(0), yield* start(1)]
    const at = (
      time: number,
      work: (requests: Process["requests"]) => Effect.Effect<unknown, unknown>
    ) =>
      Effect.forkScoped(
        Effect.andThen(
          sleepUntil(time),
          Effect.suspend(() => {
            const process = processes[random.below(2)]
            return process === undefined ? Effect.void : Effect.exit(work(process.requests))
          })
        ),
        { startImmediately: true }
      )
    const decide = (
      time: number,
      id: string,
      name: string,
      call: (requests: Process["requests"]) => Effect.Effect<boolean, unknown>
    ) =>
      at(time, (requests) =>
        Effect.flatMap(call(requests), (isDone) =>
          Effect.map(store.get(id), (row) => {
            if (isDone && row !== undefined) see(id, `${name}: ${textOf(row, now())}`)
          })
        )
      )
    for (let index = 0; index < count; index++) {
      const id = String(100_001 + index)
      traces.set(id, { id, events: [], effects: 0 })
      const input = {
        requestId: id,
        accountId: "4711",
        amount: "10.00",
        currency: "EUR",
        apmPayload: { paymentMethod: "EWALLET" as const }
      }
      const begin = random.below(traffic)
      if (random.isTrue(0.5)) {
        yield* at(begin, (requests) => requests.enqueue("apm-payment", input))
      }
      for (let call = random.below(4); call > 0; call--) {
        const limit = random.isTrue(0.2) ? 2000 : 100_000
        yield* at(begin + random.below(60_000), (requests) =>
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
          if (traces.get(id)?.effects === 0) return false
          yield* store.find(id, { ...Model.found, ordered: { requestId: id }, transactionId: id })
          return (yield* store.get(id))?.outcome !== before?.outcome
        })
      )
    }
    for (let time = 60_000; time < traffic; time += 60_000) {
      yield* Effect.forkScoped(
        Effect.gen(function* () {
          yield* sleepUntil(time + random.below(50_000))
          const by = random.below(2) === 0 ? 0 : 1
          const process = processes[by]
          if (process === undefined) return
          processes[by] = undefined
          yield* process.kill
          yield* Effect.sleep(random.below(5000))
          processes[by] = yield* start(by)
        }),
        { startImmediately: true }
      )
    }
    for (let time = 0; time < traffic + quiet; time += 60_000) yield* pass("1 minute")
    for (const id of traces.keys()) see(id, "the end")
    const all = [...traces.values()].filter(({ events }) =>
      events.some(({ label }) => label.includes("request"))
    )
    const ended = all.map(({ effects, events, id }) => ({ id, effects, events: [...events] }))
    for (const process of processes) yield* process?.kill ?? Effect.void
    return ended
  },
  Effect.scoped,
  Effect.provide(TestClock.layer({ warningDelay: Duration.hours(1) })),
  Effect.provideService(MinimumLogLevel, "None"),
  Effect.updateService(Profile, (switches) => ({
    ...switches,
    requestIdWindow: Duration.millis(Model.window)
  }))
)

const scope: Model.Scope = { isLimited: false, refuses: true, faults: Infinity }

const unseen = ["without a process", "the request arrives", "the transaction is registered"]
const never = ["five minutes pass", "stalls", "forgets"]
const ofSender =
  /the request is sent|there is no connection|the service answers|is refused|the (?:request|response) is lost|killed/u

const { after, close } = Inclusion.follow((state: Model.State) => {
  const { row } = state
  const renewed = row?.lease && { ...row, lease: { ...row.lease, until: Model.leaseTime } }
  const steps = Model.steps(state, scope)
    .filter(({ name }) => never.every((part) => !name.includes(part)))
    .map(({ label: named, name, next }) => {
      const label = named ?? name
      if (unseen.some((part) => name.includes(part))) return { label: undefined, next }
      if (ofSender.test(name)) return { label, next }
      if (name.includes("lost its lease"))
        return { label: `${label.charAt(0)} a caller gives up: nothing`, next }
      const isSame = next.row === row || next.row === undefined
      return { label: `${label}: ${isSame ? "nothing" : textOf(next.row, 0)}`, next }
    })
  return renewed === undefined
    ? steps
    : [...steps, { label: "the lease is renewed", next: { ...state, row: renewed } }]
})

/** The longest time without a running process or a free slot, in milliseconds. */
const slack = 15_000

const isOverdue = (row: RequestRow): boolean => (RequestRule.claimableAt(row) ?? 0) < -slack

/** Returns the first refused event, or what the end lacks. */
export const missOf = ({ effects, events }: Trace): string | undefined => {
  const first = Model.first(Infinity)
  let states: Inclusion.States<Model.State> = close(new Map([[keyOf(first), first]]))
  let last = 0
  for (const [index, { at, label }] of events.entries()) {
    const moved = [...states.values()].map((state) => Model.passed(state, at - last))
    const later = close(new Map(moved.map((state) => [keyOf(state), state])))
    last = at
    if (moved.every(({ row }) => row !== undefined && isOverdue(row))) {
      return `event ${index + 1}: no process has claimed the request in time`
    }
    const isOptional = label.endsWith("killed") || label === "the end"
    states = close(after(later, label, (steps) => isOptional && steps === 0))
    if (states.size === 0) return `event ${index + 1}: no step of the model: ${label}`
  }
  const ends = [...states.values()].filter((state) => state.effects === effects)
  if (ends.length === 0) return `the service made ${effects} transactions`
  return ends.some(({ row }) => (row?.outcome ?? row?.parked) !== undefined)
    ? undefined
    : "the request is neither settled nor parked at the end"
}
