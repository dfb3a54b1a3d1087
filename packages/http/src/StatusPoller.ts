/**
 * Follows a transaction until its status is terminal, by reading its status.
 *
 * **When to use**
 *
 * For a transaction of this process; the receiver (`@pawl/webhook/Receiver`) continues after a
 * restart.
 *
 * **Details**
 *
 * The poller reads at the intervals of `Profile.pollIntervals` (`spec.md`, "Events") and after each
 * *hint*, the status that a verified callback claims.
 *
 * - The first read is at once, or after the first interval if the status of the create is given.
 * - A hint causes a read at once and starts the intervals again. A claimed final status counts after a
 *   read confirms it.
 * - A read may be *behind* the service: a 404 soon after the create, or another status than the hint. It
 *   is then repeated every 5 seconds for up to 1 minute.
 * - A transient error is retried at the next interval; any other ends the polling. An unknown status is
 *   logged.
 *
 * Statuses are joined as evidence, so the reported rank never falls.
 *
 * **Gotchas**
 *
 * Polling has no time limit; add one with `Effect.timeoutOption` or `Stream.interruptWhen`.
 *
 * **Example** (Following a payment from its create to its final status)
 *
 * ```ts
 * import { ApmPayments } from "@pawl/http/ApmPayments"
 * import * as StatusPoller from "@pawl/http/StatusPoller"
 * import * as Effect from "effect/Effect"
 *
 * const payToTheEnd = Effect.gen(function* () {
 *   const payments = yield* ApmPayments
 *   const { transactionId, transactionStatus } = yield* payments.create({
 *     requestId: "order-4711-1",
 *     accountId: "1001",
 *     apmPayload: { paymentMethod: "EWALLET" },
 *     amount: "10.50",
 *     currency: "EUR"
 *   })
 *   return yield* StatusPoller.follow({
 *     kind: "apm-payment",
 *     id: transactionId,
 *     status: transactionStatus
 *   }).pipe(Effect.timeoutOption("3 days"))
 * })
 * ```
 *
 * @since 0.1.0
 */
import * as Evidence from "@pawl/core/Evidence"
import { NotFound, type ReadError } from "@pawl/core/PaymentsError"
import { Profile } from "@pawl/core/Profile"
import { isStatus, isTerminal, type Status } from "@pawl/core/Status"
import { StatusReader } from "@pawl/core/StatusReader"
import type { Kind } from "@pawl/core/Kind"
import type { OpenStatus, TransactionId } from "@pawl/core/Transaction"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Failure from "./internal/wire/Failure.ts"
import { spanned } from "./internal/wire/Observed.ts"

/**
 * The transaction to follow.
 *
 * @category models
 * @since 0.1.0
 */
export interface FollowOptions {
  /** Kind of the transaction; `apm` or `card` while only the method is known. */
  readonly kind: Kind
  /** Identifier that the service assigned; the `refundId` of a refund. */
  readonly id: TransactionId
  /** Status of the create response, which counts as confirmed. */
  readonly status?: OpenStatus | null | undefined
  /** Statuses that verified callbacks claim. */
  readonly hints?: Stream.Stream<OpenStatus> | undefined
}

/**
 * A change of the standing of a transaction.
 *
 * @category models
 * @since 0.1.0
 */
export interface Change extends Evidence.Standing {
  /** Status that holds. */
  readonly status: Status
}

/**
 * Errors that end the polling, because a retry does not help.
 *
 * @category errors
 * @since 0.1.0
 */
export type FollowError = Exclude<
  ReadError,
  { readonly _tag: "ServiceFailed" | "RateLimited" | "Unreachable" }
>

const minGap = Duration.seconds(1)

/** The interval of reads that are behind, and the longest time for them, in nanoseconds. */
const behindGap = Duration.seconds(5)
const behindTimeout = Duration.toNanosUnsafe(Duration.minutes(1))

/**
 * Emits every change of a transaction in order, and ends after the last.
 *
 * @category polling
 * @since 0.1.0
 */
export const changes = (options: FollowOptions): Stream.Stream<Change, FollowError, StatusReader> =>
  Stream.unwrap(start(options))

