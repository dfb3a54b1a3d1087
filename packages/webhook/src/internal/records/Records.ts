/**
 * The port of the engine: a store of documents.
 *
 * A document is a value under a key, in a collection, with a version. The engine
 * (`internal/records/Engine`) loads documents, changes them by pure functions, and computes their
 * `Index`. A store writes a document only if it still has the expected version, so no change is
 * lost, whichever process makes it. No rule is stated in SQL.
 *
 * A key may have texts beside its document, such as the bodies of callbacks: bytes that are read
 * rarely and deleted earlier.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Engines } from "./Engines.ts"

/**
 * Service that changes documents, provided by the layers of a store. The ledger and the request
 * store are rules over it.
 */
export class Records extends Context.Service<Records, Engines>()(
  "@pawl/webhook/internal/records/Records"
) {}

export type Collection = "transactions" | "requests" | "quarantine" | "settings"

export const laneCount = 5

/** The fields by which a store finds a document. Times are milliseconds since the epoch. */
export interface Index {
  /** For each lane, the earliest time at which a part of the document may be leased. */
  readonly due: ReadonlyArray<number | undefined>
  /** The first and the last time of the document in the list of its collection. */
  readonly listed: readonly [first: number, last: number] | undefined
  /** The number of parts that may be due. */
  readonly parts: number
  /** The name of something that the document belongs to. */
  readonly related: string | undefined
}

export interface Line<Stored> {
  readonly key: string
  /**
   * Versions never restart: a new document draws one, so a key that is deleted and made again
   * differs from the old one.
   */
  readonly version: number
  readonly document: Stored
  /** The first list time, if the document was found in the list. */
  readonly listedAt?: number | undefined
}

export interface Text {
  readonly name: string
  readonly at: number
  readonly bytes: Uint8Array
}

export interface Write<Stored> {
  readonly key: string
  /** The version that the document must have; undefined if there must be none. */
  readonly expected: number | undefined
  readonly version: number
  /** Undefined deletes the document and its texts. */
  readonly document: Stored | undefined
  readonly index: Index
  readonly put: ReadonlyArray<Text>
  readonly remove: ReadonlyArray<string>
}

/** The documents of a lane that are due in a range of time, in the order of their times. */
export interface DueRange {
  readonly lane: number
  readonly from: number
  readonly to: number
  readonly limit: number
  /** Only documents behind this key, of those due at `from`; equal times in the order of keys. */
  readonly after?: string | undefined
  readonly isNewestFirst?: boolean | undefined
  readonly isTimesOnly?: boolean | undefined
}

export interface DueLine<Stored> extends Omit<Line<Stored>, "document"> {
  /** The position of its range. */
  readonly range: number
  readonly at: number
  readonly document: Stored | undefined
}

export interface ListPlace {
  readonly at: number
  readonly key: string
}

/** The place of a text, ordered by time, key and name. */
export interface TextPlace extends ListPlace {
  readonly name: string
}

/** The documents that are due or listed: those of several parts, and the number of the others. */
export interface Counts<Stored> {
  readonly due: number
  readonly listed: number
  readonly several: ReadonlyArray<Line<Stored>>
}

/**
 * Returns after its commit; inside `atomically` or a transaction of the merchant it is part of
 * that.
 */
type Call<A> = Effect.Effect<A, SqlError>

export interface Store<Stored> {
  /**
   * Writes each document all or nothing. Returns those whose versions differ, with the present
   * document if it was read. `skipsLocked` skips documents that another process has locked.
   */
  readonly commit: (
    collection: Collection,
    writes: ReadonlyArray<Write<Stored>>,
    skipsLocked?: boolean
  ) => Call<ReadonlyMap<string, Line<Stored> | undefined>>
  /** `isLocked` locks the documents until the end of the transaction. */
  readonly load: (
    collection: Collection,
    keys: ReadonlyArray<string>,
    isLocked?: boolean
  ) => Call<ReadonlyArray<Line<Stored>>>
  readonly due: (
    collection: Collection,
    ranges: ReadonlyArray<DueRange>
  ) => Call<ReadonlyArray<DueLine<Stored>>>
  /** Returns up to `limit` listed documents, and all with several list times behind them. */
  readonly list: (
    collection: Collection,
    options: { readonly from: ListPlace; readonly limit: number }
  ) => Call<ReadonlyArray<Line<Stored>>>
  /** Returns documents in the order of their keys. */
  readonly page: (collection: Collection, page: Page) => Call<ReadonlyArray<Line<Stored>>>
  readonly text: (collection: Collection, key: string, name: string) => Call<Uint8Array | undefined>
  readonly texts: (
    collection: Collection,
    options: { readonly before: number; readonly after: TextPlace; readonly limit: number }
  ) => Call<ReadonlyArray<TextPlace>>
  readonly count: (collection: Collection, at: number) => Call<Counts<Stored>>
  /** The bytes on the disk, without free pages. */
  readonly bytes: Call<number>
  /** Makes one commit of several effects if that saves a flush of the disk. */
  readonly together: <A, E>(work: Effect.Effect<A, E>) => Effect.Effect<A, E | SqlError>
  readonly atomically: <A, E>(work: Effect.Effect<A, E>) => Effect.Effect<A, E | SqlError>
  readonly isInTransaction: Effect.Effect<boolean>
  readonly afterCommit: (effect: Effect.Effect<void>) => Effect.Effect<void>
  /** The number of concurrent commits. */
  readonly committers: number
}

export interface Page {
  readonly after: string
  readonly limit: number
  readonly related?: string | undefined
}
