/**
 * The progress of a worker: whether its steps reach the store, and the rows that cannot be written.
 *
 * After a minute in which the steps of one sort failed and none succeeded, an alarm repeats the
 * cause every 10 minutes.
 *
 * A step is retried every second while the store is not available. If the store refuses it
 * (`Fault`), a row gets five tries, and then single ones until its release succeeds. Work without a
 * try left ends with `NotWritten`, and its lease runs out.
 */
import type { StoreUnavailable } from "@pawl/core/CallbackError"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import { hasProperty } from "effect/Predicate"
import { CurrentLogAnnotations } from "effect/References"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { makeRareLog } from "../rule/Counters.ts"
import * as Fault from "../sql/Fault.ts"

export const retryDelay = Duration.seconds(1)

export const retrySchedule = Schedule.spaced(retryDelay)

/** Repeats a round. A failure is logged once in 10 minutes, and followed by a wait of a second. */
export const forever = <E, R>(
  round: Effect.Effect<unknown, E, R>,
  failure: string
): Effect.Effect<never, never, R> => {
  const logRarely = makeRareLog()
  return round.pipe(
    Effect.catchCause((cause) =>
      Effect.andThen(logRarely("", Effect.logError(failure, cause)), Effect.sleep(retryDelay))
    ),
    Effect.forever
  )
}

/**
 * Limits the time of a function of the merchant. One that cannot be interrupted is waited for, so
 * that it does not run twice at a time.
 */
export const limited =
  (name: string, limit: Duration.Duration) =>
  <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E | Cause.TimeoutError, R> => {
    const text = `The ${name} has run for ${Duration.toSeconds(limit)} s`
    return Effect.raceFirst(
      call,
      Effect.logWarning(`${text}: it is interrupted and waited for`).pipe(
        Effect.andThen(Effect.fail(new Cause.TimeoutError(text))),
        Effect.delay(limit)
      )
    )
  }

const drainTimeout = Duration.seconds(15)
/** The longest time of a write. */
const leaveTimeout = Duration.seconds(3)

/**
 * Ends the rounds, and leaves 15 seconds to running work after `endEarly`. The rest is interrupted, and
 * left after 3 seconds: the end of an open set waits for a function of the merchant that cannot be
 * interrupted.
 */
export const drain = (
  rounds: Fiber.Fiber<unknown>,
  fibers: FiberSet.FiberSet<void>,
  endEarly: Effect.Effect<void> = Effect.void
): Effect.Effect<void> =>
  Fiber.interrupt(rounds).pipe(
    Effect.andThen(endEarly),
    Effect.andThen(FiberSet.awaitEmpty(fibers)),
    Effect.timeoutOption(drainTimeout),
    Effect.andThen(Effect.timeoutOption(FiberSet.clear(fibers), leaveTimeout)),
    Effect.map(() => {
      fibers.state = { _tag: "Closed" }
    })
  )

export class NotWritten extends Data.TaggedError("NotWritten")<{ readonly cause: string }> {
  override get message() {
    return `the store refuses to write a row: ${this.cause}`
  }
}

export interface StuckRow {
  readonly method: string
  readonly transactionId: string
  readonly cause: string
  readonly since: number
  readonly at: number
}

/** The state of a worker; `cause` is undefined while it makes progress. */
export interface State {
  readonly cause: string | undefined
  readonly rows: ReadonlyArray<StuckRow>
}

export const join = (states: ReadonlyArray<State>): State => ({
  cause: states.map(({ cause }) => cause).find((cause) => cause !== undefined),
  rows: states.flatMap(({ rows }) => rows)
})

export const noProgress = "the worker makes no progress"
export const noRequests = "no requests are sent"
export const notWritten = "a transaction cannot be written"

type Sort = "rounds" | "watches" | "calls" | "rows"

export interface Step {
  readonly sort: Exclude<Sort, "rounds" | "watches">
  readonly isEnd: boolean
}

interface Subject {
  readonly method: string
  readonly scope: string
  readonly transactionId: string
}

export interface Progress {
  /** A result with a `failure`, such as a claim that leases nothing, counts as a failed step. */
  readonly ofRound: <A>(
    step: Effect.Effect<A, StoreUnavailable>,
    sort?: "rounds" | "watches"
  ) => Effect.Effect<A, StoreUnavailable>
  readonly ofRow: (
    row: Subject,
    step: Step
  ) => <A>(step: Effect.Effect<A, StoreUnavailable>) => Effect.Effect<A>
  readonly released: (sort: Step["sort"], row?: Subject) => void
  /** Raises the alarm about a row that the store refuses to write. */
  readonly refused: (row: Subject, error: unknown) => Effect.Effect<string>
  readonly failed: (sort: Step["sort"], error: unknown) => Effect.Effect<Fault.Fault>
  /** Allows a refused step one more try. */
  readonly end: () => void
  readonly state: Effect.Effect<State>
}

const maxTries = 5
const limit = Duration.minutes(1)
const alarmGap = 10
/** The limits after which a single failure no longer counts. */
const maxQuiet = 15
const maxRows = 1000

interface Failing {
  cause: string
  /** The number of passed limits. */
  passed: number
  quiet: number
}

