/**
 * The operations of a ledger, by who uses them: doors and merchants accept, people and pages read, workers work, and the cleaner
 * keeps the store small.
 *
 * Every operation that takes a time takes it in milliseconds since the epoch. It fails with `StoreUnavailable` if the store does
 * not do it within three seconds.
 */
import type { StoreUnavailable } from "@pawl/core/CallbackError"
import type { Method } from "@pawl/core/Kind"
import type { Status } from "@pawl/core/Status"
import type * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type { Note } from "../rule/Fact.ts"
import type { PerLane } from "../rule/Lane.ts"
import type { RegisteredDifferently } from "../rule/Order.ts"
import type { Reservation, Wanted } from "../rule/ReadBudget.ts"
import type { Erased } from "../rule/RowRule.ts"
import type {
  Change,
  DeadLetter,
  Key,
  Leased,
  Parked,
  ParkedKey,
  Registration,
  Row
} from "../rule/Row.ts"
import type { PageOptions, PlannedKey, PlannedPage, RowPage } from "../rule/RowPages.ts"
import type { Story } from "../rule/StoredRow.ts"
import type { Verified } from "../../Verifier.ts"

/** Operations of the receiver and of the merchant, who write callbacks and registrations. */
export interface Accepting {
  /** Stores a verified callback in its row. Only after that may the response be 200. */
  readonly accept: (verified: Verified, at: number) => Effect.Effect<Accepted, StoreUnavailable>
  /**
   * Makes a row for an operation, or takes the row that its callbacks made. A second registration changes nothing that was
   * ordered: with another account, amount or currency it fails.
   */
  readonly register: (
    registration: Registration,
    at: number
  ) => Effect.Effect<void, StoreUnavailable | RegisteredDifferently>
  /** Succeeds if the ledger can be written now. It makes a durable write of its own. */
  readonly checkWritable: Effect.Effect<void, StoreUnavailable>
}

/** Operations of people and pages, who read rows and decide on dead letters. */
export interface Reading {
  /**
   * Finds a row by method and id. If there are several, it returns the payment, else the payout, else the refund, else the row
   * whose kind is not known.
   */
  readonly get: (
    method: Method,
    transactionId: string
  ) => Effect.Effect<Row | undefined, StoreUnavailable>
  /** Returns the rows of a method and id with their facts. */
  readonly story: (
    method: Method,
    transactionId: string
  ) => Effect.Effect<ReadonlyArray<Story>, StoreUnavailable>
  /**
   * Looks at up to `limit` rows behind `after`, in the order of their keys, and returns those that were created at `from` or
   * later and before `before`. `last` is the key of the last row that it looked at; undefined if there are no more.
   */
  readonly page: (options: PageOptions) => Effect.Effect<RowPage, StoreUnavailable>
  /**
   * Returns the body of the newest callback of a row that claims a status, as the bytes that came; undefined if there is none or
   * it was deleted.
   */
  readonly body: (
    key: Required<Key>,
    status: Status
  ) => Effect.Effect<Uint8Array | undefined, StoreUnavailable>
  /** Lists a page of the dead letters, oldest first: those behind `after`, of one `reason` if there is one. */
  readonly deadLetters: (page: {
    readonly limit: number
    readonly after?: ParkedKey | undefined
    readonly reason?: DeadLetter["reason"] | undefined
  }) => Effect.Effect<ReadonlyArray<Parked>, StoreUnavailable>
  /**
   * Makes the dead letters that a key names due again, and returns false when the key names none. A `note` says who redrives
   * them, and why.
   */
  readonly redrive: (key: Key, at: number, note?: Note) => Effect.Effect<boolean, StoreUnavailable>
  /**
   * Redrives up to `limit` dead letters of a reason that were parked at `before` or earlier, oldest first, and returns their
   * number. The first is due at `dueAt`, and then `rate` of them in each second.
   */
  readonly redriveAll: (options: {
    readonly reason: DeadLetter["reason"]
    readonly before: number
    readonly dueAt: number
    readonly rate: number
    readonly limit: number
    readonly note?: Note | undefined
  }) => Effect.Effect<number, StoreUnavailable>
  /** Counts the rows that are due at a time, and the dead letters. */
  readonly backlog: (at: number) => Effect.Effect<Backlog, StoreUnavailable>
  /**
   * Lists the verified callbacks that cannot be acted on, oldest first. At most 16 bodies of a transaction are kept, each once:
   * the first 15 and the last one.
   */
  readonly quarantined: Effect.Effect<ReadonlyArray<Verified>, StoreUnavailable>
  /**
   * Returns the time of the ledger, in milliseconds since the epoch, from the clock of the process; with a key that of the shard
   * of its transaction. Without it the clock of the process counts.
   */
  readonly time?: (
    clock: Clock.Clock,
    key?: { readonly method: Method; readonly transactionId: string }
  ) => number
}

