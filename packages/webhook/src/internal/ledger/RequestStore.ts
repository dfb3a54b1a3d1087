/**
 * The request store: durable storage of requests that are made to the service, in the database of the ledger.
 *
 * **Details**
 *
 * A request is written before its first byte leaves, and settled when its outcome is known. The outcome is written
 * together with the registration of its transaction, so the ledger and the store tell one story. `RequestRule` states
 * exactly how each operation changes a row.
 *
 * Every operation takes the time as a parameter. A transaction that no response named settles the request too: if
 * the token of its callback URL names the request and the service has confirmed a status, the ledger settles the request
 * when the lease of the row ends (`RequestRule.find`).
 */
import type { StoreUnavailable } from "@pawl/core/CallbackError"
import type * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Requests from "./Requests.ts"
import { Ledger } from "../../Ledger.ts"
import type { RegisteredDifferently } from "../rule/Order.ts"
import type {
  LeasedRequest,
  NewRequest,
  ParkedRequest,
  ParkReason,
  Redrive,
  Release,
  RequestRow,
  Settlement
} from "../rule/RequestRow.ts"
import { Records } from "../records/Records.ts"
import type { Registration, Row } from "../rule/Row.ts"

/**
 * Service that keeps requests.
 *
 * - `write` writes a new request. With `until` it is begun, and leased until then. If there is a request with the
 *   requestId, nothing is written, and `isNew` is false. In a transaction of the database it is part of that.
 * - `restart` writes a request anew whose attempt surely had no effect, and returns its row; undefined for any other. With
 *   `until` it is begun, and leased until then. A request that has expired meanwhile is settled so.
 * - `get` finds a request.
 * - `claim` leases up to `limit` requests that are due, oldest first, until `until`. `dueAt` is when the next one may be
 *   claimed. With `requestId` it leases that one, due or not, if no other process works on it.
 * - `begin` begins an attempt under a lease; undefined if the lease was lost, or the request may not be sent any more.
 * - `renew` sets the end of a lease, and returns false if the lease was lost.
 * - `release` ends a lease without an outcome. It returns the row; undefined if the lease was lost.
 * - `park` ends a lease and leaves the request to a person; undefined if the lease was lost.
 * - `settle` writes an outcome, and registers the transaction in the ledger, in one transaction.
 * - `find` settles a request by the row of a transaction that names it (`RequestRule.find`).
 * - `cancel` settles a request whose first byte cannot have left, and returns whether it did.
 * - `redrive` makes a parked or found request due again, and returns whether it did.
 * - `parked` lists a page of the parked requests, oldest first: those behind `after`.
 * - `deleteTexts` deletes the sealed texts of up to `limit` requests that were settled before `before`, and returns of how
 *   many. The digest and the outcome stay.
 * - `isInTransaction` tells whether the caller is in a transaction of the database.
 * - `time`, `awaitWork`, `pollInterval` are as in `Ledger`.
 */
export class RequestStore extends Context.Service<
  RequestStore,
  {
    readonly write: (
      request: NewRequest,
      options: { readonly at: number; readonly until?: number | undefined }
    ) => Effect.Effect<{ readonly row: RequestRow; readonly isNew: boolean }, StoreUnavailable>
    readonly restart: (
      request: NewRequest,
      options: { readonly at: number; readonly until?: number | undefined }
    ) => Effect.Effect<RequestRow | undefined, StoreUnavailable>
    readonly get: (requestId: string) => Effect.Effect<RequestRow | undefined, StoreUnavailable>
    readonly claim: (options: {
      readonly at: number
      readonly until: number
      readonly limit: number
      readonly requestId?: string | undefined
    }) => Effect.Effect<
      { readonly rows: ReadonlyArray<LeasedRequest>; readonly dueAt: number | undefined },
      StoreUnavailable
    >
    readonly begin: (
      leased: LeasedRequest,
      options: { readonly at: number; readonly window: number }
    ) => Effect.Effect<LeasedRequest | undefined, StoreUnavailable>
    readonly renew: (
      leased: LeasedRequest,
      until: number
    ) => Effect.Effect<boolean, StoreUnavailable>
    readonly release: (
      leased: LeasedRequest,
      release: Release
    ) => Effect.Effect<RequestRow | undefined, StoreUnavailable>
    readonly park: (
      leased: LeasedRequest,
      reason: ParkReason,
      at: number
    ) => Effect.Effect<RequestRow | undefined, StoreUnavailable>
    readonly settle: (
      requestId: string,
      settlement: Settlement,
      registration?: Registration
    ) => Effect.Effect<Settled, StoreUnavailable>
    readonly find: (requestId: string, found: Row) => Effect.Effect<void, StoreUnavailable>
    readonly cancel: (requestId: string, at: number) => Effect.Effect<boolean, StoreUnavailable>
    readonly redrive: (
      requestId: string,
      redrive: Redrive
    ) => Effect.Effect<boolean, StoreUnavailable>
    readonly parked: (page: {
      readonly limit: number
      readonly after?: { readonly at: number; readonly requestId: string } | undefined
    }) => Effect.Effect<ReadonlyArray<ParkedRequest>, StoreUnavailable>
    readonly deleteTexts: (options: {
      readonly before: number
      readonly limit: number
    }) => Effect.Effect<number, StoreUnavailable>
    readonly isInTransaction: Effect.Effect<boolean>
    readonly time?: (clock: Clock.Clock) => number
    readonly awaitWork: Effect.Effect<void>
    readonly pollInterval: Duration.Duration
  }
>()("@pawl/webhook/internal/ledger/RequestStore") {}

/**
 * The result of settling a request.
 *
 * - `row`: the row as it is now; undefined if there is no such request.
 * - `isSettled`: whether this call wrote the outcome. If not, another outcome was written before, or the lease was lost.
 * - `refusal`: the error of the registration, if the ledger refused it. The outcome is written all the same.
 */
export interface Settled {
  readonly row: RequestRow | undefined
  readonly isSettled: boolean
  readonly refusal: RegisteredDifferently | undefined
}

/** Layer that keeps requests beside a ledger, in its store. */
export const layerMemory: Layer.Layer<RequestStore, never, Ledger | Records> =
  // PURE: a bundle of a receiver drops this.
  /* @__PURE__ */ Layer.effect(
    RequestStore,
    /* @__PURE__ */ Effect.gen(function* () {
      return Requests.make(yield* Records, yield* Ledger)
    })
  )