export const make = Effect.fnUntraced(function* (
  raise: (reason: string) => Effect.Effect<void>,
  reason: string = noProgress
): Effect.fn.Return<Progress, never, Scope.Scope> {
  const scope = yield* Effect.scope
  const clock = yield* Clock.Clock
  const annotations = yield* CurrentLogAnnotations
  const failing: Partial<Record<Sort, Failing>> = {}
  const rows = new Map<string, StuckRow & Pick<Step, "sort">>()
  let isEnding = false

  const watch = (sort: Sort, one: Failing) =>
    Effect.suspend(() => {
      one.passed++
      if (one.quiet++ >= maxQuiet) succeed(sort)
      return failing[sort] === one && one.passed % alarmGap === 1
        ? raise(`${reason}: ${one.cause}`)
        : Effect.void
    }).pipe(
      Effect.delay(limit),
      Effect.repeat({ while: () => failing[sort] === one }),
      Effect.provideService(CurrentLogAnnotations, annotations)
    )

  const fail = (sort: Sort, error: unknown): Effect.Effect<Fault.Fault> =>
    Effect.suspend(() => {
      const fault = Fault.of(error)
      const known = failing[sort]
      if (known !== undefined) {
        Object.assign(known, { cause: fault.cause, quiet: 0 })
        return Effect.succeed(fault)
      }
      const one = (failing[sort] = { cause: fault.cause, passed: 0, quiet: 0 })
      return Effect.as(Effect.forkIn(watch(sort, one), scope), fault)
    })

  const succeed = (sort: Sort) => {
    delete failing[sort]
  }

  const stick = (row: Subject, sort: Step["sort"], cause: string) => {
    const at = clock.currentTimeMillisUnsafe()
    const key = keyOf(row)
    const { method, transactionId } = row
    const since = rows.get(key)?.since ?? at
    rows.delete(key)
    rows.set(key, { method, transactionId, sort, cause, since, at })
    forgetBefore(at)
  }

  /** Another process may have written a row that does not fail any more. */
  const forgetBefore = (now: number) => {
    for (const [first, { at }] of rows) {
      if (rows.size <= maxRows && now - at <= Duration.toMillis(limit) * maxQuiet) break
      rows.delete(first)
    }
  }

  const released: Progress["released"] = (sort, row) => {
    succeed(sort)
    if (row === undefined) return
    // The end of a call writes the rest of its row too.
    if (sort === "calls") succeed("rows")
    if (sort === "calls" || rows.get(keyOf(row))?.sort === sort) rows.delete(keyOf(row))
  }

  const refused = (row: Subject, error: unknown, sort: Step["sort"] = "rows") =>
    Effect.suspend(() => {
      const { cause } = Fault.of(error)
      stick(row, sort, cause)
      return Effect.as(raise(`${notWritten}: ${cause}`), cause)
    })

  return {
    refused,
    ofRound: (step, sort = "rounds") =>
      step.pipe(
        Effect.tap((result) =>
          hasProperty(result, "failure") && result.failure !== undefined
            ? fail(sort, result.failure)
            : Effect.sync(() => succeed(sort))
        ),
        Effect.tapError((error) => fail(sort, error))
      ),
    ofRow: (row, { isEnd, sort }) => {
      let tries = 0
      return (step) =>
        step.pipe(
          Effect.tapError((error) => fail(sort, error)),
          Effect.retry({
            schedule: retrySchedule,
            while: (error) =>
              !Fault.isLasting(Fault.of(error)) ||
              !(isEnding || rows.has(keyOf(row)) || ++tries >= maxTries)
          }),
          Effect.catch((error) =>
            Effect.flatMap(refused(row, error, sort), (cause) =>
              Effect.die(new NotWritten({ cause }))
            )
          ),
          Effect.tap(() => Effect.sync(() => isEnd && released(sort, row)))
        )
    },
    released,
    failed: fail,
    end: () => {
      isEnding = true
    },
    state: Effect.sync(() => {
      forgetBefore(clock.currentTimeMillisUnsafe())
      return {
        cause: Object.values(failing).find(({ passed }) => passed > 0)?.cause,
        rows: [...rows.values()].map(({ at, cause, method, since, transactionId }) => ({
          method,
          transactionId,
          cause,
          since,
          at
        }))
      }
    })
  }
})

const keyOf = ({ scope, transactionId }: Subject): string => `${scope}/${transactionId}`

/** Reference to the progress of the worker whose fiber runs. */
export const Current: Context.Reference<Progress> = /* @__PURE__ */ Context.Reference(
  "@pawl/webhook/internal/work/Progress/Current",
  {
    defaultValue: (): Progress => ({
      ofRound: (step) => step,
      ofRow: () => (step) => Effect.orDie(Effect.retry(step, retrySchedule)),
      released: () => undefined,
      refused: (_, error) => Effect.sync(() => Fault.of(error).cause),
      failed: (_, error) => Effect.sync(() => Fault.of(error)),
      end: () => undefined,
      state: Effect.succeed({ cause: undefined, rows: [] })
    })
  }
)

export const ofRow =
  (row: Subject, step: Step) =>
  <A>(call: Effect.Effect<A, StoreUnavailable>): Effect.Effect<A> =>
    Effect.flatMap(Current, (progress) => progress.ofRow(row, step)(call))

export const untilDone = <A>(step: Effect.Effect<A, StoreUnavailable>): Effect.Effect<A> =>
  Effect.flatMap(Current, (progress) =>
    Effect.orDie(Effect.retry(progress.ofRound(step, "watches"), retrySchedule))
  )