/**
 * Returns the last change of a transaction. Its status is terminal.
 *
 * @category polling
 * @since 0.1.0
 */
export const follow = (options: FollowOptions): Effect.Effect<Change, FollowError, StatusReader> =>
  spanned("StatusPoller.follow", () =>
    // The stream emits at least one change before it ends.
    Effect.map(Stream.runLast(changes(options)), Option.getOrThrow)
  )

const start = Effect.fnUntraced(function* ({
  hints = Stream.empty,
  id,
  kind,
  status
}: FollowOptions) {
  const reader = yield* StatusReader
  const { pollIntervals } = yield* Profile
  const gapAt = (index: number) =>
    Duration.max(pollIntervals[Math.min(index, pollIntervals.length - 1)] ?? minGap, minGap)
  const hinted = yield* Latch.make()
  let claims = Evidence.none
  let heard = 0
  yield* hints.pipe(
    Stream.runForEach((claim) => {
      heard++
      if (isStatus(claim)) claims = Evidence.join(claims, Evidence.claimed(claim))
      return hinted.open
    }),
    Effect.tapDefect((defect) =>
      Effect.logWarning(`The ${kind} transaction ${id} gets no more hints`, defect)
    ),
    Effect.forkScoped
  )

  let current = kind
  let confirmed = isStatus(status) ? Evidence.confirmed(status) : Evidence.none
  let read: Status | undefined
  let reported: Status | undefined
  let gap = isStatus(status) ? 0 : -1
  /** The wait before the next read; undefined when the first change needs no read. */
  let wait = isStatus(status) ? undefined : Duration.zero
  /** The time of the first read that was behind, in nanoseconds of the monotonic clock. */
  let behindSince: bigint | undefined

  const log = (message: string) =>
    Effect.as(Effect.logWarning(`The ${current} transaction ${id} ${message}`), true)

  const readStatus: Effect.Effect<boolean, FollowError> = Effect.suspend(() =>
    Effect.matchEffect(reader.read(current, id), {
      onSuccess: (found) => {
        current = found.kind
        if (!isStatus(found.status)) return log("has a status that is not documented")
        read = found.status
        confirmed = Evidence.join(confirmed, Evidence.confirmed(read))
        return Effect.succeed(true)
      },
      onFailure: (error) => {
        if (error._tag === "NotFound") return Effect.succeed(false)
        return isPermanent(error) ? Effect.fail(error) : log(`could not be read. ${error.message}`)
      }
    })
  )

  const readNext = Effect.fnUntraced(function* (after: Duration.Duration) {
    const isHinted = Option.isSome(yield* Effect.timeoutOption(hinted.await, after))
    yield* hinted.close
    const heardBefore = heard
    const isFound = yield* readStatus
    if (isHinted) gap = -1
    const isBehind =
      !isFound || Evidence.unsettled(Evidence.join(confirmed, claims), read).length > 0
    if (isBehind) {
      const now = yield* Clock.monotonicTimeNanos
      behindSince = isHinted ? now : (behindSince ?? now)
      wait = behindGap
      // A hint during the read has a minute of its own.
      if (now - behindSince < behindTimeout || heard > heardBefore) return false
      if (!isFound) return yield* new NotFound({})
      // No read confirmed the claims in time, so they no longer count.
      claims = Evidence.none
    }
    behindSince = undefined
    wait = gapAt(++gap)
    return true
  })

  const next = Effect.gen(function* () {
    const mayEnd = wait === undefined || (yield* readNext(wait))
    wait ??= gapAt(0)
    const standing = Evidence.standing(Evidence.join(confirmed, claims), read)
    const changed = Evidence.news(standing, reported)
    reported = changed ?? reported
    const isEnded = mayEnd && reported !== undefined && isTerminal(reported)
    const changes = changed === undefined ? [] : [{ ...standing, status: changed }]
    return [changes, isEnded ? Option.none() : Option.some(undefined)] as const
  })

  return Stream.paginate<undefined, Change, FollowError>(undefined, () => next)
})

const isPermanent = (error: ReadError): error is FollowError =>
  !Failure.isTransient(Failure.toFailure(error))
