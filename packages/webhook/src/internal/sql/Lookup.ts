/**
 * Row lookup in SQL: finds the row that an event belongs to, as `StoredRow.find` does.
 *
 * **Details**
 *
 * The look-up and the write that follows it are one step, else two processes make two rows of one transaction. On
 * SQLite both are in one transaction. On PostgreSQL they are one statement: the function `pawl_hot_scopes` locks each id
 * until the statement ends, and then reads its rows with a snapshot of its own, which no other statement of the same
 * transaction level gives. It refuses an id whose rows are in the archive, because a statement cannot change rows that a
 * function inside it has inserted.
 */
import { type Kind, kindsOf, type Method } from "@pawl/core/Kind"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment, Statement } from "effect/sql/Statement"
import { candidates, type Source } from "../../StoredRow.ts"
import type { Key } from "./RowCodec.ts"

/** A transaction id of a method. */
export interface MethodId {
  readonly method: Method
  readonly transaction_id: string
}

/** Returns a method and an id as one text. No method contains a slash. */
export const textOf = ({ method, transaction_id }: MethodId): string =>
  `${method}/${transaction_id}`

/** Is true for lines with one of some ids. PostgreSQL uses the index for it even if it has no statistics. */
export const isOneOf = (sql: SqlClient, ids: ReadonlyArray<string>): Fragment =>
  sql`transaction_id IN (VALUES ${sql.csv(ids.map((id) => sql`(${id})`))})`

/** A line of a look-up that says that the archive has rows of the method and id. */
export interface ArchivedMark extends MethodId {
  readonly scope: null
}

/** Reads the keys and kinds of the rows with the given ids, of both methods, and which of these are in the archive. */
export const rowsOf = (
  sql: SqlClient,
  ids: ReadonlyArray<MethodId>
): Statement<(Key & MethodId & { readonly kind: Kind }) | ArchivedMark> => {
  const isOneOf = sql.in(
    "transaction_id",
    ids.map(({ transaction_id }) => transaction_id)
  )
  return sql`SELECT transaction_id, method, scope, kind FROM pawl_transactions
    WHERE ${isOneOf}${everyScope(sql)}
    UNION ALL SELECT transaction_id, method, NULL, NULL FROM pawl_archived WHERE ${isOneOf}`
}

/** An event that belongs to a row. */
export interface Event {
  readonly kind: Kind
  readonly transaction_id: string
}

/** The scopes of the rows of events, on PostgreSQL: the statement is to have the name `found` for `query`. */
export const scopesOf = (
  sql: SqlClient,
  events: ReadonlyArray<Event>,
  source: Source
): { readonly query: Fragment; readonly scopeAt: (index: number) => Fragment } => {
  const array = (texts: ReadonlyArray<string>) =>
    sql`ARRAY[${sql.csv(texts.map((text) => sql`${text}`))}]::TEXT[]`
  const kinds = events.map(({ kind }) => [kind, ...candidates(kind, source)].join(","))
  return {
    query: sql`found AS MATERIALIZED (SELECT pawl_hot_scopes(
      ${array(events.map(({ transaction_id }) => transaction_id))}, ${array(kinds)}) AS scopes)`,
    scopeAt: (index) => sql.literal(`(SELECT scopes[${index + 1}] FROM found)`)
  }
}

/** Names every scope, so that PostgreSQL uses the index of the key even if it has no statistics. */
const scopes = Object.entries(kindsOf)
  .flatMap(([method, kinds]) => [...kinds, method])
  .map((scope) => `'${scope}'`)
  .join(", ")

/** Names every scope, on PostgreSQL. */
export const everyScope = (sql: SqlClient): Fragment =>
  sql.literal(sql.onDialectOrElse({ pg: () => ` AND scope IN (${scopes})`, orElse: () => "" }))

/** Sets the locks of ids apart from other locks of the database. */
const lockSeed = 112_971_908

