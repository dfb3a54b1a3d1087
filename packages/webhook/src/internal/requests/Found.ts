/**
 * Tells a request store in memory which requests the rows of its ledger name, and which are erased. In a database the ledger
 * changes them itself.
 */
import * as Evidence from "@pawl/core/Evidence"
import type { Method } from "@pawl/core/Kind"
import type { Erased } from "../../Archive.ts"
import type { Ledger } from "../../Ledger.ts"
import type { Change, Leased, Row } from "../../Row.ts"

interface Listener {
  readonly find: (requestId: string, found: Row) => void
  /** Deletes the texts of the requests of a transaction. */
  readonly erase: (
    transaction: { readonly method: Method; readonly transactionId: string },
    requestIds: ReadonlyArray<string>
  ) => Pick<Erased, "requests" | "open">
}

/** By the ledger. */
const listeners = new WeakMap<Ledger["Service"], Listener>()

/** Calls functions with each request that a row of a ledger names, and with each transaction that is erased. */
export const listen = (ledger: Ledger["Service"], listener: Listener): void => {
  listeners.set(ledger, listener)
}

/**
 * Returns the row and the request that it names when its lease ends, if the service has confirmed a status of the
 * transaction, and no response named it. With `isSharded` a response to this request may have: the outcome of the request is written
 * to another database after the registration.
 */
export const named = (
  leased: Leased,
  { evidence = Evidence.none, read, release }: Change,
  isSharded = false
): { readonly requestId: string; readonly row: Row } | undefined => {
  const requestId = leased.ordered?.requestId
  const isOpen = !leased.registered || (isSharded && leased.isOrderRegistered)
  if (release === undefined || !isOpen || requestId === undefined) return undefined
  const row = {
    ...leased,
    evidence: Evidence.join(leased.evidence, evidence),
    read: Evidence.joinRead(leased.read, read)
  }
  return Evidence.confirmedStatuses(row.evidence).length === 0 ? undefined : { requestId, row }
}

/** Reports the request that a row of a ledger names when its lease ends. */
export const report = (ledger: Ledger["Service"], leased: Leased, change: Change): void => {
  const listener = listeners.get(ledger)
  const found = listener && named(leased, change)
  if (found !== undefined) listener?.find(found.requestId, found.row)
}

/** Deletes the texts of the requests of a transaction, if there is a store of requests. */
export const erase = (
  ledger: Ledger["Service"],
  ...of: Parameters<Listener["erase"]>
): ReturnType<Listener["erase"]> => listeners.get(ledger)?.erase(...of) ?? { requests: 0, open: 0 }
