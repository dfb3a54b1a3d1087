/**
 * Writing in SQL: what a worker found out, as the assignments of one UPDATE.
 *
 * @since 0.1.0
 */
import * as Evidence from "@pawl/core/Evidence"
import { statuses } from "@pawl/core/Status"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Statement } from "effect/sql/Statement"
import type { Change, Leased, Row } from "../../Row.ts"
import type { Columns, Key } from "./RowCodec.ts"

/** A change of a leased row. */
export interface Write {
  readonly leased: Leased
  readonly change: Change
}

/** What a change sets, whatever is there. */
const plain = {
  kind: "kind",
  told: "told",
  sequence: "sequence",
  pendingStatus: "pending_status",
  attempt: "attempt",
  failingSince: "failing_since",
  retryAt: "retry_at",
  askedAt: "asked_at",
  unconfirmedAt: "unconfirmed_at"
} as const satisfies Partial<Record<keyof Row, string>>

/** What a change sets unless a callback brought a new status since the row was leased. */
const ladder = { polls: "polls", pollAt: "poll_at" } as const

const claims = statuses.map(Evidence.claimed).reduce(Evidence.join)

/** Makes the statement that writes a change under its lease and gives the row, if the lease holds. */
export const statement = (sql: SqlClient, { change, leased }: Write): Statement<Columns> => {
  const isOvertaken = sql`(evidence & ${claims & ~leased.evidenceAtLease}) <> 0`
  const sets = [
    ...given(plain, change).map(([column, value]) => sql`${sql(column)} = ${value}`),
    ...given(ladder, change).map(
      ([column, value]) =>
        sql`${sql(column)} = CASE WHEN ${isOvertaken} THEN ${sql(column)} ELSE ${value} END`
    )
  ]

  if (change.evidence !== undefined) sets.push(sql`evidence = evidence | ${change.evidence}`)

  if (change.read !== undefined) {
    const { askedAt, status } = change.read
    const earlier = statuses.slice(0, statuses.indexOf(status))
    const isLater = sql`(read_at IS NULL OR read_at < ${askedAt}
      OR (read_at = ${askedAt} AND ${sql.in("read_status", earlier)}))`
    sets.push(
      sql`read_status = CASE WHEN ${isLater} THEN ${status} ELSE read_status END`,
      sql`read_at = CASE WHEN ${isLater} THEN ${askedAt} ELSE read_at END`
    )
  }

  if ("deadLetter" in change) {
    const { deadLetter } = change
    sets.push(
      sql`dead_letter_reason = ${deadLetter?.reason ?? null}`,
      sql`dead_letter_at = ${deadLetter?.at ?? null}`,
      sql`dead_letter_to = ${deadLetter?.to ?? null}`
    )
  }

  if (change.release === undefined) {
    sets.push(sql`lease_until = ${change.until === undefined ? sql`lease_until` : change.until}`)
  } else {
    sets.push(sql`lease = NULL`, sql`lease_until = NULL`)
    const { dueAt } = change.release
    if (dueAt !== undefined) {
      sets.push(sql`due_at = CASE WHEN due_at < ${dueAt} THEN due_at ELSE ${dueAt} END`)
    }
  }

  return sql<Columns>`UPDATE pawl_transactions SET ${sql.csv(sets)}
    WHERE transaction_id = ${leased.transactionId} AND scope = ${leased.scope}
      AND lease = ${leased.lease}
      ${change.ifSequence === undefined ? sql.literal("") : sql`AND sequence = ${change.ifSequence}`}
    RETURNING *`
}

/**
 * Finds the row that a row turns out to be the same as: one of the kind that its change brings. Two
 * processes made them at one time, or a callback came without its token.
 */
export const twinOf = (
  sql: SqlClient,
  { change, leased }: Write
): Effect.Effect<Columns | undefined, SqlError> =>
  change.kind === undefined || change.kind === leased.kind
    ? Effect.undefined
    : Effect.map(
        sql<Columns>`SELECT * FROM pawl_transactions
          WHERE transaction_id = ${leased.transactionId} AND kind = ${change.kind}
            AND scope <> ${leased.scope}`,
        ([line]) => line
      )

/** Writes a change, and joins the row to its twin, if the lease holds. Then it is gone. */
export const merge = (sql: SqlClient, write: Write, twin: Key): Effect.Effect<void, SqlError> =>
  sql.withTransaction(
    Effect.gen(function* () {
      const [line] = yield* statement(sql, write)
      if (line === undefined) return
      const ours = sql`transaction_id = ${line.transaction_id} AND scope = ${line.scope}`
      yield* sql`UPDATE pawl_transactions SET
          evidence = evidence | ${line.evidence},
          callbacks = callbacks + ${line.callbacks},
          ordered = COALESCE(ordered, ${line.ordered}),
          told = COALESCE(told, ${line.told}),
          due_at = CASE WHEN due_at < ${line.new_status_at} THEN due_at ELSE ${line.new_status_at} END
        WHERE transaction_id = ${twin.transaction_id} AND scope = ${twin.scope}`
      yield* sql`INSERT INTO pawl_callbacks AS held
          (transaction_id, scope, status, count, first_at, first_body, newest_at, newest_body)
        SELECT transaction_id, ${twin.scope}, status, count, first_at, first_body, newest_at, newest_body
        FROM pawl_callbacks WHERE ${ours}
        ON CONFLICT (transaction_id, scope, status) DO UPDATE SET
          count = held.count + excluded.count`
      yield* sql`DELETE FROM pawl_callbacks WHERE ${ours}`
      yield* sql`DELETE FROM pawl_transactions WHERE ${ours}`
    })
  )

/** The columns a change names, with what it says of them; undefined is null. */
const given = <Field extends keyof Change>(
  columns: Readonly<Record<Field, string>>,
  change: Change
): ReadonlyArray<readonly [column: string, value: unknown]> =>
  Object.entries<string>(columns).flatMap(([field, column]) =>
    field in change ? [[column, change[field as Field] ?? null] as const] : []
  )

/** Every write is a statement of its own: any may share a commit. */
export const place = ({ leased: { scope, transactionId } }: Write) => ({
  key: `${scope}/${transactionId}`,
  part: ""
})
