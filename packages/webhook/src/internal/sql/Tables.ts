/**
 * The tables of the SQL ledger, in SQL that both SQLite and PostgreSQL accept.
 *
 * **Details**
 *
 * - `pawl_transactions`: the rows. `ordered` is JSON. `claimable_at` is when a row may be claimed: when its
 *   lease ends, else when it is due. It is null when the row may not be claimed, and then the row is not in
 *   the index of claimable rows. `was_claimable_at` is its value when the row was last claimed. `lane` is the
 *   number of the lane in which the row is due.
 * - `pawl_callbacks`: for each status of a row, the first and the newest verified body, and the number of
 *   callbacks, with the signed fields of the newest. They are null if they are those of another transaction.
 *   `newest_body` is null while the first body is the newest; `newest_at` is null after both
 *   bodies were deleted.
 * - `pawl_facts`: the facts of the rows, but for those of callbacks, which are in `pawl_callbacks`. `fact` is its name
 *   (`FactCodec`). `pawl_transactions.facts` counts the events of a row. It is
 *   negative in a row that is older than this table.
 * - `pawl_quarantine`: the bodies of verified callbacks that cannot be acted on, each once.
 * - `pawl_liveness`: line 1 has the time at which a worker was last alive, line 2 the number of checks that the store can be
 *   written.
 * - `pawl_read_budget`: one line with the budget of reads (`ReadBudget`).
 * - `pawl_shard`: the place of the database among the shards of a ledger; empty if it is the only one.
 * - `pawl_merchant`: the merchant whose rows the database has; empty if its receivers have one merchant.
 * - `pawl_archived`, `pawl_archive`: the archive (`ArchiveTables`).
 * - `pawl_requests`: the requests to the service. `body` and `answer` are sealed. `claimable_at` is as above.
 *
 * Times are milliseconds since the epoch and are parameters of each statement: no column has a time zone, and
 * only the budget of reads uses the clock of the database. Bodies are the bytes as received.
 */
import { methodOf } from "@pawl/core/Kind"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as SqlClient from "effect/sql/SqlClient"
import * as ArchiveTables from "./ArchiveTables.ts"
import { older } from "./Facts.ts"
import * as Lookup from "./Lookup.ts"
import { columnsOf, type Key, readBody, type SignedColumns } from "./RowCodec.ts"

const tables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const bytes = sql.literal(sql.onDialectOrElse({ pg: () => "BYTEA", orElse: () => "BLOB" }))

  yield* sql`CREATE TABLE pawl_transactions (
    transaction_id TEXT NOT NULL,
    scope TEXT NOT NULL,
    method TEXT NOT NULL,
    kind TEXT NOT NULL,
    ordered TEXT,
    amount_cleared INTEGER NOT NULL DEFAULT 0,
    secret TEXT,
    evidence INTEGER NOT NULL DEFAULT 0,
    read_status TEXT,
    read_at BIGINT,
    callbacks BIGINT NOT NULL DEFAULT 0,
    told TEXT,
    sequence INTEGER NOT NULL DEFAULT 0,
    pending_status TEXT,
    attempt INTEGER NOT NULL DEFAULT 0,
    failing_since BIGINT,
    retry_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    new_status_at BIGINT NOT NULL,
    polls INTEGER NOT NULL DEFAULT 0,
    poll_at BIGINT,
    asked_at BIGINT,
    unconfirmed_at BIGINT,
    dead_letter_reason TEXT,
    dead_letter_at BIGINT,
    dead_letter_to TEXT,
    due_at BIGINT,
    lease BIGINT,
    lease_until BIGINT,
    was_claimable_at BIGINT,
    claimable_at BIGINT GENERATED ALWAYS AS (COALESCE(lease_until, due_at)) STORED,
    PRIMARY KEY (transaction_id, scope)
  )`
  yield* sql`CREATE INDEX pawl_transactions_claimable
    ON pawl_transactions (claimable_at) WHERE claimable_at IS NOT NULL`

  yield* sql`CREATE INDEX pawl_transactions_dead_letters
    ON pawl_transactions (dead_letter_at) WHERE dead_letter_at IS NOT NULL`

  yield* sql`CREATE TABLE pawl_callbacks (
    transaction_id TEXT NOT NULL,
    scope TEXT NOT NULL,
    status TEXT NOT NULL,
    count BIGINT NOT NULL,
    first_at BIGINT NOT NULL,
    first_body ${bytes},
    newest_at BIGINT,
    newest_body ${bytes},
    PRIMARY KEY (transaction_id, scope, status)
  )`
  yield* sql`CREATE INDEX pawl_callbacks_newest
    ON pawl_callbacks (newest_at) WHERE newest_at IS NOT NULL`

  // The owner is the digest of method and id: a quarantined id may be too long for an index.
  yield* sql`CREATE TABLE pawl_quarantine (
    owner TEXT NOT NULL,
    digest TEXT NOT NULL,
    method TEXT NOT NULL,
    reason TEXT,
    secret TEXT NOT NULL,
    body ${bytes} NOT NULL,
    count BIGINT NOT NULL,
    first_at BIGINT NOT NULL,
    newest_at BIGINT NOT NULL,
    PRIMARY KEY (owner, digest)
  )`
  yield* sql`CREATE INDEX pawl_quarantine_newest ON pawl_quarantine (newest_at)`
})

