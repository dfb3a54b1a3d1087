/**
 * A request store over cells: a place that keeps rows, and changes one by a pure function in one durable step.
 */
import type { StoreUnavailable } from "@pawl/core/CallbackError"
import * as Effect from "effect/Effect"
import type { RegisteredDifferently } from "../../Order.ts"
import { isLeased, type LeasedRequest, type RequestRow } from "../../RequestRow.ts"
import * as RequestRule from "../../RequestRule.ts"
import * as RequestTimes from "../../RequestTimes.ts"
import type { RequestStore } from "../../RequestStore.ts"
import type { Registration } from "../../Row.ts"

type Service = RequestStore["Service"]

/** A change of one row. The registration is made in the same step, if the row changes. */
export interface Change {
  readonly requestId: string
  /** Returns the changed row; undefined if nothing changes. `newLease` draws the id of a lease. */
  readonly change: (row: RequestRow, newLease: () => number) => RequestRow | undefined
  readonly registration?: { readonly registration: Registration; readonly at: number } | undefined
}

/** The row before and after a change, and whether the ledger refused the registration. */
export interface Changed {
  readonly before: RequestRow | undefined
  readonly after: RequestRow | undefined
  readonly refusal: RegisteredDifferently | undefined
}

/** The operations that a store in memory and one in SQL have on their own. */
export interface Cells extends Pick<
  Service,
  | "awaitWork"
  | "deleteTexts"
  | "get"
  | "isInTransaction"
  | "parked"
  | "pollInterval"
  | "time"
  | "write"
> {
  readonly change: (change: Change) => Effect.Effect<Changed, StoreUnavailable>
  readonly claim: (
    options: Omit<Parameters<Service["claim"]>[0], "requestId">
  ) => ReturnType<Service["claim"]>
}

/** Makes the store. */
export const store = ({ change, claim, ...cells }: Cells): Service => {
  const changed = (requestId: string, by: Change["change"]) =>
    Effect.map(change({ requestId, change: by }), ({ after }) => after)

  const leasedOf = (row: RequestRow | undefined): LeasedRequest | undefined =>
    row !== undefined && isLeased(row) ? row : undefined

  const claimOne = (requestId: string, { at, until }: { at: number; until: number }) =>
    Effect.map(
      changed(requestId, (row, newLease) =>
        RequestTimes.isIdle(row, at) ? RequestRule.lease(row, { id: newLease(), until }) : undefined
      ),
      (row) => {
        const leased = leasedOf(row)
        return { rows: leased === undefined ? [] : [leased], dueAt: undefined }
      }
    )

  return {
    ...cells,
    claim: ({ requestId, ...options }) =>
      requestId === undefined ? claim(options) : claimOne(requestId, options),
    restart: (request, { at, until }) =>
      changed(request.requestId, (row, newLease) =>
        RequestRule.restart(
          row,
          request,
          at,
          until === undefined ? undefined : { id: newLease(), until }
        )
      ),
    begin: (leased, { at, window }) =>
      Effect.map(
        changed(leased.requestId, (row) => RequestRule.begin(row, leased.lease.id, at, window)),
        leasedOf
      ),
    renew: (leased, until) =>
      Effect.map(
        changed(leased.requestId, (row) => RequestRule.renew(row, leased.lease.id, until)),
        (row) => row !== undefined
      ),
    release: (leased, options) =>
      changed(leased.requestId, (row) => RequestRule.release(row, leased.lease.id, options)),
    park: (leased, reason, at) =>
      changed(leased.requestId, (row) => RequestRule.park(row, leased.lease.id, reason, at)),
    settle: (requestId, settlement, registration) =>
      Effect.map(
        change({
          requestId,
          change: (row) => RequestRule.settle(row, settlement),
          registration: registration && { registration, at: settlement.at }
        }),
        ({ after, before, refusal }) => ({
          row: after ?? before,
          isSettled: after !== undefined,
          refusal
        })
      ),
    find: (requestId, found) =>
      Effect.asVoid(changed(requestId, (row) => RequestRule.find(row, found))),
    cancel: (requestId, at) =>
      Effect.map(
        changed(requestId, (row) => RequestRule.cancel(row, at)),
        (row) => row !== undefined
      ),
    redrive: (requestId, redrive) =>
      Effect.map(
        changed(requestId, (row) => RequestRule.redrive(row, redrive)),
        (row) => row !== undefined
      )
  }
}
