import type { RequestRow } from "@pawl/webhook/internal/rule/RequestRow"
import type * as Laws from "../../../Laws.ts"

const section = "docs/decisions/0060"

export const facets = {
  written: {
    name: "a requestId is written once, and a later request does not change what was written (Q03)",
    section,
    explanation:
      "The digest decides whether another body comes under the same requestId. So it stays, as do the kind and the times of the first request."
  },
  bodies: {
    name: "a sealed body stays as it was written until the answer is known, and is deleted then (Q05)",
    section: "docs/decisions/0017",
    explanation:
      "The stored bytes are what is sent again, so no byte may change. A body whose answer is known has no use. That of a found request stays until the cleaner deletes it, because a person may state that the transaction is another one's."
  },
  doubt: {
    name: "a request is in doubt from its first attempt until an outcome or a person ends the doubt (Q01)",
    section,
    explanation:
      "Its first byte may have left. A refusal of a later attempt does not tell whether an earlier one took effect, nor does a lease that began in doubt."
  },
  leases: {
    name: "one process has a request until its lease ends, and only its writes are made (Q02, Q04)",
    section,
    explanation:
      "A process that was stopped for longer than its lease has lost the request. Two processes that write would contradict each other."
  },
  due: {
    name: "a request is due when the rule says so, the oldest first",
    section,
    explanation:
      "A worker sleeps until then. A time too late delays a payment, and a settled or parked request is never sent."
  },
  refusals: {
    name: "refusals are counted from the first one on, until a redrive, whatever their words are",
    section,
    explanation:
      "The third refusal over ten minutes parks a request. A wrong count parks it too early, or never."
  },
  parked: {
    name: "a parked request is listed once, oldest first, until a person redrives it",
    section,
    explanation:
      "A person has to see it. In doubt and after the window it stays parked, unless the person states that it had no effect."
  },
  outcomes: {
    name: "an outcome is replaced only by one that proves more, and only the lease of a request without doubt ends it as not sent",
    section,
    explanation:
      "The caller received the outcome. A transaction that is confirmed proves an effect, whatever a proxy said before, and an answer says more than a transaction."
  }
} satisfies Record<string, Laws.LawText>

export type Facet = keyof typeof facets

export const facetOf: Readonly<Record<Exclude<keyof RequestRow, "unknown">, Facet>> = {
  requestId: "written",
  kind: "written",
  digest: "written",
  hasCardData: "written",
  ordered: "written",
  createdAt: "written",
  expiresAt: "written",
  body: "bodies",
  begunAt: "doubt",
  lease: "leases",
  attempts: "due",
  dueAt: "due",
  retryFrom: "due",
  refusals: "refusals",
  parked: "parked",
  outcome: "outcomes",
  settledAt: "outcomes",
  transaction: "outcomes",
  deniedTransactionId: "outcomes"
}
