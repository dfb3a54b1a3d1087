/**
 * A story as a person reads it: each fact with a sentence.
 */
import { clean } from "@pawl/core/internal/Printable"
import type { Fact, Kept } from "@pawl/webhook/internal/rule/Fact"
import type { Story } from "@pawl/webhook/internal/rule/StoredRow"
import * as Time from "./Time.ts"

export type StoryReport = ReturnType<typeof make>

export type FactReport = ReturnType<typeof reportOf>

/**
 * Reports a story. `complete` is false if the transaction is older than its facts, or has more than
 * are kept.
 */
export const make = ({ complete, facts, row }: Story) => {
  const { kind, method, transactionId } = row
  return { method, kind, transactionId, complete, facts: facts.map(reportOf) }
}

/**
 * Reports a fact, with times in ISO 8601. `lastAt` is null if the last event's time is no longer
 * known; `from` is the kind of the joined row that the fact happened to, null if it is this one.
 * The fields of its `Fact` are null where undefined.
 */
const reportOf = (kept: Kept) => {
  const { at, count, from = null, lastAt } = kept
  const [clause, fields] = describe(kept)
  const times = count === 1 ? "" : `, ${count} times`
  const where = from === null ? "" : ` (in the row of ${from}, which was joined)`
  return {
    ...fields,
    fact: kept.fact,
    at: Time.textOf(at),
    lastAt: Time.textOrNull(lastAt),
    count,
    from,
    sentence: clean(`${clause}${times}${where}.`)
  }
}

const describe = (
  fact: Fact
): readonly [clause: string, fields: Readonly<Record<string, string | number | null>>] => {
  switch (fact.fact) {
    case "registered": {
      const { kind, status = null } = fact
      const clause = `The operation was registered as ${kind}`
      return [status === null ? clause : `${clause} with the status ${status}`, { kind, status }]
    }
    case "accepted":
      return [`A callback claimed ${fact.status}`, { status: fact.status }]
    case "asked": {
      const { kind = null, result } = fact
      return [askedClauses[result] ?? `The service reported ${result}`, { result, kind }]
    }
    case "called":
    case "told":
    case "failed": {
      const { sequence, to } = fact
      const clauses = {
        called: `The handler was called with ${to}`,
        told: `The handler accepted ${to}`,
        failed: `A call of the handler with ${to} failed`
      }
      return [`${clauses[fact.fact]} (transition ${sequence})`, { sequence, to }]
    }
    case "parked": {
      const { reason, to = null } = fact
      const clause = `The transaction became a dead letter: ${reason}`
      return [
        to === null ? clause : `${clause}, so the handler did not receive ${to}`,
        { reason, to }
      ]
    }
    case "redriven": {
      const { by = null, why = null } = fact
      const clause = `${by ?? "A person"} redrove the dead letter`
      return [why === null ? clause : `${clause}: ${why}`, { by, why }]
    }
    case "more":
      return ["Something happened that is not kept, because the transaction has too many facts", {}]
  }
}

const askedClauses: Readonly<Record<string, string>> = {
  "404": "The service was asked, and did not know the id",
  replay: "The service did not know the id, which is that of a transaction of the other method",
  "no answer": "The service was asked, and did not answer"
}