/** Prevents that another process makes, changes or joins rows of an id until this transaction ends, on PostgreSQL. */
export const lock = (sql: SqlClient, transactionId: string): Effect.Effect<unknown, SqlError> =>
  sql`SELECT pg_advisory_xact_lock(hashtextextended(${transactionId}, ${lockSeed}))`

/** Locks ids as `lock` does, in their order. */
export const lockAll = (
  sql: SqlClient,
  ids: ReadonlyArray<string>
): Effect.Effect<unknown, SqlError> =>
  sql`SELECT pg_advisory_xact_lock(hashtextextended(id, ${lockSeed}))
    FROM unnest(ARRAY[${sql.csv(ids.map((id) => sql`${id}`))}]::TEXT[]) AS id`

/** Locks those ids that no other transaction has locked, on PostgreSQL, and returns them. */
export const tryLock = (
  sql: SqlClient,
  ids: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<string>, SqlError> =>
  Effect.map(
    sql<{
      readonly id: string
    }>`SELECT id FROM unnest(ARRAY[${sql.csv(ids.map((id) => sql`${id}`))}]::TEXT[]) AS id
      WHERE pg_try_advisory_xact_lock(hashtextextended(id, ${lockSeed}))`,
    (lines) => lines.map(({ id }) => id)
  )

const makeScopesFunction = (
  name: string,
  whenNone: string
) => `CREATE OR REPLACE FUNCTION ${name}(ids TEXT[], kinds TEXT[]) RETURNS TEXT[]
  LANGUAGE plpgsql VOLATILE AS $$
  DECLARE
    scopes TEXT[] := '{}';
    names TEXT[];
    found TEXT;
  BEGIN
    FOR at IN 1 .. cardinality(ids) LOOP
      PERFORM pg_advisory_xact_lock(hashtextextended(ids[at], ${lockSeed}));
      names := string_to_array(kinds[at], ',');
      SELECT scope INTO found FROM pawl_transactions
        WHERE transaction_id = ids[at] AND scope IN (${scopes}) AND kind = ANY (names[2:])
        ORDER BY array_position(names[2:], kind) LIMIT 1;${whenNone}
      scopes := scopes || COALESCE(found, names[1]);
    END LOOP;
    RETURN scopes;
  END $$`

/** Makes the function that returns the scopes of events on PostgreSQL, by ids and by their scopes and candidates. */
export const scopesFunction = makeScopesFunction("pawl_scopes", "")

const refusal = "pawl: the rows of an id are in the archive"

/** Makes the function that also refuses an id without rows in the tables whose rows are in the archive. */
export const hotScopesFunction = makeScopesFunction(
  "pawl_hot_scopes",
  `
      IF found IS NULL AND EXISTS (SELECT 1 FROM pawl_archived AS key WHERE transaction_id = ids[at]
          AND method = CASE WHEN names[1] LIKE 'apm%' THEN 'apm' ELSE 'card' END
          AND NOT EXISTS (SELECT 1 FROM pawl_transactions AS stored WHERE stored.transaction_id = ids[at]
            AND stored.scope IN (${scopes}) AND stored.method = key.method)) THEN
        RAISE EXCEPTION '${refusal}' USING ERRCODE = 'serialization_failure';
      END IF;`
)

/** Tells whether an error is the refusal of `hotScopesFunction`. */
export const isArchived = ({ reason }: SqlError): boolean =>
  reason.cause instanceof Error && reason.cause.message.includes(refusal)

/** Tells whether an id is that of a registered refund. Translates `StoredRow.hasRegisteredRefund`. */
export const isRegisteredRefund = (
  sql: SqlClient,
  refundId: string
): Effect.Effect<boolean, SqlError> =>
  Effect.map(
    sql`SELECT kind FROM pawl_transactions
      WHERE transaction_id = ${refundId} AND kind = 'refund' AND registered = 1`,
    ({ length }) => length > 0
  )