/** Operations of a worker. */
export interface Working {
  /**
   * Leases up to `limit` rows of each lane that are due, oldest first, until `until`. Of those in the lane of first reads,
   * `newest` are the newest instead of the oldest; 0 by default, and at most the limit of that lane. `dueAt` is when the next row
   * may be claimed in the lanes whose limit is not 0; undefined when no row may be.
   */
  readonly claim: (options: {
    readonly at: number
    readonly until: number
    readonly limit: number | PerLane
    readonly newest?: number | undefined
  }) => Effect.Effect<
    { readonly rows: ReadonlyArray<Leased>; readonly dueAt: number | undefined },
    StoreUnavailable
  >
  /**
   * Changes a leased row and returns the changed row; undefined when the lease was lost. If another row of the id has the kind in
   * the change, the leased row is joined to that row and removed, and the result is undefined too.
   */
  readonly write: (
    leased: Leased,
    change: Change
  ) => Effect.Effect<Leased | undefined, StoreUnavailable>
  /**
   * Corrects rows after the clock was set back by `by` milliseconds to `at`, where they would be due too late: those due within
   * twice that time and the time of a lease are due earlier by it, and no lease ends after `until`.
   */
  readonly shift: (options: {
    readonly at: number
    readonly by: number
    readonly until: number
  }) => Effect.Effect<void, StoreUnavailable>
  /** Stores the time at which a worker is alive. */
  readonly noteAlive: (at: number) => Effect.Effect<void, StoreUnavailable>
  /** Returns the last time at which a worker was alive; undefined if there is none. */
  readonly lastAliveAt: Effect.Effect<number | undefined, StoreUnavailable>
  /**
   * Brings a page of planned reads forward, and returns the place of the last of them, or undefined if there is no further page
   * (`RowPages.bringForward`).
   */
  readonly bringForward: (
    page: PlannedPage
  ) => Effect.Effect<PlannedKey | undefined, StoreUnavailable>
  /**
   * Reserves reads of the service from the budget that all processes of the ledger share (`ReadBudget`). The clock of the
   * database decides, where there is one.
   */
  readonly reserveReads: (
    wanted: Wanted,
    at: number
  ) => Effect.Effect<Reservation, StoreUnavailable>
  /** Lowers the rate of the read budget after a 429. */
  readonly lowerReads: (
    by: { readonly limit: number; readonly retryAfter?: number | undefined },
    at: number
  ) => Effect.Effect<void, StoreUnavailable>
  /** Completes when a row was made due or released in this process since it last completed. */
  readonly awaitWork: Effect.Effect<void>
  /**
   * The longest wait before a worker looks for rows that other processes made due. It is infinite for a ledger that ends with
   * its process.
   */
  readonly pollInterval: Duration.Duration
}

/** Operations of the cleaner, and of a person who erases. */
export interface Keeping {
  /**
   * Deletes the bodies of callbacks that came before `before`, except those of dead letters: at most `limit` accepted ones and
   * `limit` quarantined ones. It returns the number deleted, and 0 if there is none left. Rows and counts stay.
   */
  readonly deleteBodies: (options: {
    readonly before: number
    readonly limit: number
  }) => Effect.Effect<number, StoreUnavailable>
  /**
   * Deletes up to `limit` transactions all of whose rows had their last new status before `before`, except those that are open,
   * leased or parked (`Retention.isDeletable`), and returns their number. The ledger does not know them afterwards.
   */
  readonly deleteOld: (options: {
    readonly before: number
    readonly limit: number
  }) => Effect.Effect<number, StoreUnavailable>
  /** Deletes what a person has written, or is named in, from the rows of a transaction and from its requests. The rows stay. */
  readonly erase: (method: Method, transactionId: string) => Effect.Effect<Erased, StoreUnavailable>
  /** Rewrites the store, so that deleted texts are in none of its files. Nothing can be written meanwhile. */
  readonly compact: Effect.Effect<void, StoreUnavailable>
}

/** All operations of a ledger. */
export interface Operations extends Accepting, Reading, Working, Keeping {
  /** The ledgers of which this one is made, each with its own work (`Shards`). */
  readonly shards?: ReadonlyArray<Operations>
}

/** The open work. */
export interface Backlog {
  /** The number of rows that may be claimed. */
  readonly due: number
  /** The time since which the oldest of these rows may be claimed; undefined when there is no such row. */
  readonly oldestDueAt: number | undefined
  /** The number of dead letters. */
  readonly deadLetters: number
}

/** The result of accepting a callback. */
export interface Accepted {
  /** False if a callback claimed the same status before. In quarantine, if the same body is stored already. */
  readonly isNew: boolean
  /** Whether the transaction had no more room in quarantine. */
  readonly hasReplaced?: boolean
}
