/**
 * A test world under virtual time: a service, a ledger that may fail, and a handler whose calls are
 * recorded. A test starts, stops and kills receivers that share the ledger.
 */
import { StoreUnavailable } from "@pawl/core/CallbackError"
import type { Policy } from "@pawl/core/Evidence"
import * as Handler from "@pawl/core/Handler"
import * as NodeHmac from "@pawl/core/NodeHmac"
import { NotFound, type ReadError, Unreachable } from "@pawl/core/PaymentsError"
import * as Profile from "@pawl/core/Profile"
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
import * as Logger from "effect/Logger"
import type { LogLevel } from "effect/LogLevel"
import { MinimumLogLevel } from "effect/References"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as Journal from "@pawl/webhook/Journal"
import * as Ledger from "@pawl/webhook/Ledger"
import * as Receiver from "@pawl/webhook/Receiver"
import * as Verifier from "@pawl/webhook/Verifier"
import * as Worker from "@pawl/webhook/internal/work/Worker"
import * as service from "./Service.ts"

/**
 * One call of the handler; `end` is undefined while it runs, and `took` is true once it succeeded.
 */
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

type LedgerService = Ledger.Ledger["Service"]

/**
 * The options of a world. `clock` returns how many milliseconds a receiver's clock is ahead of the
 * world. Every statement sleeps for `latency` before it runs, and again after it. With a
 * `pollInterval` the ledger is watched for outages, like one that outlives its process. `plant`
 * changes some operations of the ledger.
 */
export interface Options {
  readonly policy?: Policy
  readonly profile?: Partial<Profile.Switches>
  readonly read?: (read: Read) => Effect.Effect<OpenStatus, ReadError>
  readonly handle?: (call: Call) => Effect.Effect<void, unknown>
  readonly commit?: Handler.Handler["Service"]["commit"]
  readonly isRefused?: (now: number) => boolean
  readonly latency?: Duration.Input
  readonly clock?: (now: number) => number
  readonly pollInterval?: Duration.Duration
  readonly limits?: Receiver.Options["limits"]
  readonly retrySchedule?: Receiver.Options["retrySchedule"]
  readonly plant?: (ledger: LedgerService) => Partial<LedgerService>
}

export const unreachable = Effect.fail(
  new Unreachable({ reason: "reset", sent: true, attempts: 1 })
)
export const notFound = Effect.fail(new NotFound({}))

export type World = Effect.Success<ReturnType<typeof make>>

export const callback = (transactionId: string, transactionStatus: OpenStatus) =>
  service.incoming("apm", service.apm({ transactionId, transactionStatus }))

/** Lets every fiber run until it sleeps. The test clock waits only for the fibers that it woke. */
export const settled = Effect.replicateEffect(Effect.yieldNow, 50, { discard: true })

/** Advances the test clock, and lets every fiber run before and after. */
export const pass = (duration: Duration.Input): Effect.Effect<void> =>
  settled.pipe(Effect.andThen(TestClock.adjust(duration)), Effect.andThen(settled))

/** Provides virtual time, which starts at the epoch, and no log. */
export const inVirtualTime = <A, E>(test: Effect.Effect<A, E, Scope.Scope>): Effect.Effect<A, E> =>
  test.pipe(
    Effect.scoped,
    Effect.provide(TestClock.layer()),
    Effect.provideService(MinimumLogLevel, "None")
  )

/** Makes a clock that is so many milliseconds ahead of another one. Its monotonic time is not. */
export const aheadOf = (clock: Clock.Clock, ahead: () => number): Clock.Clock => {
  const now = () => clock.currentTimeMillisUnsafe() + ahead()
  return {
    ...clock,
    currentTimeMillisUnsafe: now,
    currentTimeMillis: Effect.sync(now),
    currentTimeNanosUnsafe: () => BigInt(now()) * 1_000_000n,
    currentTimeNanos: Effect.sync(() => BigInt(now()) * 1_000_000n),
    monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: clock.monotonicTimeNanos,
    sleep: (duration) => clock.sleep(duration)
  }
}

/** Keeps what is logged from a level on. `kept` makes an effect log so. */
export const keepLog = (
  level: LogLevel,
  lineOf = ({ message }: Logger.Options<unknown>): unknown => message
) => {
  const lines: Array<unknown> = []
  const logger = Logger.make((options) => void lines.push(lineOf(options)))
  const layer = Layer.merge(Logger.layer([logger]), Layer.succeed(MinimumLogLevel, level))
  return { lines, kept: Effect.provide(layer) }
}

/** Makes a ledger in memory of which a test changes some operations. */
export const planted = (plant: (ledger: LedgerService) => Partial<LedgerService>) =>
  Layer.effect(
    Ledger.Ledger,
    Effect.map(Ledger.Ledger, (ledger) => ({ ...ledger, ...plant(ledger) }))
  ).pipe(Layer.provide(Layer.fresh(Ledger.layerMemory)))

/** Keeps the reasons of the alarms of a journal from now on. */
export const alarmsOf = ({ observe }: Journal.Journal["Service"]): ReadonlyArray<string> => {
  const reasons: Array<string> = []
  observe((event) => {
    if (event._tag === "Alarm") reasons.push(event.reason)
  })
  return reasons
}

export const run = <A, E>(test: Effect.Effect<A, E, Scope.Scope>): Promise<A> =>
  Effect.runPromise(inVirtualTime(test))

