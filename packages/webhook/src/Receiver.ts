/**
 * Receives callbacks: verifies each one, stores it, and then responds.
 *
 * **Details**
 *
 * 1. `Receiver.receive` takes the request from a server (`NodeReceiver`, `WebReceiver`, `route`).
 * 2. `Verifier` verifies it.
 * 3. `Ledger.accept` stores it, and the response is 200.
 * 4. `Worker` claims the row, and reads the status if a read is due.
 * 5. The `Handler` receives the transition.
 *
 * | status code | meaning |
 * |---|---|
 * | 200 | stored, or a repeat |
 * | 400, 405, 413, 415 | the request is not a callback of the merchant |
 * | 401 | the checksum does not match |
 * | 503 | the ledger is unavailable or has a defect; the service sends the callback again |
 *
 * @since 0.1.0
 */
import { type RefusedCallback, StoreUnavailable } from "@pawl/core/CallbackError"
import { Handler } from "@pawl/core/Handler"
import { isolatedBy } from "@pawl/core/internal/Isolated"
import { Profile } from "@pawl/core/Profile"
import { StatusReader } from "@pawl/core/StatusReader"
import type { Policy } from "@pawl/core/Evidence"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Headers from "effect/http/Headers"
import * as HttpRouter from "effect/http/HttpRouter"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import type * as Schedule from "effect/Schedule"
import * as Result from "effect/Result"
import * as Cleaner from "./internal/work/Cleaner.ts"
import * as Confirmer from "./internal/work/Confirmer.ts"
import * as Door from "./internal/doors/Door.ts"
import * as RouterBody from "./internal/doors/RouterBody.ts"
import { RefusedAlarm } from "./internal/doors/RefusedAlarm.ts"
import * as Shares from "./internal/doors/Shares.ts"
import * as Measures from "./internal/journal/Measures.ts"
import * as Owner from "./internal/ledger/Owner.ts"
import * as SharedTimeout from "./internal/records/SharedTimeout.ts"
import * as Journal from "./Journal.ts"
import { Ledger } from "./Ledger.ts"
import type { Accepted } from "./internal/ledger/LedgerOperations.ts"
import { type Incoming, type Verified, Verifier } from "./Verifier.ts"
import * as Worker from "./internal/work/Worker.ts"
import * as WorkLimits from "./internal/rule/WorkLimits.ts"
import * as Room from "./internal/records/Room.ts"
import * as Fault from "./internal/sql/Fault.ts"
import * as Reading from "./internal/verify/Reading.ts"

export { KeptMonths, Retention } from "./internal/work/Cleaner.ts"

/**
 * The status code of the response to a callback.
 *
 * @category models
 * @since 0.1.0
 */
export type StatusCode = 200 | 400 | 401 | 405 | 413 | 415 | 503

/**
 * Service that receives callbacks.
 *
 * @category services
 * @since 0.1.0
 */
export class Receiver extends Context.Service<
  Receiver,
  {
    /** Receives one callback and returns the status code of the response. */
    readonly receive: (incoming: Incoming) => Effect.Effect<StatusCode>
  }
>()("@pawl/webhook/Receiver") {}

/**
 * The options of a receiver.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /**
   * The claims that a read must confirm before the handler receives them: `final` (the default) for
   * final statuses, `always` or `never`.
   */
  readonly policy?: Policy
  /** The limits that differ from `WorkLimits.defaults`; `layer` throws if one cannot be used. */
  readonly limits?: WorkLimits.Options
  /**
   * When a failed handler is called again. By default after 1, 2, 4, … seconds, at most 5 minutes
   * apart, for 24 hours; the transaction then becomes a dead letter. The schedule gets no input. It
   * continues after a restart, and does not count the time in which no process made a due call.
   */
  readonly retrySchedule?: Schedule.Schedule<unknown> | undefined
}

