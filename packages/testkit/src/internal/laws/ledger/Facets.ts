/**
 * The facets of what a ledger keeps: each is a law of its own over the same histories.
 *
 * @since 0.1.0
 */
import type { Leased } from "@pawl/webhook/Row"
import * as Struct from "effect/Struct"
import type * as Laws from "../../../Laws.ts"

/**
 * What is promised of each facet.
 *
 * @category constants
 * @since 0.1.0
 */
export const facets = {
  rows: {
    name: "each operation has one row of its own, whatever names it first (A08, A23, R19)",
    section: "docs/decisions/0042",
    explanation:
      "A callback may overtake its registration, or come without a token; a refund's id may be its payment's, and an id is text: no number, no name of a property, no pattern. Two rows that turn out to be of one operation are joined."
  },
  evidence: {
    name: "evidence is joined, never replaced, and a status that was claimed before is not new (R22)",
    section: 'spec.md, "Events"',
    explanation:
      "Callbacks come twice, in any order, while a worker holds the row, and after a year; an older answer of the service does not undo a newer one."
  },
  ordered: {
    name: "the terms of the first token stay, until a registration says others",
    section: "docs/decisions/0043",
    explanation: "A token moved to another callback changes nothing of what was ordered."
  },
  bodies: {
    name: "callbacks are counted, and the newest of each status is kept, byte for byte, until it is cleaned up",
    section: "docs/decisions/0046",
    explanation:
      "The handler is given what came with the status it is told of, whatever the merchant put into the metadata; a dead letter keeps it for whoever looks."
  },
  told: {
    name: "what the handler was told is kept, and what it is being told, as it was written",
    section: "docs/decisions/0045",
    explanation:
      "From it follows what the handler is told next: what is forgotten is told twice, what is made up is never told."
  },
  ladder: {
    name: "a new status starts the poll ladder anew; no repeat does, and no write undoes it",
    section: "docs/decisions/0006",
    explanation:
      "A status that is new is worth asking about soon. Whoever repeats a callback without end neither makes us ask for ever nor holds a poll up."
  },
  due: {
    name: "work is due when something came or a write says so, the oldest first, and the ledger says exactly when",
    section: "docs/decisions/0008",
    explanation:
      "A worker sleeps until then: too late leaves a payment waiting, too early asks in vain. What came during a lease is due when it ends; a repeat of what is confirmed never is."
  },
  leases: {
    name: "a row is one worker's alone until its lease is over, and only that worker's writes are done, each once",
    section: "docs/decisions/0008",
    explanation:
      "Two workers on one transaction would tell the handler twice, and in either order. Who was away too long has lost the row to another, whose word counts."
  },
  deadLetters: {
    name: "what is parked is a dead letter, listed oldest first, until it is re-driven",
    section: "docs/decisions/0044",
    explanation:
      "What waits for a person is shown to a person, and a re-drive is a person's word that it may go on."
  }
} satisfies Record<string, Laws.LawText>

/**
 * One of the facets.
 *
 * @category models
 * @since 0.1.0
 */
export type Facet = keyof typeof facets

/** The facet that a field of a row is looked at in: a new field has to be in one. */
const facetOf: Readonly<Record<keyof Leased, Facet>> = {
  method: "rows",
  scope: "rows",
  transactionId: "rows",
  kind: "rows",
  createdAt: "rows",
  evidence: "evidence",
  read: "evidence",
  ordered: "ordered",
  newestCallbacks: "bodies",
  callbacks: "bodies",
  secret: "bodies",
  told: "told",
  sequence: "told",
  pendingStatus: "told",
  attempt: "told",
  failingSince: "told",
  retryAt: "told",
  newStatusAt: "ladder",
  polls: "ladder",
  pollAt: "ladder",
  askedAt: "ladder",
  unconfirmedAt: "ladder",
  lease: "leases",
  evidenceAtLease: "leases",
  deadLetter: "deadLetters",
  amountCleared: "deadLetters"
}

/**
 * Lists the fields of a facet.
 *
 * @category getters
 * @since 0.1.0
 */
export const fieldsOf = (facet: Facet): ReadonlyArray<keyof Leased> =>
  Struct.keys(facetOf).filter((field) => facetOf[field] === facet)
