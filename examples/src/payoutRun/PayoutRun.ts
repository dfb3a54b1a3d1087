/**
 * A run of payouts: writes all of them, and waits until each has ended.
 */
import { Transactions } from "@pawl/webhook/LedgerSql"
import { Requests } from "@pawl/webhook/Requests"
import * as Array from "effect/Array"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type { Payout } from "./PayoutFile.ts"

/** How a payout ended. The service made it, declined it, or a person has to decide. */
export type End = "made" | "declined" | "not sent" | "parked"

export type Ends = ReadonlyMap<string, End>

/** The payouts of one transaction, few enough for its limit of three seconds. */
const pieceSize = 100
const lookInterval = "250 millis"
const storePause = Schedule.upTo(Schedule.spaced("1 second"), { duration: "1 minute" })

/**
 * Makes all payouts and returns their ends. `onProgress` is called with those that have ended so
 * far. If one of them was changed since an earlier run, it fails with `RequestConflict`, and writes
 * no new payout.
 */
export const run = Effect.fn("PayoutRun.run")(
  function* (
    payouts: ReadonlyArray<Payout>,
    onProgress: (ends: Ends) => Effect.Effect<void> = () => Effect.void
  ) {
    const { enqueue, get, send } = yield* Requests
    const transactions = yield* Transactions

    const written = new Set<string>()
    for (const { requestId } of payouts) {
      if ((yield* get(requestId)) !== undefined) written.add(requestId)
    }
    const piecesOf = (isWritten: boolean) =>
      Array.chunksOf(
        payouts.filter(({ requestId }) => written.has(requestId) === isWritten),
        pieceSize
      )

    // A changed line fails here, before a new one is written.
    for (const piece of piecesOf(true)) {
      const compare = (payout: Payout) =>
        Effect.catchTags(enqueue("apm-payout", payout), {
          RequestNotSent: () => Effect.void,
          RequestParked: () => Effect.void
        })
      yield* transactions.run(Effect.forEach(piece, compare, { discard: true }))
    }
    for (const piece of piecesOf(false)) {
      yield* transactions.run(Effect.forEach(piece, (payout) => enqueue("apm-payout", payout)))
    }

    const endOf = (payout: Payout) =>
      send("apm-payout", payout).pipe(
        Effect.as<End>("made"),
        Effect.catchTags({
          Declined: () => Effect.succeed<End>("declined"),
          // A callback named the payout, so it took effect.
          ResponseLost: () => Effect.succeed<End>("made"),
          RequestNotSent: () => Effect.succeed<End>("not sent"),
          RequestParked: () => Effect.succeed<End>("parked")
        })
      )

    const ends = new Map<string, End>()
    while (true) {
      for (const payout of payouts.filter(({ requestId }) => !ends.has(requestId))) {
        const row = yield* get(payout.requestId)
        if (row?.outcome !== undefined || row?.parked !== undefined) {
          ends.set(payout.requestId, yield* endOf(payout))
        }
      }
      yield* onProgress(ends)
      if (ends.size === payouts.length) return ends
      yield* Effect.sleep(lookInterval)
    }
  },
  Effect.retry({ while: ({ _tag }) => _tag === "StoreUnavailable", schedule: storePause })
)
