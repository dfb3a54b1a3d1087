/**
 * A step of the model, and the labels by which the steps of the code are compared with it.
 */
import type { Standing } from "@pawl/core/Evidence"
import type { Status } from "@pawl/core/Status"
import type { Rules } from "./Rules.ts"
import type { Index, State } from "./State.ts"

/**
 * The setting of a run: the rules, the statuses that the service moves through, and the statuses that a forger claims.
 */
export interface Setting {
  readonly rules: Rules
  readonly path: ReadonlyArray<Status>
  readonly forged: ReadonlyArray<Status>
}

/**
 * A step.
 *
 * - `kind`: a step of the *protocol* is made at some time if it stays possible. A *move* of the service or a *fault* may
 *   never come.
 * - `label`: the text of the event that shows the step from outside; undefined for a step that nobody sees.
 * - `isAtOnce`: whether the step changes nothing that another step depends on, so that the checker may make it at once,
 *   and need not try the others before it.
 * - `isRecorded`: whether a later event shows this fault, so that a trace may have it.
 */
export interface Step {
  readonly name: string
  readonly kind: "protocol" | "move" | "fault"
  readonly label?: string
  readonly isAtOnce?: boolean
  readonly isRecorded?: boolean
  readonly next: State
}

const conflictOf = ({ conflict }: Pick<Standing, "conflict">) => conflict?.join("+") ?? "alone"

/** The labels of the steps that are seen from outside: events of the journal, of the application and of the service. */
export const labels = {
  moved: (status: Status) => `service moved to ${status}`,
  registered: (status: Status) => `registered ${status}`,
  delivered: (claim: Status) => `delivered ${claim} for the first time`,
  arrived: (claim: Status) => `arrived ${claim}`,
  accepted: (claim: Status, isNew: boolean) => `accepted ${claim}${isNew ? ", new" : ""}`,
  answered: (claim: Status) => `answered ${claim}`,
  unanswered: (claim: Status) => `no answer to ${claim}`,
  read: (by: Index, result: string) => `worker ${by} read ${result}`,
  readElsewhere: (by: Index) => `worker ${by} read 404, the kind is not known`,
  called: (by: Index, to: Status | undefined) => `worker ${by} called for ${to}`,
  committed: (by: Index, to: Status | undefined) => `worker ${by} committed ${to}`,
  told: (by: Index, to: Status | undefined, standing: Pick<Standing, "confirmed" | "conflict">) =>
    `worker ${by} told ${to}, ${standing.confirmed ? "confirmed" : "claimed"}, ${conflictOf(standing)}`,
  failed: (by: Index, to: Status | undefined) => `worker ${by} failed at ${to}`,
  parked: (by: Index) => `worker ${by} parked`,
  parkedUnreadable: (by: Index) => `worker ${by} parked, unreadable`,
  redriven: "redriven",
  ended: (by: Index) => `receiver ${by} ended`,
  storeSilent: (by: Index) => `the store gave worker ${by} no answer`,
  endedEarly: (by: Index) => `a clock ended the lease of worker ${by}`,
  leaseTime: "the time of a lease passed"
}
