/**
 * The times of a request: when it may be sent, and until when.
 *
 * Times are parameters, in milliseconds since the epoch.
 */
import type { RequestRow } from "./RequestRow.ts"

/** The longest wait before the next attempt, in milliseconds. */
export const maxWait = 5 * 60_000

/** Returns the wait after an attempt, in milliseconds: 1, 2, 4, … s, at most 5 minutes. */
export const waitAfter = (attempt: number): number =>
  Math.min(1000 * 2 ** Math.max(attempt - 1, 0), maxWait)

/** Returns when a row may be claimed: when its lease ends, else when it is due; undefined if it may not be. */
export const claimableAt = ({ dueAt, lease }: RequestRow): number | undefined =>
  lease?.until ?? dueAt

/**
 * Tells whether a row may be claimed at a time. No row is planned for later than `maxWait`, so a row with a later time
 * was planned before the clock was set back, and may be claimed too.
 */
export const isClaimable = (row: RequestRow, at: number): boolean => {
  const time = claimableAt(row)
  return time !== undefined && (time <= at || time > at + maxWait)
}

/**
 * Tells whether nobody works on an open row, so that a caller who has its bytes may send it earlier than planned. Such a
 * caller has the card data, too, without which the row is parked.
 */
export const isIdle = (row: RequestRow, at: number): boolean =>
  row.dueAt !== undefined || isClaimable(row, at) || row.parked?.reason === "card-data"

/**
 * Tells whether a request that was never sent has to be given up: it expired, or the window since it was written or
 * redriven is over. `window` is in milliseconds.
 */
export const isExpired = (
  { begunAt, expiresAt = Infinity, retryFrom }: RequestRow,
  at: number,
  window: number
): boolean => begunAt === undefined && at >= Math.min(expiresAt, retryFrom + window)

/**
 * Returns the time until which the client may send a request that is begun: the end of the window, and of a request that was not in
 * doubt before the time at which it expires, too.
 */
export const sentUntil = (
  { begunAt = Infinity, expiresAt = Infinity, lease }: RequestRow,
  window: number
): number => Math.min(begunAt + window, lease?.inDoubt === false ? expiresAt : Infinity)

/** Tells whether a request is in doubt for so long that the service may not know its requestId any more. */
export const isPastWindow = ({ begunAt }: RequestRow, at: number, window: number): boolean =>
  begunAt !== undefined && at >= begunAt + window
