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
const disputed: Scope = { ...refunded, forged: ["REFUNDED"], faults: 2 }
const none = (scope: Scope): Scope => ({ ...scope, faults: 0 })

export const scopes: ReadonlyArray<Scope> = [
  { ...paid, faults: 3 },
  { ...pending, faults: 2 },
  { path: ["FAILED", "SUCCEED"], forged: ["CANCELLED"], faults: 2 },
  { path: ["PENDING", "SUCCEED", "REFUNDED"], forged: ["REFUNDED"], faults: 1 },
  disputed
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
  keepsRequestId: [law.once, paid, "a request is sent again under a new requestId"],
  writesOrderFirst: [law.once, paid, "a request is sent before the order is written down"],
  storesFirst: [law.stored, none(paid), "a callback is answered 200 before it is stored"],
  joinsEvidence: [law.stored, none(pending), "the write of a read replaces the evidence"],
  confirms: [law.confirmed, paid, "a claim counts without a confirmation"],
  tellsStanding: [law.ranks, pending, "the handler is told the status of the last read"],
  fencesWrites: [law.calls, paid, "a worker that lost its lease goes on writing"],
  commitsWithMark: [law.effects, paid, "the effects of the handler commit before the mark"],
  usesLedgerClock: [law.calls, none(paid), "leases end by the clock of the worker that claims"],
  renewsLeases: [law.calls, none(paid), "a lease is not renewed during a call"],
  keepsTurn: [law.calls, paid, "a process that stops releases a row whose handler runs"],
  wakes: [law.awaited, none(paid), "a change that makes a row due wakes no worker"],
  listensFirst: [
    law.awaited,
    none(paid),
    "a worker that found nothing sleeps, though it was woken while it searched"
  ],
  endsLeases: [law.goal, paid, "the lease of a dead process never ends"],
  retriesCalls: [law.goal, paid, "a call that failed counts as told"],
  readsUnasked: [law.goal, pending, "the status is read only after a claim"],
  watches: [law.goal, refunded, "no reads follow an end"],
  keepsDue: [law.goal, refunded, "a release forgets that a callback made the row due meanwhile"],
  asksAgain: [law.goal, disputed, "a repeat of a claim that is not confirmed makes no read due"],
  registrationIsDue: [law.goal, paid, "a registration makes nothing due"],
  redriveIsDue: [law.goal, { ...paid, faults: 2 }, "a redrive makes nothing due"]
} as const satisfies Readonly<Record<string, Mutant<Scope>>>

export type Rule = keyof typeof mutants

export interface Setting extends Scope {
  readonly without?: Rule | undefined
}

export const holds = ({ without }: Setting, rule: Rule): boolean => without !== rule
