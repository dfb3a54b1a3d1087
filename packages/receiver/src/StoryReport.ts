/**
 * A story as a person reads it: each fact with a sentence.
 *
 * @since 0.1.0
 */
import type { Kind, Method } from "@pawl/core/Kind"
import * as DateTime from "effect/DateTime"
import type { Fact, Kept } from "@pawl/webhook/internal/rule/Fact"
import type { Story } from "@pawl/webhook/internal/rule/StoredRow"

/**
 * A story. `complete` is false if the transaction is older than its facts, or has more of them than are kept.
 *
 * @category models
 * @since 0.1.0
 */
export interface StoryReport {
  readonly method: Method
  readonly kind: Kind
  readonly transactionId: string
  readonly complete: boolean
  readonly facts: ReadonlyArray<FactReport>
}

/**
 * A fact with the times (ISO 8601) of its first and last event, their number and a sentence. `lastAt` is null if the time of
 * the last event is not known any more. `from` is the kind of the joined row that it happened to; null if it is this one.
 * Beside these it has the fields of its `Fact`; null where one is undefined.
 *
 * @category models
 * @since 0.1.0
 */
export interface FactReport {
  readonly fact: Fact["fact"]
  readonly at: string
  readonly lastAt: string | null
  readonly count: number
  readonly sentence: string
  readonly from: Kind | null
  readonly [field: string]: string | number | null
}

/**
 * Reports a story.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = ({ complete, facts, row }: Story): StoryReport => {
  const { kind, method, transactionId } = row
  return { method, kind, transactionId, complete, facts: facts.map(reportOf) }
}

const reportOf = (kept: Kept): FactReport => {
  const { at, count, from, lastAt, number: _, ...fact } = kept
  return {
    ...fieldsOf(fact),
    fact: fact.fact,
    at: timeIn(at),
    lastAt: lastAt === undefined ? null : timeIn(lastAt),
    count,
    from: from ?? null,
    sentence: sentenceOf(kept)
  }
}

const fieldsOf = (fact: Fact): Readonly<Record<string, string | number | null>> => {
  switch (fact.fact) {
    case "registered":
      return { kind: fact.kind, status: fact.status ?? null }
    case "accepted":
      return { status: fact.status }
    case "asked":
      return { result: fact.result, kind: fact.kind ?? null }
    case "called":
    case "told":
    case "failed":
      return { sequence: fact.sequence, to: fact.to }
    case "parked":
      return { reason: fact.reason, to: fact.to ?? null }
    case "redriven":
      return { by: fact.by ?? null, why: fact.why ?? null }
    case "more":
      return {}
  }
}

/**
 * Returns the sentence of a fact.
 *
 * @category getters
 * @since 0.1.0
 */
export const sentenceOf = (kept: Kept): string => {
  const { count, from } = kept
  const times = count === 1 ? "" : `, ${count} times`
  const where = from === undefined ? "" : ` (in the row of ${from}, which was joined)`
  return `${clauseOf(kept)}${times}${where}.`
}

const clauseOf = (fact: Fact): string => {
  switch (fact.fact) {
    case "registered":
      return `The operation was registered as ${fact.kind}${fact.status === undefined ? "" : ` with the status ${fact.status}`}`
    case "accepted":
      return `A callback claimed ${fact.status}`
    case "asked":
      return askedClauses[fact.result] ?? `The service stated ${fact.result}`
    case "called":
      return `The handler was called with ${fact.to} (transition ${fact.sequence})`
    case "told":
      return `The handler accepted ${fact.to} (transition ${fact.sequence})`
    case "failed":
      return `A call of the handler with ${fact.to} failed (transition ${fact.sequence})`
    case "parked":
      return `The transaction became a dead letter: ${fact.reason}${fact.to === undefined ? "" : `, so the handler was not told ${fact.to}`}`
    case "redriven":
      return `${fact.by ?? "A person"} redrove the dead letter${fact.why === undefined ? "" : `: ${fact.why}`}`
    case "more":
      return "Something happened that is not kept, because the transaction has too many facts"
  }
}

const askedClauses: Readonly<Record<string, string>> = {
  "404": "The service was asked, and did not know the id",
  replay: "The service did not know the id, which is that of a transaction of the other method",
  "no answer": "The service was asked, and did not answer"
}

const timeIn = (at: number): string => DateTime.formatIso(DateTime.makeUnsafe(at))