/**
 * Layer that receives callbacks and works on them.
 *
 * Fails if the ledger belongs to another merchant key or base URL than that of `StatusReader`.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (
  options: Options = {}
): Layer.Layer<
  Receiver | Worker.Worker | Journal.Journal,
  Owner.StoreUnusable,
  Verifier | Ledger | Handler | StatusReader
> => {
  const limits = WorkLimits.make({ ...options.limits, retrySchedule: options.retrySchedule })
  return isolatedBy(
    [Verifier, Ledger, Handler, StatusReader, Profile],
    Layer.mergeAll(layerReceive, Worker.layer(limits), Cleaner.layer).pipe(
      Layer.provide(Confirmer.layer(options)),
      Layer.provideMerge(Journal.layer),
      Layer.provide(layerOwner)
    )
  )
}

/** Nothing of the receiver starts before this check. */
const layerOwner = Layer.effectDiscard(
  Effect.gen(function* () {
    const { account } = yield* StatusReader
    yield* Owner.take(yield* Ledger, account)
  })
)

const layerReceive = Layer.effect(
  Receiver,
  Effect.gen(function* () {
    const verifier = yield* Verifier
    const ledger = yield* Ledger
    const journal = yield* Journal.Journal
    const share = yield* Shares.Share
    const refusedAlarm = yield* RefusedAlarm
    const awaitResult = yield* SharedTimeout.make(Duration.seconds(4), new StoreUnavailable({}))
    const { note } = journal
    let isCurrentSecretUsed = false

    /**
     * Interrupts a slow accept without awaiting it. `Effect.timeout` would fork two fibers for each
     * callback.
     */
    const withTimeout = (
      accept: () => Effect.Effect<Accepted, StoreUnavailable>,
      context: Context.Context<never>
    ) =>
      awaitResult<Accepted, StoreUnavailable>((resume) => {
        const fiber = Effect.runForkWith(context)(accept())
        fiber.addObserver(resume)
        return () => fiber.interruptUnsafe()
      })

    const accept = (verified: Verified, context: Context.Context<never>) => {
      const clock = Context.get(context, Clock.Clock)
      const startedAt = clock.monotonicTimeNanosUnsafe()
      const stored = () => ledger.accept(verified, ledger.time(clock, verified))
      return Effect.matchCauseEffect(withTimeout(stored, context), {
        onFailure: (cause) => notStoredBy(verified, cause),
        onSuccess: (accepted) => {
          const nanos = clock.monotonicTimeNanosUnsafe() - startedAt
          Measures.acceptSeconds.updateUnsafe(Number(nanos) / 1e9, context)
          return Effect.as(record(verified, accepted, clock), 200 as const)
        }
      })
    }

    const record = (verified: Verified, accepted: Accepted, clock: Clock.Clock) => {
      const isCurrent = verified.secret === "current"
      note(isCurrent ? "acceptedCurrent" : "acceptedPrevious", clock.currentTimeMillisUnsafe())
      isCurrentSecretUsed ||= isCurrent
      const recorded = journal.record(verified, eventOf(verified, accepted))
      const filled =
        accepted.reached === undefined
          ? recorded
          : Effect.andThen(recorded, journal.raiseAlarm(alarms[accepted.reached]))
      return isCurrent || !isCurrentSecretUsed
        ? filled
        : Effect.andThen(filled, journal.raiseAlarm(previousSecretInUse))
    }

    /** A defect of the ledger counts as its failure; only an interruption ends the callback. */
    const notStoredBy = (verified: Verified, cause: Cause.Cause<StoreUnavailable>) => {
      if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
      const error = Cause.squash(cause)
      if (error instanceof StoreUnavailable && error.cause === Room.isFull) {
        return storeFailed(error, undefined, alarms.full)
      }
      const { cause: reason, kind } = Fault.of(error)
      return storeFailed(
        error instanceof StoreUnavailable ? error : new StoreUnavailable({ cause: error }),
        {
          transaction: `${verified.method}/${verified.signed.transactionId}`,
          cause: reason,
          isOfStore: kind === "refused" || kind === "full"
        }
      )
    }

    const storeFailed = Effect.fnUntraced(function* (
      error: StoreUnavailable,
      failure?: Journal.Failure,
      alarm = notStored
    ) {
      Measures.refusedWith("503").updateUnsafe(1, yield* Effect.context())
      note("notStored", yield* Clock.currentTimeMillis, failure)
      yield* journal.raiseAlarm(alarm, error)
      return 503 as const
    })

    const refuse = Effect.fnUntraced(function* (
      { isGenuine, reason, status }: RefusedCallback,
      incoming: Incoming
    ) {
      const names = () => Reading.namesOf(incoming)
      Measures.refusedWith(String(status)).updateUnsafe(1, yield* Effect.context())
      yield* Effect.logDebug("Refused a callback", reason)
      if (status === 401) {
        note("refused", yield* Clock.currentTimeMillis)
        yield* journal.raiseAlarm(refusedAlarm, names)
      } else if (isGenuine) {
        yield* journal.raiseAlarm(`a genuine callback is refused: ${reason}`, names)
      } else if (incoming.checksum) {
        yield* journal.raiseAlarm(unverifiable, { refusal: reason })
      }
      return status
    })

    const acceptInShare = (
      verified: Verified,
      { length }: Uint8Array,
      context: Context.Context<never>
    ) => {
      if (share === undefined) return accept(verified, context)
      let isTaken = false
      return Effect.ensuring(
        Effect.suspend(() => {
          isTaken = share.take(length)
          return isTaken ? accept(verified, context) : storeFailed(tooMany)
        }),
        Effect.sync(() => {
          if (isTaken) share.giveBack(length)
        })
      )
    }

    return Receiver.of({
      receive: (incoming) =>
        Effect.contextWith((context: Context.Context<never>): Effect.Effect<StatusCode> => {
          const result = verifier.verify(incoming)
          return Result.isSuccess(result)
            ? acceptInShare(result.success, incoming.body, context)
            : refuse(result.failure, incoming)
        })
    })
  })
)

