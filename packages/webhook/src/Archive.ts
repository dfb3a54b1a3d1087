/**
 * The archive of a ledger: finished transactions, by the month of their last new status.
 *
 * **Details**
 *
 * A ledger moves a finished transaction to its archive, so that its tables stay small for years. Every operation of the ledger
 * answers as before. An event for an archived transaction, such as a late chargeback, brings it back first, and so does a read of
 * its status that is due. It is archived again later.
 *
 * A transaction is finished when nothing new happened to it for some days, and no work on it is due in the next two days: an open
 * transaction is read more often than that. A dead letter is not finished.
 *
 * A ledger in memory keeps its rows where they are.
 *
 * @since 0.1.0
 */
import type { StoreUnavailable } from "@pawl/core/CallbackError"
import type { Method } from "@pawl/core/Kind"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type { Event } from "./Fact.ts"
import type { RowKey } from "./RowPages.ts"
import type { StoredRows } from "./StoredRow.ts"

/**
 * The operations of an archive.
 *
 * - `move` looks at up to `limit` rows behind `after`, in the order of their keys, and archives the finished ones. `last` is the
 *   key of the last row that it looked at; undefined if there are no more.
 * - `drop` deletes up to `limit` archived rows of old months, and returns their number. The ledger does not know their
 *   transactions any more.
 * - `erase` deletes what a person has written, or is named in, from the rows of a transaction, archived or not, and from its
 *   requests. `requestIds` are requests of the transaction that its rows in this ledger do not name, because the rows are in
 *   another shard.
 * - `compact` rewrites the store, so that deleted texts are in none of its files. Nothing can be written meanwhile.
 *
 * @category models
 * @since 0.1.0
 */
export interface Archive {
  readonly move: (page: MovePage) => Effect.Effect<Moved, StoreUnavailable>
  readonly drop: (options: DropOptions) => Effect.Effect<number, StoreUnavailable>
  readonly erase: (
    method: Method,
    transactionId: string,
    requestIds?: ReadonlyArray<string>
  ) => Effect.Effect<Erased, StoreUnavailable>
  readonly compact: Effect.Effect<void, StoreUnavailable>
}

/**
 * A page of rows to archive: those to which nothing new happened since `before`, and on which no work is due until `dueAfter`.
 * `dueAfter` is at least an hour later than the time of any process.
 *
 * @category models
 * @since 0.1.0
 */
export interface MovePage {
  readonly before: number
  readonly dueAfter: number
  readonly after?: RowKey | undefined
  readonly limit: number
}

/**
 * The months to drop: those before the `months` months that precede the month of `at`, in UTC. `limit` is the most rows of one call.
 *
 * @category models
 * @since 0.1.0
 */
export interface DropOptions {
  readonly at: number
  readonly months: number
  readonly limit: number
}

/**
 * The number of archived rows, and the key of the last row that was looked at; undefined if there are no more.
 *
 * @category models
 * @since 0.1.0
 */
export interface Moved {
  readonly moved: number
  readonly last: RowKey | undefined
}

/**
 * The result of an erase: the number of rows of the transaction, which stay, and the numbers of the bodies of callbacks, callbacks in
 * quarantine, notes of persons and requests whose texts were deleted. `open` is the number of its requests that are not settled
 * yet: their texts stay, because they may have to be sent again.
 *
 * @category models
 * @since 0.1.0
 */
export interface Erased {
  readonly rows: number
  readonly bodies: number
  readonly quarantined: number
  readonly notes: number
  readonly requests: number
  readonly open: number
}

/**
 * Error raised when the file of the archive beside a SQLite ledger is not that of the ledger, or lacks archived transactions.
 *
 * - `missing`: it is new, and the ledger has archived transactions.
 * - `older`: it is from a time before the ledger archived some of its transactions.
 * - `other`: it belongs to another ledger.
 *
 * @category errors
 * @since 0.1.0
 */
export class ArchiveMisplaced extends Data.TaggedError("ArchiveMisplaced")<{
  readonly reason: "missing" | "older" | "other"
  readonly file: string
}> {
  override get message() {
    return `The archive ${this.file} ${sentences[this.reason]}`
  }
}

const isLost = "if it is lost, pawl-receiver migrate --archive-lost goes on without them"

const sentences: Readonly<Record<ArchiveMisplaced["reason"], string>> = {
  missing: `has none of the transactions that this ledger has archived: put the file of the same backup there; ${isLost}`,
  older: `is older than this ledger and lacks archived transactions: put the file of the same or a later backup there; ${isLost}`,
  other:
    "belongs to another ledger: put that of this ledger there, or remove it from beside a new one"
}

/**
 * Erases the texts of rows: the bodies of their callbacks, and the notes of their redrives. The fields for accounting stay: ids,
 * orders, signed amounts, statuses, counts and times.
 *
 * @category reducers
 * @since 0.1.0
 */
export const eraseRows = (
  rows: StoredRows
): { readonly rows: StoredRows } & Pick<Erased, "bodies" | "notes"> => {
  const facts = rows.flatMap(({ facts: { kept } }) => kept)
  return {
    bodies: rows.flatMap((stored) => Object.keys(stored.bodies)).length,
    notes: facts.filter(isNote).length,
    rows: rows.map((stored) => ({
      ...stored,
      bodies: {},
      facts: {
        ...stored.facts,
        kept: stored.facts.kept.map((fact) =>
          isNote(fact) ? { ...fact, by: undefined, why: undefined } : fact
        )
      }
    }))
  }
}

const isNote = (fact: Event): boolean =>
  fact.fact === "redriven" && (fact.by !== undefined || fact.why !== undefined)
