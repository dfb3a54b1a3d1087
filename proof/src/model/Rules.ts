/** The rules of the protocol, each with a mutant that the check must find. */
import type { Status } from "@pawl/core/Status"
import type { Mutant } from "./Checker.ts"

export interface Scope {
  readonly path: ReadonlyArray<Status>
  readonly forged: ReadonlyArray<Status>
  readonly faults: number
}

const paid: Scope = { path: ["SUCCEED"], forged: ["CHARGEBACK"], faults: 1 }
const pending: Scope = { path: ["PENDING", "SUCCEED"], forged: ["SUCCEED"], faults: 1 }
const refunded: Scope = { path: ["SUCCEED", "REFUNDED"], forged: [], faults: 1 }
const none = (scope: Scope): Scope => ({ ...scope, faults: 0 })

export const scopes: ReadonlyArray<Scope> = [
  { ...paid, faults: 3 },
  { ...pending, faults: 2 },
  { path: ["FAILED", "SUCCEED"], forged: ["CANCELLED"], faults: 2 },
  { path: ["PENDING", "SUCCEED", "REFUNDED"], forged: ["REFUNDED"], faults: 1 },
  { ...refunded, forged: ["REFUNDED"], faults: 2 }
]

export const law = {
  once: "a requestId has at most one effect",
  stored: "nothing that was answered 200 is lost",
  confirmed: "no end is told that the service did not state",
  ranks: "the ranks told never fall",
  effects: "the effects of a transition commit once",
  calls: "one call at a time",
  awaited: "a row that is due is awaited",
  goal: "every order is settled and every end is told"
} as const

export const mutants = {
  keepsRequestId: {
    mutant: "a request is sent again under a new requestId",
    scope: paid,
    breaks: law.once
  },
  writesOrderFirst: {
    mutant: "a request is sent before the order is written down",
    scope: paid,
    breaks: law.once
  },
  storesFirst: {
    mutant: "a callback is answered 200 before it is stored",
    scope: none(paid),
    breaks: law.stored
  },
  joinsEvidence: {
    mutant: "the write of a read replaces the evidence",
    scope: none(pending),
    breaks: law.stored
  },
  confirms: {
    mutant: "a claim counts without a confirmation",
    scope: paid,
    breaks: law.confirmed
  },
  tellsStanding: {
    mutant: "the handler is told the status of the last read",
    scope: pending,
    breaks: law.ranks
  },
  fencesWrites: {
    mutant: "a worker that lost its lease goes on writing",
    scope: paid,
    breaks: law.calls
  },
  commitsWithMark: {
    mutant: "the effects of the handler commit before the mark",
    scope: paid,
    breaks: law.effects
  },
  usesLedgerClock: {
    mutant: "leases end by the clock of the worker that claims",
    scope: none(paid),
    breaks: law.calls
  },
  renewsLeases: {
    mutant: "a lease is not renewed during a call",
    scope: none(paid),
    breaks: law.calls
  },
  keepsTurn: {
    mutant: "a process that stops releases a row whose handler runs",
    scope: paid,
    breaks: law.calls
  },
  wakes: {
    mutant: "a change that makes a row due wakes no worker",
    scope: none(paid),
    breaks: law.awaited
  },
  listensFirst: {
    mutant: "a worker that found nothing sleeps, though it was woken while it searched",
    scope: none(paid),
    breaks: law.awaited
  },
  endsLeases: {
    mutant: "the lease of a dead process never ends",
    scope: paid,
    breaks: law.goal
  },
  retriesCalls: {
    mutant: "a call that failed counts as told",
    scope: paid,
    breaks: law.goal
  },
  readsUnasked: {
    mutant: "the status is read only after a claim",
    scope: pending,
    breaks: law.goal
  },
  watches: {
    mutant: "no reads follow an end",
    scope: refunded,
    breaks: law.goal
  },
  keepsDue: {
    mutant: "a release forgets that a callback made the row due meanwhile",
    scope: refunded,
    breaks: law.goal
  },
  asksAgain: {
    mutant: "a repeat of a claim that is not confirmed makes no read due",
    scope: { ...refunded, forged: ["REFUNDED"], faults: 2 },
    breaks: law.goal
  },
  registrationIsDue: {
    mutant: "a registration makes nothing due",
    scope: paid,
    breaks: law.goal
  },
  redriveIsDue: {
    mutant: "a redrive makes nothing due",
    scope: { ...paid, faults: 2 },
    breaks: law.goal
  }
} as const satisfies Readonly<Record<string, Mutant<Scope>>>

export type Rule = keyof typeof mutants

export interface Setting extends Scope {
  readonly without?: Rule | undefined
}

export const holds = ({ without }: Setting, rule: Rule): boolean => without !== rule
