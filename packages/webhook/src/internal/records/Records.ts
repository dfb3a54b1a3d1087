/**
 * The port of the engine.
 *
 * A document is a value under a key, in a collection, with a version. A store writes a document
 * only if it still has the expected version. No rule is stated in SQL.
 *
 * A key may have texts beside its document, such as the bodies of callbacks.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Engines } from "./Engines.ts"

export class Records extends Context.Service<Records, Engines>()(
  "@pawl/webhook/internal/records/Records"
) {}

export const collections = ["transactions", "requests", "quarantine", "settings"] as const

export type Collection = (typeof collections)[number]

export const laneCount = 5

/** The fields by which a store finds a document; times are milliseconds since the epoch. */
export interface Index {
  /** The time from which a part of the document may be leased, for each lane. */
  readonly due: ReadonlyArray<number | undefined>
  /** The first and the last time in the list of its collection. */
  readonly listed: readonly [first: number, last: number] | undefined
  /** The number of parts that may be due. */
  readonly parts: number
  readonly related: string | undefined
}

export interface Line<Stored> {
  readonly key: string
  /** The version, which never restarts: a new document draws one. */
  readonly version: number
  readonly document: Stored
  readonly listedAt?: number | undefined
}

export interface Text {
  readonly name: string
  readonly at: number
  readonly bytes: Uint8Array
}

export interface Write<Stored> {
  readonly key: string
  /** The version before the write; undefined if there must be no document. */
  readonly expected: number | undefined
  readonly version: number
  /** The document; undefined deletes it and all its texts, those of a missing document too. */
  readonly document: Stored | undefined
  readonly index: Index
  readonly put: ReadonlyArray<Text>
  readonly remove: ReadonlyArray<string>
}

export interface DueRange {
  readonly lane: number
  readonly from: number
  readonly to: number
  readonly limit: number
  /** The key behind which the documents of the time `from` begin; then keys order those of a time. */
  readonly after?: string | undefined
  /** Needs a range without `after`. */
  readonly isNewestFirst?: boolean | undefined
  readonly isTimesOnly?: boolean | undefined
}

export interface DueLine<Stored> extends Omit<Line<Stored>, "document"> {
  readonly range: number
  readonly at: number
  readonly document: Stored | undefined
}

export interface ListPlace {
  readonly at: number
  readonly key: string
}

export interface TextPlace extends ListPlace {
  readonly name: string
}

export interface Counts<Stored> {
  readonly due: number
  readonly listed: number
  readonly several: ReadonlyArray<Line<Stored>>
}

/** Call of the store, which returns after its commit, or inside the transaction of the caller. */
type Call<A> = Effect.Effect<A, SqlError>

export interface Store<Stored> {
  /** Commits writes, each document all or nothing, and returns those whose versions differ. */
  readonly commit: (
    collection: Collection,
    writes: ReadonlyArray<Write<Stored>>,
    skipsLocked?: boolean
  ) => Call<ReadonlyMap<string, Line<Stored> | undefined>>
  /** Reads documents; `isLocked` locks them until the end of the transaction. */
  readonly load: (
    collection: Collection,
    keys: ReadonlyArray<string>,
    isLocked?: boolean
  ) => Call<ReadonlyArray<Line<Stored>>>
  readonly due: (
    collection: Collection,
    ranges: ReadonlyArray<DueRange>
  ) => Call<ReadonlyArray<DueLine<Stored>>>
  /** Returns up to `limit` documents, then all with several list times. */
  readonly list: (
    collection: Collection,
    options: { readonly from: ListPlace; readonly limit: number }
  ) => Call<ReadonlyArray<Line<Stored>>>
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
  readonly committers: number
}

export interface Page {
  readonly after: string
  readonly limit: number
  readonly related?: string | undefined
}
