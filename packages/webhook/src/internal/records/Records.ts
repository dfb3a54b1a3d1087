/**
 * The port of the engine: what a store of documents does.
 *
 * A document is a value under a key, in a collection, with a version. The engine (`internal/records/Engine`) loads documents,
 * changes them by pure functions, and gives them to a store with the version that it changed. A store writes a document only
 * if it still has that version, so no change is lost, whichever process makes it. A store knows nothing else: no SQL states a
 * rule.
 *
 * Beside its document a key may have texts, such as the bodies of callbacks: bytes that are read rarely and deleted earlier.
 *
 * A store finds documents by their keys and by their `Index`: the times at which they are due, and their place in a list. The
 * engine computes the index from the document with each write.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Engines } from "./Engines.ts"

/**
 * Service that changes documents: one engine, or one for each shard. The layers of a store provide it, and the ledger and the
 * request store are rules over it.
 */
export class Records extends Context.Service<Records, Engines>()(
  "@pawl/webhook/internal/records/Records"
) {}

export type Collection = "transactions" | "requests" | "quarantine" | "settings"

export const laneCount = 5

/**
 * The fields by which a store finds a document. Times are milliseconds since the epoch.
 *
 * - `due`: for each lane, the earliest time at which a part of the document may be leased; undefined if there is none.
 * - `listed`: the first and the last time under which the document is in the list of its collection; undefined if it is not.
 * - `parts`: the number of parts of the document that may be due.
 * - `related`: the name of something that the document belongs to; undefined if there is none.
 */
export interface Index {
  readonly due: ReadonlyArray<number | undefined>
  readonly listed: readonly [first: number, last: number] | undefined
  readonly parts: number
  readonly related: string | undefined
}

/** A document as it is stored. `listedAt` is the first time under which it is listed, if it was found in the list. */
export interface Line<Stored> {
  readonly key: string
  readonly version: number
  readonly document: Stored
  readonly listedAt?: number | undefined
}

/** A text beside a document. `at` is the time of the text. */
export interface Text {
  readonly name: string
  readonly at: number
  readonly bytes: Uint8Array
}

/**
 * A write of one document. Versions never restart: that of a new document is drawn, so a key that is deleted and made again is
 * not taken for the old one.
 *
 * - `expected`: the version that the document must have; undefined if there must be none.
 * - `document`: the new document; undefined to delete it with its texts.
 * - `put`, `remove`: the texts that are written, and the names of those that are deleted.
 */
export interface Write<Stored> {
  readonly key: string
  readonly expected: number | undefined
  readonly version: number
  readonly document: Stored | undefined
  readonly index: Index
  readonly put: ReadonlyArray<Text>
  readonly remove: ReadonlyArray<string>
}

/**
 * The documents that are due in a lane from one time to another, at most `limit`, in the order of their times.
 *
 * - `after`: only documents behind this key, of those that are due at `from`. Documents of one time are in the order of their
 *   keys then; without it in any order, because many may be due at the same time.
 * - `isNewestFirst`: the order is reversed.
 * - `isTimesOnly`: the documents are left out.
 */
export interface DueRange {
  readonly lane: number
  readonly from: number
  readonly to: number
  readonly limit: number
  readonly after?: string | undefined
  readonly isNewestFirst?: boolean | undefined
  readonly isTimesOnly?: boolean | undefined
}

/** A document that was found by its time. `range` is the position of its range. */
export interface DueLine<Stored> extends Omit<Line<Stored>, "document"> {
  readonly range: number
  readonly at: number
  readonly document: Stored | undefined
}

/** The place of a document in the list of its collection. */
export interface ListPlace {
  readonly at: number
  readonly key: string
}

/** The place of a text among those of its collection, which are ordered by time, key and name. */
export interface TextPlace extends ListPlace {
  readonly name: string
}

/** The documents that are due at a time, or are listed. Those of several parts are returned, the others are counted. */
export interface Counts<Stored> {
  readonly due: number
  readonly listed: number
  readonly several: ReadonlyArray<Line<Stored>>
}

/** A call of a store. It returns after its commit; in a transaction (`atomically`, or one of the merchant) it is part of that. */
type Call<A> = Effect.Effect<A, SqlError>

/** A store of documents. */
export interface Store<Stored> {
  /**
   * Writes documents, each all or nothing. Returns those that were not written, because their versions differ, with the present
   * document if it was read. With `skipsLocked` it does not wait for documents that another process has locked.
   */
  readonly commit: (
    collection: Collection,
    writes: ReadonlyArray<Write<Stored>>,
    skipsLocked?: boolean
  ) => Call<ReadonlyMap<string, Line<Stored> | undefined>>
  /** Reads documents. With `isLocked` no other process changes them before the end of the transaction. */
  readonly load: (
    collection: Collection,
    keys: ReadonlyArray<string>,
    isLocked?: boolean
  ) => Call<ReadonlyArray<Line<Stored>>>
  /** Finds documents by the times at which they are due. */
  readonly due: (
    collection: Collection,
    ranges: ReadonlyArray<DueRange>
  ) => Call<ReadonlyArray<DueLine<Stored>>>
  /** Returns up to `limit` listed documents from a place on, and all of several list times that are listed behind it. */
  readonly list: (
    collection: Collection,
    options: { readonly from: ListPlace; readonly limit: number }
  ) => Call<ReadonlyArray<Line<Stored>>>
  /** Returns up to `limit` documents behind a key, in the order of the keys: all, or those that are related to a name. */
  readonly page: (collection: Collection, page: Page) => Call<ReadonlyArray<Line<Stored>>>
  readonly text: (collection: Collection, key: string, name: string) => Call<Uint8Array | undefined>
  /** Returns the places of texts before a time. */
  readonly texts: (
    collection: Collection,
    options: { readonly before: number; readonly after: TextPlace; readonly limit: number }
  ) => Call<ReadonlyArray<TextPlace>>
  readonly count: (collection: Collection, at: number) => Call<Counts<Stored>>
  /** The bytes that the store has on its disk, without those that are free. */
  readonly bytes: Call<number>
  /** Makes one commit of several effects if that saves a flush of the disk. */
  readonly together: <A, E>(work: Effect.Effect<A, E>) => Effect.Effect<A, E | SqlError>
  /** Makes one transaction of several effects. */
  readonly atomically: <A, E>(work: Effect.Effect<A, E>) => Effect.Effect<A, E | SqlError>
  readonly isInTransaction: Effect.Effect<boolean>
  readonly afterCommit: (effect: Effect.Effect<void>) => Effect.Effect<void>
  /** The number of commits at a time that the store is made for. */
  readonly committers: number
}

export interface Page {
  readonly after: string
  readonly limit: number
  readonly related?: string | undefined
}
