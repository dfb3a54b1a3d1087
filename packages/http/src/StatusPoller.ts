/**
 * Follows a transaction to its end by asking the service for its status.
 *
 * **Details**
 *
 * A callback says that something changed, the status endpoint says what is. So a follower reads the
 * status at the recommended gaps, `Profile.pollGaps`, and beside them whenever a callback hints at news:
 *
 * - The first read is made at once, or after the first gap when the status is known that the create
 *   answered with.
 * - A hint makes a read now, and the gaps start again. What it claims below the final rank counts; an
 *   end counts once the service itself says so.
 * - The service may answer behind what it told: with a 404 soon after the create, with an earlier
 *   status, or another end, soon after a callback. It is asked again every 5 seconds for a minute.
 * - A read that fails for now is made again when the next is due; only what a repetition cannot mend
 *   ends the following.
 * - The end is a terminal status. An unknown one is logged, and the following goes on.
 *
 * Everything seen is evidence (`@pawl/core/Evidence`), so what is told never falls in rank, and several
 * ends that the service named show as a `conflict`.
 *
 * **Example** (A payment, from its create to its end)
 *
 * ```ts
 * import { ApmPayments } from "@pawl/http/ApmPayments"
 * import { StatusPoller } from "@pawl/http/StatusPoller"
 * import * as Effect from "effect/Effect"
 *
 * const payToTheEnd = Effect.gen(function* () {
 *   const payments = yield* ApmPayments
 *   const poller = yield* StatusPoller
 *   const { transactionId, transactionStatus } = yield* payments.create({
 *     requestId: "order-4711-1",
 *     accountId: "1001",
 *     apmPayload: { paymentMethod: "EWALLET" },
 *     amount: "10.50",
 *     currency: "EUR"
 *   })
 *   return yield* poller
 *     .follow({ kind: "apm-payment", id: transactionId, status: transactionStatus })
 *     .pipe(Effect.timeoutOption("3 days"))
 * })
 * ```
 *
 * A follower lives in this process. What must outlive it is the receiver's to follow
 * (`@pawl/webhook/Receiver`), which polls by itself.
 *
 * @since 0.1.0
 */
import * as Evidence from "@pawl/core/Evidence"
import { NotFound, type ReadError } from "@pawl/core/PaymentsError"
import { Profile } from "@pawl/core/Profile"
import { isStatus, isTerminal, type Status } from "@pawl/core/Status"
import { StatusReader } from "@pawl/core/StatusReader"
import { isKnown, kindsOf, type Kind } from "@pawl/core/Kind"
import type { OpenStatus, TransactionId } from "@pawl/core/Transaction"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Endpoint from "./Endpoint.ts"
import { Caller } from "./Caller.ts"
import * as Attempts from "./internal/Attempts.ts"

/**
 * Service that follows transactions.
 *
 * **Details**
 *
 * - `follow` succeeds with where the transaction stands at its end.
 * - `changes` has every change on the way there, in order, and ends with the last.
 *
 * Both go on for as long as the transaction does; bound them with `Effect.timeoutOption`, or
 * `Stream.interruptWhen`. Following twice is reading twice.
 *
 * @category services
 * @since 0.1.0
 */
export class StatusPoller extends Context.Service<
  StatusPoller,
  {
    readonly follow: (followed: Followed) => Effect.Effect<News, FollowError>
    readonly changes: (followed: Followed) => Stream.Stream<News, FollowError>
  }
>()("@pawl/http/StatusPoller") {}

/**
 * What is followed.
 *
 * - `kind`, `id`: the transaction; `apm` or `card` while only its method is known. A refund's is its
 *   `refundId`.
 * - `status`: what the create answered, if this is to be counted on.
 * - `hints`: what each verified callback claims, as it comes; one makes a read now, and those that come
 *   while that is under way make one more.
 *
 * @category models
 * @since 0.1.0
 */
export interface Followed {
  readonly kind: Kind
  readonly id: TransactionId
  readonly status?: OpenStatus | null | undefined
  readonly hints?: Stream.Stream<OpenStatus> | undefined
}

/**
 * Where a transaction stands now, and did not before.
 *
 * @category models
 * @since 0.1.0
 */
export interface News extends Evidence.Standing {
  readonly status: Status
}

/**
 * What following can fail with: what asking again cannot mend.
 *
 * @category errors
 * @since 0.1.0
 */
export type FollowError = Exclude<
  ReadError,
  { readonly _tag: "ServiceFailed" | "RateLimited" | "Unreachable" }
>

/** How often, and for how long, a service is asked again that answers behind what it told. */
const pace = Duration.seconds(5)
const patience = Duration.toNanosUnsafe(Duration.minutes(1))

/** A transaction between two reads: what is sure of it, and what comes next. */
interface State {
  readonly kind: Kind
  readonly confirmed: Evidence.Evidence
  readonly read: Status | undefined
  readonly told: Status | undefined
  /** The gap waited for last, counted from 0. */
  readonly gap: number
  /** The time to wait before the next read; undefined while none is needed to tell the first news. */
  readonly wait: Duration.Duration | undefined
  readonly behindSince: bigint | undefined
}

/** What one read brought: a status; or that the id is unknown; or nothing. */
type Answer = { readonly kind: Kind; readonly status: Status } | "unknown" | "silent"

