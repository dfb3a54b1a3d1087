/**
 * A small world for receivers to live in, under virtual time: a service, a ledger that may fail, a
 * handler that is watched. Receivers over the one ledger are started, stopped and killed at will.
 */
import { StoreUnavailable } from "@pawl/core/CallbackError"
import type { Policy } from "@pawl/core/Evidence"
import * as Handler from "@pawl/core/Handler"
import * as NodeHmac from "@pawl/core/NodeHmac"
import { NotFound, type ReadError, Unreachable } from "@pawl/core/PaymentsError"
import type { Status } from "@pawl/core/Status"
import { StatusReader } from "@pawl/core/StatusReader"
import type { Kind } from "@pawl/core/Kind"
import type { OpenStatus } from "@pawl/core/Transaction"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { MinimumLogLevel } from "effect/References"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as Journal from "../src/Journal.ts"
import * as Ledger from "../src/Ledger.ts"
import * as Receiver from "../src/Receiver.ts"
import * as Verifier from "../src/Verifier.ts"
import * as service from "./service.ts"

/** One call of the handler; `end` is undefined while it lasts. */
export interface Call extends Handler.Transition {
  readonly at: number
  readonly end: number | undefined
  readonly took: boolean
}

export interface Read {
  readonly id: string
  readonly kind: Kind
  readonly at: number
}

/** What goes wrong with a statement: nothing is done, or it is done and the answer is lost. */
export type Flaw = "none" | "refused" | "unanswered"

/**
 * What a world is made of. `clock` is what a receiver's clock is ahead of the world's, in milliseconds;
 * `latency` is what a statement takes, half of it before it is done.
 */
export interface Options {
  readonly policy?: Policy
  readonly read?: (read: Read) => Effect.Effect<OpenStatus, ReadError>
  readonly handle?: (call: Call) => Effect.Effect<void, unknown>
  readonly settle?: Handler.Handler["Service"]["settle"]
  readonly flaw?: (now: number) => Flaw
  readonly latency?: Duration.Input
  readonly clock?: (now: number) => number
}

export const silent = Effect.fail(new Unreachable({ reason: "reset", sent: true, attempts: 1 }))
export const unknown = Effect.fail(new NotFound({}))

/** A world, as `make` makes it. */
export type World = Effect.Success<ReturnType<typeof make>>

/** A callback of the service, as it travels. */
export const callback = (transactionId: string, transactionStatus: OpenStatus) =>
  service.incoming("apm", service.apm({ transactionId, transactionStatus }))

/** Lets every fiber run until it sleeps; the test clock waits only for those it woke itself. */
export const settled = Effect.replicateEffect(Effect.yieldNow, 50, { discard: true })

/** Lets time pass. */
export const pass = (duration: Duration.Input): Effect.Effect<void> =>
  settled.pipe(Effect.andThen(TestClock.adjust(duration)), Effect.andThen(settled))

/** Runs a test in virtual time, from the epoch on. */
export const run = <A, E>(test: Effect.Effect<A, E, Scope.Scope>): Promise<A> =>
  test.pipe(
    Effect.scoped,
    Effect.provide(TestClock.layer()),
    Effect.provideService(MinimumLogLevel, "None"),
    Effect.runPromise
  )

