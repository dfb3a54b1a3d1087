/**
 * Reads the status of a transaction from the service, to confirm the claims of callbacks.
 *
 * A read leaves a claim in one of four states. The first two settle it: it needs no further read.
 *
 * - *confirmed*: the service states the same status.
 * - *superseded*: the service states a status of a higher rank, which counts instead of the claim.
 * - *ahead*: the service states a status of a lower rank, or does not know the id yet.
 * - *contradicted*: the service states another final status of the same rank.
 */
import * as Evidence from "@pawl/core/Evidence"
import { finalRank, rank } from "@pawl/core/Status"
import { StatusReader } from "@pawl/core/StatusReader"
import { BeforeRequest } from "@pawl/core/internal/BeforeRequest"
import type { Kind } from "@pawl/core/Kind"
import type { OpenStatus, TransactionId } from "@pawl/core/Transaction"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { makeRareLog } from "../rule/Counters.ts"
import * as KindHints from "../rule/KindHints.ts"
import * as Reading from "../verify/Reading.ts"
import type { Row } from "../rule/Row.ts"

/**
 * The result of a read, which was sent at `askedAt`, in milliseconds since the epoch: of two reads
 * the one sent later counts.
 *
 * - `Answered`: the service stated a status, which the specification may not list.
 * - `NotFound`: no status endpoint knows the id.
 * - `NoAnswer`: the read failed or timed out. `isDenied`: the service refused the credentials.
 *   `limited`: it limits the rate of calls, for so many milliseconds if it said so.
 */
export type ReadResult = { readonly askedAt: number } & (
  | { readonly _tag: "Answered"; readonly kind: Kind; readonly status: OpenStatus }
  | { readonly _tag: "NotFound" }
  | {
      readonly _tag: "NoAnswer"
      readonly isDenied?: boolean
      readonly limited?: { readonly retryAfter: number | undefined }
    }
)

/**
 * Service that reads the status of a row's transaction. `policy` decides which claims must be
 * confirmed.
 */
export class Confirmer extends Context.Service<
  Confirmer,
  {
    readonly policy: Evidence.Policy
    readonly read: (row: Row) => Effect.Effect<ReadResult>
  }
>()("@pawl/webhook/internal/work/Confirmer") {}

const readTimeout = Duration.minutes(1)

/**
 * Layer that reads statuses from the service, for at most a minute. An id that the service cannot
 * have issued is `NotFound` without a read.
 */
export const layer = (options?: {
  readonly policy?: Evidence.Policy
}): Layer.Layer<Confirmer, never, StatusReader> =>
  Layer.effect(
    Confirmer,
    Effect.gen(function* () {
      const reader = yield* StatusReader
      const logRarely = makeRareLog()
      const noAnswer = (askedAt: number, reason: unknown, isDenied = false) =>
        Effect.as(
          logRarely(
            typeof reason === "string" ? reason : "",
            Effect.logWarning("A status could not be read", reason)
          ),
          { _tag: "NoAnswer", askedAt, isDenied } as const
        )
      const ask = (row: Row, transactionId: TransactionId, askedAt: number) => {
        const readAs = (kind: Kind) => Effect.suspend(() => reader.read(kind, transactionId))
        const [first, ...others] = KindHints.asked(row, askedAt - row.createdAt)
        return others.reduce(
          (read, kind) =>
            Effect.catchTag(read, "NotFound", () => Effect.andThen(turn, readAs(kind))),
          readAs(first)
        )
      }

      const read = Effect.fnUntraced(function* (row: Row) {
        const askedAt = yield* Clock.currentTimeMillis
        const { transactionId } = row
        if (!Reading.isIdentifier(transactionId)) {
          return { _tag: "NotFound", askedAt } satisfies ReadResult
        }
        return yield* ask(row, transactionId, askedAt).pipe(
          Effect.timeout(readTimeout),
          Effect.map(({ kind, status }): ReadResult => ({
            _tag: "Answered",
            askedAt,
            kind,
            status
          })),
          Effect.catchTag("NotFound", () =>
            Effect.succeed<ReadResult>({ _tag: "NotFound", askedAt })
          ),
          Effect.catchTag("RateLimited", (error) =>
            Effect.map(noAnswer(askedAt, error.message), (result) => ({
              ...result,
              limited: { retryAfter: error.retryAfter }
            }))
          ),
          Effect.catch((error) =>
            noAnswer(askedAt, reasonOf(error), error._tag === "Unauthorized")
          ),
          Effect.catchCause((cause) => noAnswer(askedAt, cause))
        )
      })

      return { policy: options?.policy ?? "final", read }
    })
  )

const turn = Effect.flatMap(BeforeRequest, (wait) => wait ?? Effect.void)

/** Returns the message for a log, without the service's own words behind it, which may quote anything. */
export const reasonOf = ({ message }: Error) => message.split("; ", 1)[0]

export const unsettledClaim = (
  { evidence, read }: Row,
  policy: Evidence.Policy
): "ahead" | "contradicted" | undefined => {
  const claims = Evidence.unsettled(evidence, read?.status, policy)
  if (claims.length === 0) return undefined
  const standing = Evidence.standing(evidence, read?.status, policy)
  const isContradicted =
    standing.rank >= finalRank && claims.some((claim) => rank(claim) === standing.rank)
  return isContradicted ? "contradicted" : "ahead"
}
