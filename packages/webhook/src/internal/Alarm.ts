/**
 * Finds the reads that a person must look at.
 */
import * as Evidence from "@pawl/core/Evidence"
import { isStatus } from "@pawl/core/Status"
import { type ReadResult, unsettledClaim } from "../Confirmer.ts"
import type * as Reconciler from "../Reconciler.ts"
import type { Row } from "../Row.ts"

/** The reads after which a claim that stays contradicted raises an alarm: at once, after 5 s and after 60 s. */
const readsBeforeAlarm = 3

/** Returns the reason for an alarm, from the row before and after a read; undefined if there is none. */
export const reasonOf = (
  before: Row,
  after: Row,
  result: ReadResult,
  { policy }: Reconciler.Rules
): string | undefined => {
  if (result._tag !== "Answered") return undefined
  if (!isStatus(result.status)) return "the service answered with a status that is not documented"
  if (
    Evidence.wentBack(after.evidence, result.status) &&
    !Evidence.wentBack(before.evidence, before.read?.status)
  ) {
    return "the service went back to an earlier status"
  }
  const isInConflict = ({ evidence, read }: Row) =>
    Evidence.standing(evidence, read?.status, policy).conflict !== null
  if (isInConflict(after) && !isInConflict(before)) {
    return "several final statuses conflict"
  }
  const staysContradicted =
    unsettledClaim(after, policy) === "contradicted" &&
    after.polls === readsBeforeAlarm &&
    before.polls < readsBeforeAlarm
  return staysContradicted
    ? "a callback claims a final status that the service contradicts"
    : undefined
}