/**
 * Layer that follows transactions over a `StatusReader`.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<StatusPoller, never, StatusReader> = Layer.effect(
  StatusPoller,
  Effect.gen(function* () {
    const reader = yield* StatusReader
    const { pollGaps } = yield* Profile
    const gapAt = (index: number) => pollGaps[index] ?? pollGaps[pollGaps.length - 1]

    const changes = Effect.fnUntraced(function* ({
      hints = Stream.empty,
      id,
      kind,
      status
    }: Followed) {
      const woken = yield* Latch.make()
      let claims = Evidence.none
      yield* hints.pipe(
        Stream.runForEach((claim) => {
          if (isStatus(claim)) claims = Evidence.join(claims, Evidence.claimed(claim))
          return woken.open
        }),
        Effect.forkScoped
      )

      const ask = (asked: Kind): Effect.Effect<Answer, FollowError> =>
        Effect.matchEffect(reader.read(asked, id), {
          onSuccess: ({ kind, status }) =>
            isStatus(status)
              ? Effect.succeed<Answer>({ kind, status })
              : log(kind, id, "has a status that is not documented"),
          onFailure: (error) => {
            if (error._tag === "NotFound") return Effect.succeed<Answer>("unknown")
            return isLasting(error)
              ? Effect.fail(error)
              : log(asked, id, `could not be read. ${error.message}`)
          }
        })

      /** Tells what is new, and whether that is the end. */
      const turn = (
        state: State,
        mayEnd: boolean
      ): readonly [ReadonlyArray<News>, Option.Option<State>] => {
        const evidence = Evidence.join(state.confirmed, claims)
        const standing = Evidence.standing(evidence, state.read)
        const now = Evidence.news(standing, state.told)
        const told = now ?? state.told
        const isEnded = mayEnd && told !== undefined && isTerminal(told)
        return [
          now === undefined ? [] : [{ ...standing, status: now }],
          isEnded ? Option.none() : Option.some({ ...state, told })
        ]
      }

      const step = Effect.fnUntraced(function* (state: State) {
        if (state.wait === undefined) return turn({ ...state, wait: gapAt(0) }, true)
        const isHinted = Option.isSome(yield* Effect.timeoutOption(woken.await, state.wait))
        yield* woken.close
        const answer = yield* ask(state.kind)
        const next = {
          ...state,
          ...(typeof answer === "object" && {
            kind: answer.kind,
            read: answer.status,
            confirmed: Evidence.join(state.confirmed, Evidence.confirmed(answer.status))
          })
        }
        const last = isHinted ? -1 : state.gap
        const onward = { gap: last + 1, wait: gapAt(last + 1), behindSince: undefined }
        const evidence = Evidence.join(next.confirmed, claims)
        const isBehind = answer === "unknown" || Evidence.unsettled(evidence, next.read).length > 0
        if (!isBehind) return turn({ ...next, ...onward }, true)
        const now = yield* Clock.monotonicTimeNanos
        const behindSince = isHinted ? now : (state.behindSince ?? now)
        if (now - behindSince < patience) {
          return turn({ ...next, gap: last, wait: pace, behindSince }, false)
        }
        if (answer === "unknown") return yield* new NotFound({})
        // The service had its time to come after what was claimed.
        claims = Evidence.none
        return turn({ ...next, ...onward }, true)
      })

      const isKnown = isStatus(status)
      return Stream.paginate<State, News, FollowError>(
        {
          kind,
          confirmed: isKnown ? Evidence.confirmed(status) : Evidence.none,
          read: undefined,
          told: undefined,
          gap: isKnown ? 0 : -1,
          wait: isKnown ? undefined : Duration.zero,
          behindSince: undefined
        },
        step
      )
    })

    return StatusPoller.of({
      changes: (followed) => Stream.unwrap(changes(followed)),
      follow: Effect.fn("StatusPoller.follow")((followed) =>
        // There is no end without news.
        Effect.map(Stream.runLast(Stream.unwrap(changes(followed))), Option.getOrThrow)
      )
    })
  })
)

/** Tells what a repetition cannot mend from what it may. */
const isLasting = (error: ReadError): error is FollowError =>
  !Attempts.isTransient(Attempts.failed(error))

const log = (kind: Kind, id: TransactionId, what: string): Effect.Effect<Answer> =>
  Effect.as(Effect.logWarning(`The ${kind} transaction ${id} ${what}`), "silent")

/**
 * Layer that reads statuses from the endpoints of the contract.
 *
 * **Details**
 *
 * It answers the receiver's questions and the follower's with the token, the retries and the decoding of
 * every other call. Where the method alone is known, payments are asked first, then payouts, then
 * refunds, and the answer names the kind that knew the id. Only a 404 moves on; any other failure is the
 * answer.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerReader: Layer.Layer<StatusReader, never, Caller> = Layer.effect(
  StatusReader,
  Effect.map(Caller, (caller) =>
    StatusReader.of({
      read: Effect.fn("StatusReader.read")(function* (asked, id) {
        const kinds = isKnown(asked) ? [asked] : kindsOf[asked]
        for (const kind of kinds) {
          const status = yield* Effect.catchTag(
            caller.call(endpoints[kind], { params: { id } }),
            "NotFound",
            () => Effect.undefined
          )
          if (status !== undefined) return { kind, status }
        }
        return yield* new NotFound({})
      })
    })
  )
)

const endpoints = {
  "apm-payment": Endpoint.readApmPaymentStatus,
  "apm-payout": Endpoint.readApmPayoutStatus,
  "card-payment": Endpoint.readCardPaymentStatus,
  "card-payout": Endpoint.readCardPayoutStatus,
  refund: Endpoint.readRefundStatus
}