/**
 * Gives the signed fields columns of their own, so that work on a row reads no bodies. The columns of the bodies come
 * last: SQLite reads a long body to find a column behind it.
 */
const signedColumns = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const bytes = sql.literal(sql.onDialectOrElse({ pg: () => "BYTEA", orElse: () => "BLOB" }))

  yield* sql`ALTER TABLE pawl_transactions ADD COLUMN registered INTEGER NOT NULL DEFAULT 0`
  yield* sql`ALTER TABLE pawl_callbacks RENAME TO pawl_callbacks_1`
  yield* sql`CREATE TABLE pawl_callbacks (
    transaction_id TEXT NOT NULL,
    scope TEXT NOT NULL,
    status TEXT NOT NULL,
    count BIGINT NOT NULL,
    first_at BIGINT NOT NULL,
    newest_at BIGINT,
    account TEXT,
    amount TEXT,
    currency TEXT,
    first_body ${bytes},
    newest_body ${bytes},
    PRIMARY KEY (transaction_id, scope, status)
  )`
  let last = { transaction_id: "", scope: "", status: "" }
  for (let isCopied = false; !isCopied;) {
    const lines = yield* sql<CallbackLine>`SELECT * FROM pawl_callbacks_1
      WHERE (transaction_id, scope, status) > (${last.transaction_id}, ${last.scope}, ${last.status})
      ORDER BY transaction_id, scope, status LIMIT 100`
    for (const line of lines) {
      yield* sql`INSERT INTO pawl_callbacks ${sql.insert({ ...line, ...signedIn(line) })}`
    }
    isCopied = lines.length === 0
    last = lines.at(-1) ?? last
  }
  yield* sql`DROP TABLE pawl_callbacks_1`
  yield* sql`CREATE INDEX pawl_callbacks_newest
    ON pawl_callbacks (newest_at) WHERE newest_at IS NOT NULL`
})

/** Gives the open rows lanes. The rows that are due before are in the last one, and a worker moves them. */
const laneColumn = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE pawl_transactions ADD COLUMN lane INTEGER NOT NULL DEFAULT 3`
  yield* sql`DROP INDEX pawl_transactions_claimable`
  yield* sql`CREATE INDEX pawl_transactions_claimable
    ON pawl_transactions (lane, claimable_at) WHERE claimable_at IS NOT NULL`
})

interface CallbackLine extends Key {
  readonly status: string
  readonly first_body: Uint8Array | null
  readonly newest_body: Uint8Array | null
}

/** Reads the signed fields of a line from its newest body. */
const signedIn = (line: CallbackLine): SignedColumns => {
  const bytes = line.newest_body ?? line.first_body
  const read = (body: Uint8Array) => readBody(methodOf(line.scope), body).signed
  const signed = bytes && Result.getOrUndefined(Result.try(() => read(bytes)))
  return columnsOf(signed?.transactionId === line.transaction_id ? signed : undefined)
}

/** Makes the function of the look-up, and the column of the hint at a refund. */
const scopes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE pawl_transactions ADD COLUMN names_refund INTEGER NOT NULL DEFAULT 0`
  yield* sql.onDialectOrElse({
    pg: () => Effect.asVoid(sql`${sql.literal(Lookup.scopesFunction)}`),
    orElse: () => Effect.void
  })
})

