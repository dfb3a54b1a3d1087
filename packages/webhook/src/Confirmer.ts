/**
 * Asks the service what is true, and says what its answer means for the claims of a row.
 *
 * **Details**
 *
 * A claimed final status is read from the service before the handler hears of it. The answer leaves a
 * claim in one of four states:
 *
 * - *confirmed*: the service says the same.
 * - *superseded*: it says something that ranks later; that counts, and the claim is moot.
 * - *ahead*: it says something that ranks earlier, or does not know the id yet.
 * - *contradicted*: it says another final status of the same rank.
 *
 * The first two settle the claim; `doubt` names which of the others holds.
 *
 * @since 0.1.0
 */
import * as Evidence from "@pawl/core/Evidence"
import { finalRank, rank } from "@pawl/core/Status"
import { StatusReader } from "@pawl/core/StatusReader"
import type { Kind } from "@pawl/core/Kind"
import type { OpenStatus } from "@pawl/core/Transaction"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import * as Layout from "./internal/verify/Layout.ts"
import type { Row } from "./Row.ts"

/**
 * What came of asking. `askedAt` is when (ms since the epoch), which decides between two answers.
 *
 * @category models
 * @since 0.1.0
 */
export type Answer = { readonly askedAt: number } & (
  | { readonly _tag: "Said"; readonly kind: Kind; readonly status: OpenStatus }
  | { readonly _tag: "Unknown" }
  | { readonly _tag: "Silent" }
)

/**
 * Service that asks about a row; at most 16 questions are open at a time. `policy` says which claims
 * have to be confirmed.
 *
 * @category services
 * @since 0.1.0
 */
export class Confirmer extends Context.Service<
  Confirmer,
  {
    readonly policy: Evidence.Policy
    readonly ask: (row: Row) => Effect.Effect<Answer>
  }
>()("@pawl/webhook/Confirmer") {}

const patience = Duration.minutes(1)
const turn = Duration.seconds(5)

/**
 * Layer that asks through the `StatusReader` port. A reader that breaks, or takes longer than a minute,
 * did not answer; an id outside the grammar is known to no endpoint. Who finds the service busy with 16
 * questions for 5 seconds comes again like one who was not answered: a service that hangs holds up no
 * row that needs no answer.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options?: {
  readonly policy?: Evidence.Policy
}): Layer.Layer<Confirmer, never, StatusReader> =>
  Layer.effect(
    Confirmer,
    Effect.gen(function* () {
      const reader = yield* StatusReader
      const questions = yield* Semaphore.make(16)
      const askNow = Effect.fnUntraced(function* (row: Row) {
        const askedAt = yield* Clock.currentTimeMillis
        const { transactionId } = row
        if (!Layout.isIdentifier(transactionId))
          return { _tag: "Unknown", askedAt } satisfies Answer
        return yield* Effect.suspend(() => reader.read(row.kind, transactionId)).pipe(
          Effect.timeout(patience),
          Effect.map(({ kind, status }): Answer => ({ _tag: "Said", askedAt, kind, status })),
          Effect.catchTag("NotFound", () => Effect.succeed<Answer>({ _tag: "Unknown", askedAt })),
          Effect.catch((error) => silent(askedAt, error._tag)),
          Effect.catchCause((cause) => silent(askedAt, cause))
        )
      })
      const ask = (row: Row) =>
        Effect.suspend(() => {
          let isAsked = false
          const asked = Effect.suspend(() => {
            isAsked = true
            return askNow(row)
          })
          const left = Effect.flatMap(Effect.delay(Clock.currentTimeMillis, turn), (now) =>
            isAsked ? Effect.never : silent(now, "16 questions are open")
          )
          return Effect.raceFirst(Semaphore.withPermit(questions, asked), left)
        })
      return { policy: options?.policy ?? "final", ask }
    })
  )

const silent = (askedAt: number, reason: unknown): Effect.Effect<Answer> =>
  Effect.as(Effect.logWarning("The service did not answer", reason), { _tag: "Silent", askedAt })

/**
 * Says what is doubtful about the claims of a row: the service is behind one of them, or contradicts
 * one; undefined when none is left to settle.
 *
 * @category getters
 * @since 0.1.0
 */
export const doubt = (
  { evidence, read }: Row,
  policy: Evidence.Policy
): "ahead" | "contradicted" | undefined => {
  const claims = Evidence.unsettled(evidence, read?.status, policy)
  if (claims.length === 0) return undefined
  const stands = Evidence.standing(evidence, read?.status, policy)
  const isContradicted =
    stands.rank >= finalRank && claims.some((claim) => rank(claim) === stands.rank)
  return isContradicted ? "contradicted" : "ahead"
}
