/**
 * The next work on a row: when it is due, and in which lane.
 */
import type { Lane, ReadLane } from "../Lane.ts"
import * as Reconciler from "../Reconciler.ts"
import type { Row } from "../Row.ts"
import * as Transition from "./Transition.ts"

/** Returns the lane of the read that is due; undefined when none is. */
export const laneOfRead = (
  row: Row,
  rules: Reconciler.Rules,
  now: number
): ReadLane | undefined => {
  const at = Reconciler.readAt(row, rules)
  return at === undefined || at > now ? undefined : readLane(row, rules)
}

/** Returns the lane of the call that is due; undefined when none is. */
export const laneOfCall = (row: Row, rules: Reconciler.Rules, now: number): Lane | undefined => {
  const at = Transition.callAt(row, rules.policy)
  return at === undefined || at > now ? undefined : callLane(row)
}

/** Returns when a row is due for a read or a call of the handler, and in which lane. */
export const nextOf = (
  row: Row,
  rules: Reconciler.Rules,
  now: number
): { readonly dueAt: number | undefined; readonly lane?: Lane } => {
  const readAt = Reconciler.readAt(row, rules)
  const callAt = Transition.callAt(row, rules.policy)
  if (callAt !== undefined && callAt <= Math.max(now, readAt ?? Infinity)) {
    return { dueAt: Math.max(now, Math.min(callAt, readAt ?? callAt)), lane: callLane(row) }
  }
  return readAt === undefined ? { dueAt: undefined } : { dueAt: readAt, lane: readLane(row, rules) }
}

/** Returns the lane of the next read of a row. */
export const readLane = (row: Row, rules: Reconciler.Rules): ReadLane => {
  if (Reconciler.isUnread(row, rules)) return "ask"
  return Reconciler.isClosed(row, rules) ? "watch" : "repeat"
}

const callLane = ({ attempt }: Row): Lane => (attempt > 0 ? "retry" : "tell")
