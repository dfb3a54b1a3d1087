/**
 * Classifies the errors of a store.
 *
 * - `unavailable`: the store does not answer, is busy, is renamed or restored, or is read-only after
 *   a fail-over. The call may succeed a second later.
 * - `refused`: the role or the process lacks rights.
 * - `full`: the disk has no room.
 * - `statement`: a table or a column is missing, or a trigger, a constraint or a policy refuses the
 *   row.
 *
 * `cause` has the number of the error and one of our tables, but not the text of the database,
 * which may have values. An error of our own has its fault in `pawlFault`.
 */
import { hasProperty } from "effect/Predicate"
import { collections } from "../records/Records.ts"

export interface Fault {
  readonly kind: "unavailable" | "refused" | "full" | "statement"
  readonly cause: string
}

type Meaning = readonly [kind: Fault["kind"], phrase: string]

/** A prepared statement is missing, or the transaction of one was aborted. */
const noSession: Meaning = ["statement", "a pooler is not in session mode"]

/** SQLSTATE codes by their longest beginning. */
const states: Readonly<Record<string, Meaning>> = {
  "25006": ["unavailable", "the database is read-only"],
  "3D000": ["unavailable", "the database is missing"],
  "28": ["refused", "the database refuses the role"],
  "42501": ["refused", "the role has too few rights"],
  "42P01": ["statement", "a table is missing"],
  "42703": ["statement", "a column is missing"],
  "23": ["statement", "a constraint refuses the row"],
  "25P02": noSession,
  "26": noSession,
  P0001: ["statement", "a trigger refuses the row"],
  "53100": ["full", "the disk of the database is full"],
  "08": ["unavailable", "the connection is lost"],
  "25P03": ["unavailable", "the transaction took too long"],
  "40": ["unavailable", "another transaction is in conflict"],
  "53": ["unavailable", "the database has too few resources"],
  "55": ["unavailable", "another transaction holds a lock"],
  "57": ["unavailable", "the database is stopping or has ended the statement"],
  "58": ["unavailable", "the system of the database failed"]
}

const results: Readonly<Record<number, Meaning>> = {
  3: ["refused", "the file may not be used"],
  5: ["unavailable", "another process holds a lock"],
  7: ["unavailable", "the memory is full"],
  8: ["refused", "the file may not be written"],
  10: ["unavailable", "the disk failed"],
  11: ["statement", "the file is damaged"],
  13: ["full", "the disk is full"],
  14: ["refused", "the file may not be opened"],
  19: ["statement", "a trigger or a constraint refuses the row"]
}

/** Row-level security, and a trigger that has no right, have the state of a missing right. */
const byPolicy: Meaning = ["statement", "a policy or a trigger refuses the row"]
const refusedStatement: Meaning = ["statement", "the database refuses a statement"]
const late: Fault = {
  kind: "unavailable",
  cause: "a transaction takes longer than 3 seconds"
}
const noAnswer: Fault = { kind: "unavailable", cause: "the store does not answer" }

export const of = (error: unknown): Fault => {
  let isLate = false
  for (let inner = error; inner !== undefined && inner !== null; inner = innerOf(inner)) {
    if (hasProperty(inner, "errcode") && typeof inner.errcode === "number") {
      const meaning = results[inner.errcode & 0xff] ?? refusedStatement
      return faultOf(meaning, `SQLite error ${inner.errcode}`, inner)
    }
    if (hasProperty(inner, "code") && /^[0-9A-Z]{5}$/u.test(String(inner.code))) {
      const state = String(inner.code)
      const isByPolicy =
        state === "42501" &&
        // `where` names the function of a trigger.
        ((hasProperty(inner, "routine") && inner.routine === "ExecWithCheckOptions") ||
          hasProperty(inner, "where"))
      const known = isByPolicy ? byPolicy : (states[state] ?? states[state.slice(0, 2)])
      const meaning = known ?? refusedStatement
      // Errors such as EPIPE have five letters too.
      if (/\d/u.test(state)) return faultOf(meaning, `SQLSTATE ${state}`, inner)
    }
    if (hasProperty(inner, "pawlFault")) return inner.pawlFault as Fault
    isLate ||= hasProperty(inner, "_tag") && inner._tag === "StatementTimeoutError"
  }
  return isLate ? late : noAnswer
}

export const isLasting = ({ kind }: Fault): boolean => kind !== "unavailable"

/** Tells whether another document may be written. */
export const isOfRow = ({ kind }: Fault): boolean => kind === "statement"

const innerOf = (error: unknown): unknown => {
  // The module of `SqlError` would make a bundle a quarter larger.
  if (hasProperty(error, "_tag") && error._tag === "SqlError" && hasProperty(error, "reason")) {
    return error.reason
  }
  return hasProperty(error, "cause") ? error.cause : undefined
}

const faultOf = ([kind, phrase]: Meaning, number: string, error: unknown): Fault => {
  const text = hasProperty(error, "message") ? String(error.message) : ""
  const table = tables.find((name) => new RegExp(`\\b${name}\\b`, "u").test(text))
  return { kind, cause: `${phrase} (${number}${table === undefined ? "" : `, ${table}`})` }
}

const tables = collections
  .flatMap((name) => [`pawl_${name}`, `pawl_${name}_texts`])
  .concat("pawl_migrations")
