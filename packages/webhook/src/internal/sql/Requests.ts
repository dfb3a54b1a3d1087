/**
 * The request store in SQL: one line for each request, which a pure function of `RequestRule` changes in one
 * transaction.
 *
 * **Details**
 *
 * On PostgreSQL a change locks its line. On SQLite the changes and the new requests that wait at the same time share a
 * commit, because it costs a flush of the disk.
 */
import { StoreUnavailable } from "@pawl/core/CallbackError"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { isParked, type LeasedRequest, type NewRequest, type RequestRow } from "../../RequestRow.ts"
import * as RequestRule from "../../RequestRule.ts"
import * as RequestTimes from "../../RequestTimes.ts"
import type { RequestStore } from "../../RequestStore.ts"
import type { Row } from "../../Row.ts"
import * as Cells from "../requests/Cells.ts"
import { leaseIds } from "./Claim.ts"
import type { DatabaseClock } from "./DatabaseClock.ts"
import type * as SqlRegister from "./Register.ts"
import { changing, type Columns, lasting, rowOf } from "./RequestCodec.ts"
import type { BigInteger } from "./RowCodec.ts"

/** The parts of the ledger that the store shares. */
export interface Tools {
  /** Runs a statement or transaction within three seconds, and again after a conflict. */
  readonly run: <A>(statement: Effect.Effect<A, SqlError>) => Effect.Effect<A, SqlError>
  /** Makes the function that commits several works together within three seconds; each is part of one transaction. */
  readonly makeCommit: Effect.Effect<
    (requestId: string, work: Effect.Effect<unknown, SqlError>) => Effect.Effect<unknown, SqlError>,
    never,
    Scope.Scope
  >
  /** Registers in the transaction of the caller. */
  readonly register: ReturnType<typeof SqlRegister.make>
  /** Notes that a row of the ledger is due at a time. */
  readonly wake: (dueAt: number) => Effect.Effect<void>
  /** Is given each error of the database. */
  readonly retire: (error: SqlError) => Effect.Effect<void>
  readonly clock: DatabaseClock | undefined
}

/** The longest time until a request that another process made due is noticed. */
const pollInterval = Duration.millis(250)

/** The store, and the function that settles the request that the row of a transaction names. */
interface Made {
  readonly store: RequestStore["Service"]
  readonly find: (requestId: string, found: Row) => Effect.Effect<void, SqlError>
}

