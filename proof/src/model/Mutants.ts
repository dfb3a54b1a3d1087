/**
 * The settings in which the model is checked, and its mutants: models with one broken rule, each of which the check must find.
 */
import { goal } from "./Protocol.ts"
import { type Rules, rules } from "./Rules.ts"
import type { Setting } from "./Step.ts"

/** A setting with its largest number of faults. */
export interface Scope extends Omit<Setting, "rules"> {
  readonly faults: number
}

const paid: Scope = { path: ["SUCCEED"], forged: ["CHARGEBACK"], faults: 3 }
const pending: Scope = { path: ["PENDING", "SUCCEED"], forged: ["SUCCEED"], faults: 2 }
const changed: Scope = { path: ["FAILED", "SUCCEED"], forged: ["CANCELLED"], faults: 2 }
const refunded: Scope = {
  path: ["PENDING", "SUCCEED", "REFUNDED"],
  forged: ["REFUNDED"],
  faults: 1
}

/** The scopes of a full check. */
export const scopes: ReadonlyArray<Scope> = [paid, pending, changed, refunded]

/**
 * A mutant.
 *
 * - `change`: the rule that it breaks.
 * - `scope`: a small scope in which that shows.
 * - `breaks`: the invariant that breaks first.
 */
export interface Mutant {
  readonly change: Partial<Rules>
  readonly scope: Scope
  readonly breaks: string
}

const once = "a requestId has at most one effect"
const stored = "nothing that was answered 200 is lost"
const confirmed = "no end is told that the service did not state"
const ranks = "the ranks told never fall"
const effects = "the effects of a transition commit once"
const calls = "one call at a time"

/** The mutants, by description. */
export const mutants: Readonly<Record<string, Mutant>> = {
  "a request is sent again under a new requestId": {
    change: { keepsRequestId: false },
    scope: { ...paid, faults: 1 },
    breaks: once
  },
  "a request is sent before the order is written down": {
    change: { writesOrderFirst: false },
    scope: { ...paid, faults: 1 },
    breaks: once
  },
  "a callback is answered 200 before it is stored": {
    change: { storesFirst: false },
    scope: { ...paid, faults: 0 },
    breaks: stored
  },
  "the write of a read replaces the evidence": {
    change: { joinsEvidence: false },
    scope: { ...pending, faults: 0 },
    breaks: stored
  },
  "a claim counts without a confirmation": {
    change: { policy: "never" },
    scope: { ...paid, faults: 1 },
    breaks: confirmed
  },
  "the handler is told the status of the last read": {
    change: { toldBy: "last read" },
    scope: { ...pending, faults: 1 },
    breaks: ranks
  },
  "a worker that lost its lease goes on writing": {
    change: { fencesWrites: false },
    scope: { ...paid, faults: 1 },
    breaks: calls
  },
  "the effects of the handler commit before the mark": {
    change: { commitsWithMark: false },
    scope: { ...paid, faults: 1 },
    breaks: effects
  },
  "leases end by the clock of the worker that claims": {
    change: { usesLedgerClock: false },
    scope: { ...paid, faults: 0 },
    breaks: calls
  },
  "a lease is not renewed during a call": {
    change: { renewsLeases: false },
    scope: { ...paid, faults: 0 },
    breaks: calls
  },
  "a process that stops releases a row whose handler runs": {
    change: { keepsTurn: false },
    scope: { ...paid, faults: 1 },
    breaks: calls
  },
  "the lease of a dead process never ends": {
    change: { endsLeases: false },
    scope: { ...paid, faults: 1 },
    breaks: goal
  },
  "a call that failed counts as told": {
    change: { retriesCalls: false },
    scope: { ...paid, faults: 1 },
    breaks: goal
  },
  "the status is read only after a claim": {
    change: { reads: "after a claim" },
    scope: { ...pending, faults: 1 },
    breaks: goal
  },
  "no reads follow an end": {
    change: { reads: "until an end" },
    scope: { path: ["SUCCEED", "REFUNDED"], forged: [], faults: 1 },
    breaks: goal
  }
}

/** Returns the setting of a mutant, or of the model itself. */
export const settingOf = (scope: Scope, change: Partial<Rules> = {}): Setting => ({
  rules: { ...rules, ...change },
  path: scope.path,
  forged: scope.forged
})
