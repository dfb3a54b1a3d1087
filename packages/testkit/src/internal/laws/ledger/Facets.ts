import type { Leased } from "@pawl/webhook/internal/rule/Row"
import type * as Laws from "../../../Laws.ts"

export const facets = {
  rows: {
    name: "an operation has one row, in any order of callback and registration (A08, A23, R19)",
    section: "docs/decisions/0012",
    explanation:
      "A callback may come before the registration, or without a token. A refund may have the id of its payment. An id is plain text, even where it looks like a number, a property name or a pattern. Two rows of one operation are joined."
  },
  evidence: {
    name: "evidence is joined, never replaced, and a status is new only once (R22)",
    section: 'spec.md, "Events"',
    explanation:
      "Callbacks come twice, in any order, during a lease, and after a year. An older read does not replace a newer one."
  },
  ordered: {
    name: "the order of the first token stays until a registration replaces it",
    section: "docs/decisions/0020",
    explanation: "A token that is moved to another callback does not change the order."
  },
  bodies: {
    name: "callbacks are counted, and the newest body of each status stays, byte for byte, until a clean-up",
    section: "docs/decisions/0017",
    explanation:
      "The handler gets the callback of its status, with any metadata. A dead letter keeps its callbacks for a person."
  },
  told: {
    name: "the told status and the pending status stay as they were written",
    section: "docs/decisions/0021",
    explanation:
      "The next transition depends on them. A lost status would be delivered twice, and a wrong one would hide a transition."
  },
  ladder: {
    name: "a new status restarts the poll ladder; no repeat does, and no write undoes it",
    section: "docs/decisions/0007",
    explanation:
      "A new status is worth a read soon. Endless repeats of a callback neither cause endless reads nor delay a read."
  },
  due: {
    name: "a row is due from the time that an event or a write sets, the oldest first",
    section: "docs/decisions/0012",
    explanation:
      "A worker sleeps until then: a time too late delays a payment, and a time too early costs a claim. Work that comes during a lease is due when the lease ends. A repeat of a confirmed status makes nothing due."
  },
  leases: {
    name: "one worker has a row until its lease ends, and only its writes are made, each once",
    section: "docs/decisions/0012",
    explanation:
      "Two workers on one transaction would tell the handler twice and out of order. A worker whose lease ended has lost the row, and its writes are refused."
  },
  deadLetters: {
    name: "a parked row is a dead letter, listed oldest first, until it is redriven",
    section: "docs/decisions/0020",
    explanation:
      "A dead letter waits for a person to see it. A redrive is that person's decision that work goes on."
  },
  facts: {
    name: "the facts of a row are those of its changes, and a repeat raises the counter of its first fact",
    section: "docs/decisions/0013",
    explanation:
      "A person asks what happened to a payment. A fact that is written apart from its change tells of a change that was never made, or misses one."
  }
} satisfies Record<string, Laws.LawText>

export type Facet = keyof typeof facets

export const facetOf: Readonly<Record<Exclude<keyof Leased, "unknown">, Facet>> = {
  method: "rows",
  scope: "rows",
  transactionId: "rows",
  kind: "rows",
  createdAt: "rows",
  registered: "rows",
  namesPayout: "rows",
  namesRefund: "rows",
  unreadable: "rows",
  evidence: "evidence",
  read: "evidence",
  ordered: "ordered",
  isOrderRegistered: "ordered",
  newestCallbacks: "bodies",
  callbacks: "bodies",
  secret: "bodies",
  isErased: "bodies",
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
