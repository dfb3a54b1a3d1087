/**
 * Writing in SQL: the change of a worker becomes the assignments of one UPDATE.
 */
import * as Evidence from "@pawl/core/Evidence"
import type { Read } from "@pawl/core/Evidence"
import { statuses } from "@pawl/core/Status"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment, Statement } from "effect/sql/Statement"
import type { Change, Leased, Row } from "../../Row.ts"
import * as Lanes from "./Lanes.ts"
import type { BigInteger, Columns } from "./RowCodec.ts"

/** A change of a leased row. */
export interface Write {
  readonly leased: Leased
  readonly change: Change
}

/** Fields that a change replaces. */
const replaced = {
  kind: "kind",
  told: "told",
  pendingStatus: "pending_status",
  attempt: "attempt",
  failingSince: "failing_since",
  retryAt: "retry_at",
  askedAt: "asked_at",
  unconfirmedAt: "unconfirmed_at"
} as const satisfies Partial<Record<keyof Row, string>>

/** Fields that a change replaces unless a callback brought a new status during the lease. */
const ladder = { polls: "polls", pollAt: "poll_at", newStatusAt: "new_status_at" } as const

const everyClaim = statuses.map(Evidence.claimed).reduce(Evidence.join)

/**
 * Makes the statement that writes a change and returns the row, if its lease still holds. Translates
 * `RowRule.write`.
 */
export const statement = (sql: SqlClient, { change, leased }: Write): Statement<Columns> => {
  const isOvertaken = sql`(evidence & ${everyClaim & ~leased.evidenceAtLease}) <> 0`
  const assignments: Array<Fragment> = [
    ...valuesIn(replaced, change).map(([column, value]) => sql`${sql(column)} = ${value}`),
    ...valuesIn(ladder, change).map(
      ([column, value]) =>
        sql`${sql(column)} = CASE WHEN ${isOvertaken} THEN ${sql(column)} ELSE ${value} END`
    )
  ]

  if (change.fact !== undefined) assignments.push(sql.literal("facts = facts + 1"))

  if (change.evidence !== undefined) assignments.push(sql`evidence = evidence | ${change.evidence}`)

  if (change.sequence !== undefined) assignments.push(larger(sql, "sequence", change.sequence))

  if (change.read !== undefined) assignments.push(laterRead(sql, change.read))

  if ("deadLetter" in change) {
    const { deadLetter } = change
    assignments.push(
      sql`dead_letter_reason = ${deadLetter?.reason ?? null}`,
      sql`dead_letter_at = ${deadLetter?.at ?? null}`,
      sql`dead_letter_to = ${deadLetter?.to ?? null}`
    )
  }

  if (change.release === undefined) {
    assignments.push(
      sql`lease_until = ${change.until === undefined ? sql`lease_until` : change.until}`
    )
  } else {
    assignments.push(sql`lease = NULL`, sql`lease_until = NULL`)
    const { dueAt, lane = "repeat" } = change.release
    if (dueAt !== undefined) assignments.push(Lanes.dueIn(sql, sql`${dueAt}`, lane))
  }

  return sql<Columns>`UPDATE pawl_transactions SET ${sql.csv(assignments)}
    WHERE transaction_id = ${leased.transactionId} AND scope = ${leased.scope}
      AND lease = ${leased.lease}
      ${change.ifSequence === undefined ? sql.literal("") : sql`AND sequence = ${change.ifSequence}`}
    RETURNING *`
}

/** Assigns a number to a column if it is the larger one. */
export const larger = (sql: SqlClient, column: string, value: BigInteger): Fragment =>
  sql`${sql(column)} = CASE WHEN ${sql(column)} >= ${value} THEN ${sql(column)} ELSE ${value} END`

/** Translates `Evidence.joinRead`. */
export const laterRead = (sql: SqlClient, { askedAt, status }: Read): Fragment => {
  const lowerStatuses = statuses.slice(0, statuses.indexOf(status))
  const isLater = sql`(read_at IS NULL OR read_at < ${askedAt}
    OR (read_at = ${askedAt} AND ${sql.in("read_status", lowerStatuses)}))`
  return sql`read_status = CASE WHEN ${isLater} THEN ${status} ELSE read_status END,
    read_at = CASE WHEN ${isLater} THEN ${askedAt} ELSE read_at END`
}

/** Returns the columns of the fields that a change has, with their values; undefined is null. */
const valuesIn = <Field extends keyof Change>(
  columns: Readonly<Record<Field, string>>,
  change: Change
): ReadonlyArray<readonly [column: string, value: unknown]> =>
  Object.entries<string>(columns).flatMap(([field, column]) =>
    field in change ? [[column, change[field as Field] ?? null] as const] : []
  )

/** Returns the key for group commit. Each write is a statement of its own, so any two may share a commit. */
export const groupKeyOf = ({ leased: { scope, transactionId } }: Write) => ({
  key: `${scope}/${transactionId}`,
  variant: ""
})
