/** The labels of the steps that are seen from outside. */
import type { Standing } from "@pawl/core/Evidence"
import type { Status } from "@pawl/core/Status"
import type { Index } from "./State.ts"

const conflictOf = ({ conflict }: Pick<Standing, "conflict">) => conflict?.join("+") ?? "alone"

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
