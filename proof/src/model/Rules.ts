/** The rules of the protocol, each with a mutant that the check must find. */
import type { Status } from "@pawl/core/Status"
import type { Mutants } from "./Checker.ts"

/** `maxIncoming`: callbacks that may be under way at once. */
export interface Scope {
  readonly path: ReadonlyArray<Status>
  readonly forged: ReadonlyArray<Status>
  readonly faults: number
  readonly maxIncoming?: number
}

const paid: Scope = { path: ["SUCCEED"], forged: ["CHARGEBACK"], faults: 1 }
const pending: Scope = { path: ["PENDING", "SUCCEED"], forged: ["SUCCEED"], faults: 1 }
const refunded: Scope = { path: ["SUCCEED", "REFUNDED"], forged: [], faults: 1 }
const disputed: Scope = { ...refunded, forged: ["REFUNDED"], faults: 2 }
const parked: Scope = { ...paid, faults: 2 }
const none = (scope: Scope): Scope => ({ ...scope, faults: 0 })

export const scopes: ReadonlyArray<Scope> = [
  { ...paid, faults: 3 },
  { ...pending, faults: 2 },
  { path: ["FAILED", "SUCCEED"], forged: ["CANCELLED"], faults: 2 },
  { path: ["PENDING", "SUCCEED", "REFUNDED"], forged: ["REFUNDED"], faults: 1 },
  disputed
]

export const mutants = {
  "a callback is answered 200 before it is stored": ["stored", none(paid), "storesFirst"],
  "the write of a read replaces the evidence": ["stored", none(pending), "joinsEvidence"],
  "a claim counts without a confirmation": ["confirmed", paid, "confirms"],
  "the handler is told the status of the last read": ["ranks", pending, "tellsStanding"],
  "a worker that lost its lease goes on writing": ["calls", paid, "fencesWrites"],
  "the effects of the handler commit before the mark": ["effects", paid, "commitsWithMark"],
  "leases end by the clock of the worker that claims": ["calls", none(paid), "usesLedgerClock"],
  "a lease is not renewed during a call": ["calls", none(paid), "renewsLeases"],
  "a process that stops releases a row whose handler runs": ["calls", paid, "keepsTurn"],
  "a change that makes a row due wakes no worker": ["awaited", none(paid), "wakes"],
  "a worker sleeps though it was woken in its search": ["awaited", none(paid), "listensFirst"],
  "the lease of a dead process never ends": ["goal", paid, "endsLeases"],
  "a call that failed counts as told": ["goal", paid, "retriesCalls"],
  "the status is read only after a claim": ["goal", pending, "readsUnasked"],
  "no reads follow an end": ["goal", refunded, "watches"],
  "a release forgets that a callback made the row due meanwhile": ["goal", refunded, "keepsDue"],
  "a repeat of a claim that is not confirmed makes no read due": ["goal", disputed, "asksAgain"],
  "a registration makes nothing due": ["goal", paid, "registrationIsDue"],
  "a redrive leaves a row to the worker that has it": ["goal", parked, "redrivesLeased"],
  "a redrive makes nothing due": ["goal", parked, "redriveIsDue"]
} as const satisfies Mutants<Scope, string>

export type Rule = (typeof mutants)[keyof typeof mutants][2]

export type Setting = Scope & { readonly without?: Rule | undefined }
