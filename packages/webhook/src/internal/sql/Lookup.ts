/**
 * Row lookup in SQL: finds the row that an event belongs to, as `StoredRow.find` does.
 *
 * **Details**
 *
 * The look-up and the write that follows it are one step, else two processes make two rows of one transaction. On
 * SQLite both are in one transaction. On PostgreSQL they are one statement: the function `pawl_scopes` locks each id
 * until the statement ends, and then reads its rows with a snapshot of its own, which no other statement of the same
 * transaction level gives.
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

/** Reads the keys and kinds of the rows with the given ids, of both methods. */
export const rowsOf = (
  sql: SqlClient,
  ids: ReadonlyArray<MethodId>
): Statement<Key & MethodId & { readonly kind: Kind }> =>
  sql`SELECT transaction_id, scope, method, kind FROM pawl_transactions
    WHERE ${sql.in(
      "transaction_id",
      ids.map(({ transaction_id }) => transaction_id)
    )}${everyScope(sql)}`

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
    query: sql`found AS MATERIALIZED (SELECT pawl_scopes(
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

/** Makes the function that returns the scopes of events on PostgreSQL, by ids and by their scopes and candidates. */
export const scopesFunction = `CREATE OR REPLACE FUNCTION pawl_scopes(ids TEXT[], kinds TEXT[]) RETURNS TEXT[]
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
        ORDER BY array_position(names[2:], kind) LIMIT 1;
      scopes := scopes || COALESCE(found, names[1]);
    END LOOP;
    RETURN scopes;
  END $$`

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