export const make = Effect.fnUntraced(function* (options: Options = {}) {
  const { handle = () => Effect.void, latency = 0, read = () => unknown } = options
  const clock = yield* Clock.clockWith(Effect.succeed)
  const now = () => clock.currentTimeMillisUnsafe()
  const ledger = Context.get(yield* Layer.build(Ledger.layerMemory), Ledger.Ledger)
  const calls: Array<Call> = []
  const reads: Array<Read> = []
  const entries: Array<Journal.Entry> = []
  const seen = { claims: 0, overlaps: 0, reading: 0, mostReading: 0, handling: 0, mostHandling: 0 }

  const handlerAlone = Handler.layer((transition) => {
    const call = { ...transition, at: now(), end: now() as number | undefined, took: false }
    const isSame = (other: Call) =>
      other.transactionId === call.transactionId && other.end === undefined
    if (calls.some(isSame)) seen.overlaps++
    calls.push(call)
    const deed = handle(call)
    call.end = undefined
    seen.mostHandling = Math.max(seen.mostHandling, ++seen.handling)
    return Effect.onExit(deed, (exit) =>
      Effect.sync(() => {
        seen.handling--
        Object.assign(call, { end: now(), took: Exit.isSuccess(exit) })
      })
    )
  })

  const { settle } = options
  const handler =
    settle === undefined
      ? handlerAlone
      : Layer.effect(
          Handler.Handler,
          Effect.map(Handler.Handler, ({ handle }) => ({ handle, settle }))
        ).pipe(Layer.provide(handlerAlone))

  const reader = Layer.succeed(StatusReader, {
    read: (kind, id) => {
      const asked = { id, kind, at: now() }
      reads.push(asked)
      const answer = read(asked)
      seen.mostReading = Math.max(seen.mostReading, ++seen.reading)
      return answer.pipe(
        Effect.map((status) => ({
          kind: kind === "apm" ? ("apm-payment" as const) : kind,
          status
        })),
        Effect.ensuring(Effect.sync(() => seen.reading--))
      )
    }
  })

  /** The ledger as one process sees it; nothing of a process that is dead reaches it. */
  const seenBy = (process: { readonly isDead: boolean }): Ledger.Ledger["Service"] => {
    const state = <A>(effect: Effect.Effect<A, StoreUnavailable>) =>
      Effect.gen(function* () {
        const flaw = process.isDead ? "refused" : (options.flaw?.(now()) ?? "none")
        yield* Effect.sleep(latency)
        if (flaw === "refused") return yield* new StoreUnavailable({})
        const done = yield* effect
        yield* Effect.sleep(latency)
        return flaw === "unanswered" ? yield* new StoreUnavailable({}) : done
      })
    return {
      ...ledger,
      accept: (verified, at) => state(ledger.accept(verified, at)),
      claim: (wanted) => {
        seen.claims++
        return state(ledger.claim(wanted))
      },
      write: (leased, change) => state(ledger.write(leased, change))
    }
  }

  const ahead: Clock.Clock = {
    currentTimeMillisUnsafe: () => now() + (options.clock?.(now()) ?? 0),
    currentTimeMillis: Effect.sync(() => now() + (options.clock?.(now()) ?? 0)),
    currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe(),
    currentTimeNanos: clock.currentTimeNanos,
    monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: clock.monotonicTimeNanos,
    sleep: (duration) => clock.sleep(duration)
  }

  /** Starts a receiver; `stop` ends it as one that is asked to, `kill` as one that is not. */
  const start = Effect.gen(function* () {
    const process = { isDead: false }
    const scope = yield* Scope.make()
    const built = yield* Layer.buildWithScope(
      Receiver.layer({ policy: options.policy ?? "final" }).pipe(
        Layer.provide(Verifier.layer({ current: Redacted.make(service.secret) })),
        Layer.provide([
          Layer.succeed(Ledger.Ledger, seenBy(process)),
          NodeHmac.layer,
          handler,
          reader
        ])
      ),
      scope
    )
    yield* Context.get(built, Journal.Journal).entries.pipe(
      Stream.runForEach((entry) => Effect.sync(() => entries.push(entry))),
      Effect.forkIn(scope, { startImmediately: true })
    )
    const { receive } = Context.get(built, Receiver.Receiver)
    const stop = Scope.close(scope, Exit.void)
    return {
      stop,
      kill: Effect.suspend(() => {
        process.isDead = true
        return stop
      }),
      receive: (id: string, status: OpenStatus) =>
        Effect.provideService(receive(callback(id, status)), Clock.Clock, ahead)
    }
  }).pipe(Effect.provideService(Clock.Clock, ahead))

  return { now, ledger, calls, reads, entries, seen, start }
})

export const second = 1000
export const minute = 60 * second
export const hour = 60 * minute
export const day = 24 * hour

/** A service that always says the same. */
export const says = (status: Status) => () => Effect.succeed(status)

/** What the handler took, in order. */
export const told = ({ calls }: World) => calls.filter(({ took }) => took).map(({ to }) => to)

/** When the handler was called. */
export const times = ({ calls }: World) => calls.map(({ at }) => at)

export const gaps = (all: ReadonlyArray<number>) =>
  all.slice(1).map((at, index) => at - (all[index] ?? 0))

/** Why rows became dead letters, in order. */
export const deadLetter = ({ entries }: World) =>
  entries.flatMap((entry) => (entry._tag === "DeadLettered" ? [entry.reason] : []))

/** What alarms were raised, in order. */
export const alarms = ({ entries }: World) =>
  entries.flatMap((entry) => (entry._tag === "Alarm" ? [entry.reason] : []))