export const make = Effect.fnUntraced(function* (options: Options = {}) {
  const { handle = () => Effect.void, latency = 0, read = () => notFound } = options
  const clock = yield* Clock.clockWith(Effect.succeed)
  const now = () => clock.currentTimeMillisUnsafe()
  const memory = Context.get(yield* Layer.build(Ledger.layerMemory), Ledger.Ledger)
  const ledger = { ...memory, ...options.plant?.(memory) }
  const calls: Array<Call> = []
  const reads: Array<Read> = []
  const entries: Array<Journal.Entry> = []
  const counts = {
    claims: 0,
    overlaps: 0,
    reading: 0,
    mostReading: 0,
    handling: 0,
    mostHandling: 0
  }

  const handlerAlone = Handler.layer((transition) => {
    const call = { ...transition, at: now(), end: now() as number | undefined, took: false }
    const isSame = (other: Call) =>
      other.transactionId === call.transactionId && other.end === undefined
    if (calls.some(isSame)) counts.overlaps++
    calls.push(call)
    const outcome = handle(call)
    call.end = undefined
    counts.mostHandling = Math.max(counts.mostHandling, ++counts.handling)
    return Effect.onExit(outcome, (exit) =>
      Effect.sync(() => {
        counts.handling--
        Object.assign(call, { end: now(), took: Exit.isSuccess(exit) })
      })
    )
  })

  const { commit } = options
  const handler = Layer.effect(
    Handler.Handler,
    Effect.map(Handler.Handler, ({ handle }) => ({ handle, ...(commit && { commit }) }))
  ).pipe(Layer.provide(handlerAlone))

  const reader = Layer.succeed(StatusReader, {
    read: (kind, id) => {
      const request = { id, kind, at: now() }
      reads.push(request)
      const result = read(request)
      counts.mostReading = Math.max(counts.mostReading, ++counts.reading)
      return result.pipe(
        Effect.map((status) => ({
          kind: kind === "apm" ? ("apm-payment" as const) : kind,
          status
        })),
        Effect.ensuring(Effect.sync(() => counts.reading--))
      )
    }
  })

  /** Makes the ledger of one process. It refuses the statements of a killed process. */
  const ledgerOf = (process: { readonly isDead: boolean }): Ledger.Ledger["Service"] => {
    const state = <A>(effect: Effect.Effect<A, StoreUnavailable>) =>
      Effect.gen(function* () {
        const isRefused = process.isDead || options.isRefused?.(now()) === true
        yield* Effect.sleep(latency)
        if (isRefused) return yield* new StoreUnavailable({})
        return yield* Effect.tap(effect, () => Effect.sleep(latency))
      })
    return {
      ...ledger,
      ...(options.pollInterval && { pollInterval: options.pollInterval }),
      accept: (verified, at) => state(ledger.accept(verified, at)),
      claim: (request) => {
        counts.claims++
        return state(ledger.claim(request))
      },
      write: (leased, change) => state(ledger.write(leased, change))
    }
  }

  const ahead = aheadOf(clock, () => options.clock?.(now()) ?? 0)

  /**
   * Starts a receiver. `stop` and `interrupt` shut it down in order; `kill` cuts it off from the
   * ledger first.
   */
  const start = Effect.gen(function* () {
    const process = { isDead: false }
    const scope = yield* Scope.make()
    const built = yield* Layer.buildWithScope(
      Receiver.layer({
        policy: options.policy ?? "final",
        limits: options.limits ?? {},
        retrySchedule: options.retrySchedule
      }).pipe(
        Layer.provide(
          Layer.provide(
            Verifier.layer({ current: Redacted.make(service.secret) }),
            Profile.layer(options.profile ?? {})
          )
        ),
        Layer.provide([
          Layer.succeed(Ledger.Ledger, ledgerOf(process)),
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
    return {
      ...Context.get(built, Worker.Worker),
      services: built,
      stop: Scope.close(scope, Exit.void),
      interrupt: Scope.close(scope, Exit.interrupt()),
      kill: Effect.suspend(() => {
        process.isDead = true
        return Scope.close(scope, Exit.die("killed"))
      }),
      receive: (id: string, status: OpenStatus) =>
        Effect.provideService(receive(callback(id, status)), Clock.Clock, ahead),
      receiveRequest: (incoming: Verifier.Incoming) =>
        Effect.provideService(receive(incoming), Clock.Clock, ahead)
    }
  }).pipe(Effect.provideService(Clock.Clock, ahead))

  return { now, ledger, calls, reads, entries, counts, start }
})

export const started = Effect.fnUntraced(function* (options?: Options) {
  const world = yield* make(options)
  return { ...world, ...(yield* world.start) }
})

export const second = 1000
export const minute = 60 * second
export const hour = 60 * minute
export const day = 24 * hour

/** A handler is called again each hour for a day, which takes fewer calls than the default. */
export const hourly = Schedule.spaced("1 hour").pipe(Schedule.upTo({ duration: "1 day" }))

export const says = (status: Status) => () => Effect.succeed(status)

export const told = ({ calls }: World) => calls.filter(({ took }) => took).map(({ to }) => to)

export const times = ({ calls }: World) => calls.map(({ at }) => at)

export const gaps = (all: ReadonlyArray<number>) =>
  all.slice(1).map((at, index) => at - (all[index] ?? 0))

export const deadLetter = ({ entries }: World) =>
  entries.flatMap((entry) => (entry._tag === "DeadLettered" ? [entry.reason] : []))

export const alarms = ({ entries }: World) =>
  entries.flatMap((entry) => (entry._tag === "Alarm" ? [entry.reason] : []))
