/**
 * The shortest time between two looks of a worker for rows that other processes made due.
 *
 * **Details**
 *
 * Each merchant of a receiver has a worker. Their looks share a thread, so the time grows with the number of merchants. Rows that
 * this process makes due are found at once.
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"

/** The shortest time; zero by default, so that the ledger decides. */
export const PollGap: Context.Reference<Duration.Duration> = /* @__PURE__ */ Context.Reference(
  "@pawl/webhook/internal/work/PollGap",
  { defaultValue: () => Duration.zero }
)