const eventOf = (
  { claim, quarantine }: Verified,
  { isNew, isUnreadable }: Accepted
): Journal.Event =>
  isUnreadable === true
    ? { _tag: "Quarantined", field: "transaction" }
    : claim === undefined
      ? { _tag: "Quarantined", field: quarantine ?? "transactionStatus" }
      : { _tag: "Accepted", claim, isNew }

const tooMany = new StoreUnavailable({
  cause: new Error("too many callbacks of this merchant wait for its store")
})
/** Scanners of ports send no checksum. All reasons are one alarm, because anybody can cause each. */
const unverifiable = "callbacks with a checksum are refused before it can be verified"
const notStored = "callbacks are answered with 503: the ledger cannot be written"
const alarms = {
  quarantine:
    "more than 16 callbacks of a transaction cannot be acted on: only the first 15 and the last one are kept",
  bodies:
    "the callback bodies of a transaction exceed 256 KiB: large ones are not kept, but their statuses are",
  high: "the store has reached four fifths of its limit",
  full: "the store has reached its limit: no more callback bodies are kept, and new transactions are answered with 503"
} satisfies Record<NonNullable<Accepted["reached"]>, string>
const previousSecretInUse =
  "callbacks still use the previous merchant secret after others used the current one"

/**
 * Layer that serves the receiver at a path of an `HttpRouter`, for every method. `/callback/*`
 * includes the paths below `/callback`.
 *
 * @category layers
 * @since 0.1.0
 */
export const route = (
  path: HttpRouter.PathInput = "/callback"
): Layer.Layer<never, never, HttpRouter.HttpRouter | Receiver> =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const receiver = yield* Receiver
      // At the top of the module the call would stay in a bundle without the route.
      const stored = HttpServerResponse.empty({ status: 200 })
      const receiveBody = RouterBody.make()
      yield* router.add(
        "*",
        path,
        Effect.flatMap(HttpServerRequest, (request) => {
          const { headers, method, url } = request
          const head = {
            method,
            path: Door.pathOf(url),
            search: Door.searchOf(url),
            contentType: headers["content-type"],
            contentEncoding: headers["content-encoding"],
            checksum: removeChecksum(headers)
          }
          return receiveBody(request, (body) => receiver.receive({ ...head, body })).pipe(
            Effect.map((status) =>
              status === 200
                ? stored
                : HttpServerResponse.empty({ status, headers: Door.responseHeaders(status) })
            )
          )
        })
      )
    })
  )

/**
 * Hides the checksum from loggers, tracers and errors of the server, because a replay of the
 * callback needs no more.
 */
const removeChecksum = (headers: Headers.Headers): string | undefined => {
  const checksum = headers["x-checksum"]
  Reflect.deleteProperty(headers, "x-checksum")
  return checksum
}