/** Makes the store over the tables of a ledger. */
export const make = Effect.fnUntraced(function* (
  sql: SqlClient,
  { clock, makeCommit, register, retire, run, wake }: Tools
): Effect.fn.Return<Made, never, Scope.Scope> {
  const work = yield* Latch.make()
  const commit = yield* makeCommit
  const leaseId = sql.onDialectOrElse(leaseIds)
  const forUpdate = sql.literal(sql.onDialectOrElse({ pg: () => "FOR UPDATE", orElse: () => "" }))
  const statements = statementsOf(sql, leaseId)
  const opened = sql.afterCommit(Effect.sync(() => work.openUnsafe()))

  const unavailable = <A>(call: Effect.Effect<A, SqlError>) =>
    call.pipe(
      Effect.tapError(retire),
      Effect.mapError((cause) => new StoreUnavailable({ cause }))
    )

  const isInTransaction = Effect.map(Effect.serviceOption(sql.transactionService), Option.isSome)

  /** Does work of one transaction: that of the caller, or a new one, which other work may share. */
  const atomically = <A>(requestId: string, effect: Effect.Effect<A, SqlError>) =>
    Effect.flatMap(isInTransaction, (isInside) =>
      isInside ? effect : (commit(requestId, effect) as Effect.Effect<A, SqlError>)
    )

  const get = (requestId: string) =>
    Effect.map(
      sql<Columns>`SELECT * FROM pawl_requests WHERE request_id = ${requestId}`,
      ([line]) => line && rowOf(line)
    )

  /** Reads a request in the transaction of the caller, if there is one. */
  const read = (requestId: string) =>
    Effect.flatMap(isInTransaction, (isInside) => (isInside ? get(requestId) : run(get(requestId))))

  /** Translates `RequestRule.write`. */
  const write = Effect.fnUntraced(function* (
    request: NewRequest,
    { at, until }: { readonly at: number; readonly until?: number | undefined }
  ) {
    const row = RequestRule.write(request, at, until === undefined ? undefined : { id: 0, until })
    for (;;) {
      const [line] = yield* statements.insert(row)
      if (line === undefined) {
        const stored = yield* get(request.requestId)
        if (stored !== undefined) return { row: stored, isNew: false }
        // An old request that was in the way was dropped since.
        continue
      }
      if (row.lease === undefined) {
        yield* opened
        return { row, isNew: true }
      }
      return { row: { ...row, lease: { ...row.lease, id: Number(line.lease) } }, isNew: true }
    }
  })

  const change = Effect.fnUntraced(function* ({
    change,
    registration,
    requestId
  }: Cells.Change): Effect.fn.Return<Cells.Changed, SqlError> {
    const [line] = yield* sql<Columns & { readonly new_lease: BigInteger }>`
      SELECT pawl_requests.*, ${sql.literal(leaseId)} AS new_lease FROM pawl_requests
      WHERE request_id = ${requestId} ${forUpdate}`
    const before = line && rowOf(line)
    const after = before && change(before, () => Number(line.new_lease))
    if (after === undefined) return { before, after, refusal: undefined }
    yield* statements.update(after)
    if (after.dueAt !== undefined) yield* opened
    if (registration === undefined) return { before, after, refusal: undefined }
    const registered = yield* register(registration.registration, registration.at)
    yield* sql.afterCommit(wake(registration.at))
    return {
      before,
      after,
      refusal: Result.isFailure(registered) ? registered.failure : undefined
    }
  })

  /** Translates `RequestRule.lease`, for the rows of `RequestTimes.isClaimable`. */
  const claim = Effect.fnUntraced(function* ({
    at,
    limit,
    until
  }: Parameters<Cells.Cells["claim"]>[0]) {
    const latest = at + RequestTimes.maxWait
    const [next] = yield* sql<{ readonly soonest: BigInteger | null; readonly last: BigInteger }>`
      SELECT min(claimable_at) AS soonest, max(claimable_at) AS last FROM pawl_requests
      WHERE claimable_at IS NOT NULL`
    if (next === undefined || next.soonest === null) return { rows: [], dueAt: undefined }
    const soonest = Number(next.soonest)
    if (soonest > at && Number(next.last) <= latest) return { rows: [], dueAt: soonest }
    const skipLocked = sql.literal(
      sql.onDialectOrElse({ pg: () => "FOR UPDATE SKIP LOCKED", orElse: () => "" })
    )
    const lines = yield* sql<Columns>`UPDATE pawl_requests SET
        lease = ${sql.literal(leaseId)}, lease_until = ${until}, due_at = NULL, attempts = attempts + 1,
        lease_in_doubt = CASE WHEN begun_at IS NULL THEN 0 ELSE 1 END
      WHERE request_id IN (SELECT request_id FROM pawl_requests
        WHERE claimable_at IS NOT NULL AND (claimable_at <= ${at} OR claimable_at > ${latest})
        ORDER BY claimable_at LIMIT ${limit} ${skipLocked})
      RETURNING *`
    const [left] = yield* sql<{ readonly soonest: BigInteger | null }>`
      SELECT min(claimable_at) AS soonest FROM pawl_requests WHERE claimable_at IS NOT NULL`
    return {
      rows: lines.map((line) => rowOf(line) as LeasedRequest),
      dueAt: left === undefined || left.soonest === null ? undefined : Number(left.soonest)
    }
  })

  const parked: Cells.Cells["parked"] = ({ after, limit }) =>
    unavailable(
      Effect.map(
        run(
          sql<Columns>`SELECT * FROM pawl_requests WHERE parked_at ${
            after === undefined
              ? sql.literal("IS NOT NULL")
              : sql`>= ${after.at} AND (parked_at, request_id) > (${after.at}, ${after.requestId})`
          } ORDER BY parked_at, request_id LIMIT ${limit}`
        ),
        (lines) => lines.map(rowOf).filter(isParked)
      )
    )

  const deleteTexts = ({ before, limit }: Parameters<Cells.Cells["deleteTexts"]>[0]) =>
    Effect.map(
      sql`UPDATE pawl_requests SET body = NULL, answer = NULL WHERE request_id IN (
          SELECT request_id FROM pawl_requests
          WHERE settled_at < ${before} AND (body IS NOT NULL OR answer IS NOT NULL)
          ORDER BY settled_at LIMIT ${limit})
        RETURNING request_id`,
      (lines) => lines.length
    )

  const store = Cells.store({
    write: (request, options) =>
      unavailable(atomically(request.requestId, write(request, options))),
    get: (requestId) => unavailable(read(requestId)),
    change: (options) => unavailable(atomically(options.requestId, change(options))),
    claim: (options) =>
      unavailable(run(Effect.andThen(clock?.refresh ?? Effect.void, claim(options)))),
    parked,
    /** Translates `RequestRule.deleteTexts`. */
    deleteTexts: (options) => unavailable(run(deleteTexts(options))),
    isInTransaction,
    ...(clock && { time: clock.time }),
    awaitWork: Effect.andThen(work.await, Effect.asVoid(work.close)),
    pollInterval
  })

  // Most rows name no open request, so it is read before a transaction is begun.
  const find: Made["find"] = Effect.fnUntraced(function* (requestId: string, found: Row) {
    const request = yield* read(requestId)
    if (request === undefined || RequestRule.find(request, found) === undefined) return
    yield* atomically(
      requestId,
      change({ requestId, change: (row) => RequestRule.find(row, found) })
    )
  })
  return { store, find }
})

/** The statements of every send. Their texts are made once, because that takes longer than to run them. */
const statementsOf = (sql: SqlClient, leaseId: string) => {
  const placeholder = sql.onDialectOrElse({
    pg: () => (index: number) => `$${index + 1}`,
    orElse: () => () => "?"
  })
  const { lease: _, ...parts } = { ...lasting, ...changing }
  const insert = (lease: string) => `INSERT INTO pawl_requests (${Object.keys(parts).join()}, lease)
    VALUES (${Object.keys(parts)
      .map((_, index) => placeholder(index))
      .join()}, ${lease})
    ON CONFLICT (request_id) DO NOTHING RETURNING lease`
  const [leased, due] = [insert(leaseId), insert("NULL")]
  const names = Object.keys(changing)
  const update = `UPDATE pawl_requests
    SET ${names.map((name, index) => `${name} = ${placeholder(index)}`).join()}
    WHERE request_id = ${placeholder(names.length)}`
  return {
    insert: (row: RequestRow) =>
      sql.unsafe<Pick<Columns, "lease">>(
        row.lease === undefined ? due : leased,
        Object.values(parts).map((valueOf) => valueOf(row))
      ),
    update: (row: RequestRow) =>
      sql.unsafe(update, [...Object.values(changing).map((valueOf) => valueOf(row)), row.requestId])
  }
}
