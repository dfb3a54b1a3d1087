/**
 * What an answer of the service means to a person.
 *
 * @since 0.1.0
 */
import * as Evidence from "@pawl/core/Evidence"
import { isStatus } from "@pawl/core/Status"
import { type Answer, doubt } from "../Confirmer.ts"
import type * as Reconciler from "../Reconciler.ts"
import type { Row } from "../Row.ts"

/** Says what a person should know of an answer, by the row before and after it; undefined for nothing. */
export const of = (
  before: Row,
  after: Row,
  answer: Answer,
  { policy }: Reconciler.Rules
): string | undefined => {
  if (answer._tag !== "Said") return undefined
  if (!isStatus(answer.status)) return "the service answered with a status that is not documented"
  if (
    Evidence.wentBack(after.evidence, answer.status) &&
    !Evidence.wentBack(before.evidence, before.read?.status)
  ) {
    return "the service went back to an earlier status"
  }
  const isConflict = ({ evidence, read }: Row) =>
    Evidence.standing(evidence, read?.status, policy).conflict !== null
  if (isConflict(after) && !isConflict(before)) return "several final statuses stand in conflict"
  const stays = doubt(after, policy) === "contradicted" && after.polls === 3 && before.polls < 3
  return stays ? "a callback claims a final status that the service contradicts" : undefined
}