/** Keeps whether an order is that of a registration, and when a worker was last alive. */
const orderAndLiveness = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE pawl_transactions ADD COLUMN order_registered INTEGER NOT NULL DEFAULT 0`
  yield* sql`UPDATE pawl_transactions SET order_registered = 1
    WHERE registered = 1 AND ordered IS NOT NULL`
  yield* sql`CREATE TABLE pawl_liveness (id INTEGER PRIMARY KEY, alive_at BIGINT NOT NULL)`
})

/** Makes the table of the requests. The columns of the bodies come last, as in `pawl_callbacks`. */
const requests = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE pawl_requests (
    request_id TEXT NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL,
    digest TEXT NOT NULL,
    has_card_data INTEGER NOT NULL,
    ordered TEXT,
    created_at BIGINT NOT NULL,
    retry_from BIGINT NOT NULL,
    expires_at BIGINT,
    begun_at BIGINT,
    attempts INTEGER NOT NULL,
    refusal TEXT,
    refusal_count INTEGER,
    refusal_since BIGINT,
    due_at BIGINT,
    lease BIGINT,
    lease_until BIGINT,
    lease_in_doubt INTEGER,
    outcome TEXT,
    not_sent TEXT,
    settled_at BIGINT,
    method TEXT,
    transaction_id TEXT,
    denied_transaction_id TEXT,
    parked_reason TEXT,
    parked_at BIGINT,
    claimable_at BIGINT GENERATED ALWAYS AS (COALESCE(lease_until, due_at)) STORED,
    body TEXT,
    answer TEXT
  )`
  yield* sql`CREATE INDEX pawl_requests_claimable
    ON pawl_requests (claimable_at) WHERE claimable_at IS NOT NULL`
  yield* sql`CREATE INDEX pawl_requests_parked
    ON pawl_requests (parked_at, request_id) WHERE parked_at IS NOT NULL`
  yield* sql`CREATE INDEX pawl_requests_texts ON pawl_requests (settled_at)
    WHERE settled_at IS NOT NULL AND (body IS NOT NULL OR answer IS NOT NULL)`
})

/**
 * Makes the table of the facts. Rows without facts from the beginning count their events from a negative number: those that
 * are stored, and those that a process of the version before still makes.
 */
const facts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const withoutRowid = sql.literal(
    sql.onDialectOrElse({ pg: () => "", orElse: () => "WITHOUT ROWID" })
  )
  yield* sql`ALTER TABLE pawl_transactions
    ADD COLUMN facts INTEGER NOT NULL DEFAULT ${sql.literal(String(-older))}`
  // The columns of fixed length come first: so PostgreSQL needs no space between them. It needs none for a null.
  yield* sql`CREATE TABLE pawl_facts (
    at BIGINT NOT NULL,
    last_at BIGINT,
    number INTEGER NOT NULL,
    count INTEGER,
    transaction_id TEXT NOT NULL,
    fact TEXT NOT NULL,
    detail TEXT,
    PRIMARY KEY (transaction_id, fact)
  ) ${withoutRowid}`
})

/** Makes the budget of reads, and the place of the database among the shards of a ledger. */
const scale = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE pawl_read_budget (version BIGINT NOT NULL, state TEXT)`
  yield* sql`INSERT INTO pawl_read_budget (version, state) VALUES (0, NULL)`
  yield* sql`CREATE TABLE pawl_shard (position INTEGER NOT NULL, count INTEGER NOT NULL)`
})

/** Makes the merchant of the database. */
const merchant = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE pawl_merchant (line INTEGER PRIMARY KEY, id TEXT NOT NULL)`
})

/** The columns with texts of persons, on PostgreSQL. */
const personalColumns = {
  pawl_callbacks: ["first_body", "newest_body"],
  pawl_facts: ["detail"],
  pawl_quarantine: ["body"],
  pawl_requests: ["body", "answer"],
  pawl_archive: ["content"]
}

/**
 * Makes the archive on PostgreSQL, and the indexes by which requests are erased and dropped. On SQLite the archive is in another
 * file, where `ArchiveFiles.prepare` makes its tables.
 */
const archive = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE INDEX pawl_requests_transactions
    ON pawl_requests (transaction_id) WHERE transaction_id IS NOT NULL`
  yield* sql`CREATE INDEX pawl_requests_settled
    ON pawl_requests (settled_at) WHERE settled_at IS NOT NULL`
  yield* sql.onDialectOrElse({
    pg: () =>
      Effect.gen(function* () {
        yield* ArchiveTables.makeTables(sql, "")
        yield* sql`${sql.literal(Lookup.hotScopesFunction)}`
        for (const [table, columns] of Object.entries(personalColumns)) {
          yield* ArchiveTables.withoutStatistics(sql, table, columns)
        }
      }),
    orElse: () => Effect.void
  })
})

/** Every version of the tables, in order. */
export const migrations = {
  "1_ledger": tables,
  "2_signed_columns": signedColumns,
  "3_lane": laneColumn,
  "4_scopes": scopes,
  "5_order_and_liveness": orderAndLiveness,
  "6_requests": requests,
  "7_facts": facts,
  "8_scale": scale,
  "9_merchant": merchant,
  "10_archive": archive
}
