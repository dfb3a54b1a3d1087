/**
 * Durable requests in the database of the ledger, each one document, changed by `RequestRule`.
 *
 * A settlement registers the transaction, and then writes the outcome. After a crash between the
 * two the next process repeats both.
 */
import type { Account } from "@pawl/core/Account"
import type { StoreUnavailable } from "@pawl/core/CallbackError"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Ledger } from "../../Ledger.ts"
import { requestLanes } from "../records/Codecs.ts"
import type { Records as Engine } from "../records/Engine.ts"
import { type Found, orDie } from "../records/Known.ts"
import * as Engines from "../records/Engines.ts"
import * as Records from "../records/Records.ts"
import { raiseAlarm } from "../rule/Counters.ts"
import type { RegisteredDifferently } from "../rule/Order.ts"
import {
  isLeased,
  isParked,
  type LeasedRequest,
  type NewRequest,
  type ParkedRequest,
  type ParkReason,
  type Redrive,
  type Release,
  type RequestRow,
  type Settlement
} from "../rule/RequestRow.ts"
import * as RequestRule from "../rule/RequestRule.ts"
import type { Registration, Row } from "../rule/Row.ts"
import { compareText } from "../rule/RowPages.ts"
import type { DeleteOptions } from "./Keeping.ts"
import * as LedgerOperations from "./LedgerOperations.ts"
import { earliest } from "./Reading.ts"
import { takeOwner } from "./Settings.ts"

export const make = (
  engines: Engines.Engines,
  { register }: Pick<Ledger["Service"], "register">
) => {
  const of = (requestId: string) => engines.of({ requestId })
  const pollInterval = Engines.pollInterval(engines)
  const isPolled = Duration.isFinite(pollInterval)
  /** A process that does not poll learns now that a caller's lease ended. */
  const wakes = (row: RequestRow | undefined) =>
    row?.dueAt !== undefined || (!isPolled && row?.lease !== undefined)

  const change = (
    requestId: string,
    rule: (row: RequestRow, version: number) => RequestRow | undefined
  ) =>
    of(requestId).change("requests", requestId, (row, version) => {
      const after = row && rule(row, version)
      return { value: after ?? row, result: { before: row, after }, wakes: wakes(after) }
    })
  const changed = (...of: Parameters<typeof change>) => readable(change(...of))
  const after = (...of: Parameters<typeof change>) =>
    Effect.map(changed(...of), ({ after }) => after)
  /** The change that a person asks for, which makes none to a request that cannot be read. */
  const isChanged = (...of: Parameters<typeof change>) =>
    change(...of).pipe(
      Effect.map(({ after }) => after !== undefined),
      Effect.catchTag("Unreadable", () => Effect.succeed(false))
    )

  let turn = 0

  return {
    /**
     * Writes a new request; `until` begins it under a lease. If the requestId exists, nothing is
     * written, and `isNew` is false. A row that cannot be read is as `parked` lists it. Inside a
     * transaction of the database it is part of that.
     */
    write: (request: NewRequest, { at, until }: Begin) =>
      Effect.gen(function* () {
        const { requestId } = request
        const home = of(requestId)
        const opened = yield* Effect.filter(engines.own, ({ isInTransaction }) => isInTransaction)
        if (opened.some((records) => records !== home)) return yield* Effect.die(otherShard)
        return yield* home
          .change("requests", requestId, (row, id) => {
            if (row !== undefined) return { value: row, result: { row, isNew: false } }
            const lease = until === undefined ? undefined : { id, until }
            const written = RequestRule.write(request, at, lease)
            return { value: written, result: { row: written, isNew: true }, wakes: wakes(written) }
          })
          .pipe(
            Effect.catchTag("Unreadable", ({ at }) =>
              Effect.succeed({ row: RequestRule.unreadable(requestId, at), isNew: false })
            )
          )
      }),
    /**
     * Writes a request anew that was surely never sent, and returns its row; undefined for
     * any other. An expired one is settled.
     */
    restart: (request: NewRequest, { at, until }: Begin) =>
      after(request.requestId, (row, id) =>
        RequestRule.restart(row, request, at, until === undefined ? undefined : { id, until })
      ),
    /** Returns a request; one that cannot be read as `parked` lists it. */
    get: (requestId: string) =>
      Effect.catchTag(of(requestId).get("requests", requestId), "Unreadable", ({ at }) =>
        Effect.succeed(RequestRule.unreadable(requestId, at))
      ),
    /**
     * Leases up to `limit` due requests until `until`, oldest first, or that of `requestId`, due or
     * not, unless another process works on it. `dueAt` is when the next one may be claimed,
     * `failure` the error of one of several shards or requests.
     */
    claim: Effect.fnUntraced(function* ({
      requestId,
      ...options
    }: Claim & { readonly requestId?: string | undefined }): Effect.fn.Return<
      Claimed,
      StoreUnavailable
    > {
      if (requestId !== undefined) {
        const { at, until } = options
        const row = yield* after(requestId, (row, id) =>
          RequestRule.isIdle(row, at) ? RequestRule.lease(row, { id, until }) : undefined
        )
        return { rows: row !== undefined && isLeased(row) ? [row] : [], dueAt: undefined }
      }
      turn++
      const { length } = engines.own
      const claims = yield* Effect.forEach(
        engines.own,
        (records, position) => {
          const limit = Math.floor((options.limit + ((position + turn) % length)) / length)
          const claimed = claimIn(records, { ...options, limit })
          return length === 1
            ? claimed
            : claimed.pipe(Effect.catch((failure) => Effect.succeed({ ...nothing, failure })))
        },
        { concurrency: "unbounded" }
      )
      return {
        rows: claims.flatMap(({ rows }) => rows),
        dueAt: earliest(claims.map(({ dueAt }) => dueAt)),
        failure: claims.find(({ failure }) => failure)?.failure
      }
    }),
    /**
     * Begins an attempt; returns undefined if the lease was lost, or the request may no longer be
     * sent.
     */
    begin: (
      { lease, requestId }: LeasedRequest,
      { at, window }: { readonly at: number; readonly window: number }
    ) =>
      Effect.map(
        after(requestId, (row) => RequestRule.begin(row, lease.id, at, window)),
        (row) => (row !== undefined && isLeased(row) ? row : undefined)
      ),
    renew: ({ lease, requestId }: LeasedRequest, until: number) =>
      Effect.map(
        after(requestId, (row) => RequestRule.renew(row, lease.id, until)),
        (row) => row !== undefined
      ),
    /** Ends a lease without an outcome; returns undefined if the lease was lost. */
    release: ({ lease, requestId }: LeasedRequest, options: Release) =>
      after(requestId, (row) => RequestRule.release(row, lease.id, options)),
    /** Ends a lease and leaves the request to a person. */
    park: ({ lease, requestId }: LeasedRequest, reason: ParkReason, at: number) =>
      after(requestId, (row) => RequestRule.park(row, lease.id, reason, at)),
    /**
     * Registers the transaction in the ledger, and writes an outcome. `refusal` is the ledger's
     * error of the registration, in spite of which the outcome is written.
     */
    settle: Effect.fnUntraced(function* (
      requestId: string,
      settlement: Settlement,
      registration?: Registration
    ) {
      const refusal: RegisteredDifferently | undefined =
        registration &&
        (yield* register(registration, settlement.at).pipe(
          Effect.as(undefined),
          Effect.catchTag("RegisteredDifferently", Effect.succeed)
        ))
      const { after, before } = yield* changed(requestId, (row) =>
        RequestRule.settle(row, settlement)
      )
      return {
        before,
        row: after ?? before,
        isSettled: after !== undefined,
        isProvedWrong: RequestRule.isProvedWrong(before, after),
        refusal
      }
    }),
    find: (requestId: string, found: Row) =>
      Effect.asVoid(changed(requestId, (row) => RequestRule.find(row, found))),
    /** Settles a request whose first byte cannot have left, and returns whether it did. */
    cancel: (requestId: string, at: number) =>
      isChanged(requestId, (row) => RequestRule.cancel(row, at)),
    /** Makes a parked or found request due again, and returns whether it did. */
    redrive: (requestId: string, redrive: Redrive) =>
      isChanged(requestId, (row) => RequestRule.redrive(row, redrive)),
    /** Lists parked requests behind `after`, oldest first. */
    parked: ({
      after,
      limit
    }: {
      readonly limit: number
      readonly after?: { readonly at: number; readonly requestId: string } | undefined
    }) =>
      Effect.map(
        Engines.each(engines, (records) => {
          // The character comes before any character of a key.
          const from =
            after === undefined
              ? { at: Number.MIN_SAFE_INTEGER, key: "" }
              : { at: after.at, key: `${after.requestId}\u0001` }
          return records.list("requests", { from, limit }, RequestRule.unreadable)
        }),
        (pages) => rowsOf(pages.flat()).filter(isParked).toSorted(byTime).slice(0, limit)
      ),
    /** Keeps the first account, and returns the account that the store has (`Owner`). */
    takeOwner: (account: Account) => takeOwner(engines, account),
    /**
     * Deletes the sealed texts of up to `limit` requests of each shard settled before `before`, and
     * returns the number of requests.
     */
    deleteTexts: (options: DeleteOptions) =>
      Effect.flatMap(
        Engines.each(engines, (records) => deleteTextsIn(records, options)),
        (all) => Engines.countOf(all.reduce(Engines.join, Engines.unchanged))
      ),
    isInTransaction: Effect.map(
      Effect.filter(engines.own, ({ isInTransaction }) => isInTransaction),
      ({ length }) => length > 0
    ),
    time: Engines.timeOf(engines),
    awaitWork: Engines.awaitWork(engines, "requests"),
    pollInterval
  }
}

interface Begin {
  readonly at: number
  readonly until?: number | undefined
}

interface Claim {
  readonly at: number
  readonly until: number
  readonly limit: number
}

interface Claimed {
  readonly rows: ReadonlyArray<LeasedRequest>
  readonly dueAt: number | undefined
  readonly failure?: StoreUnavailable | undefined
}

export interface Store extends ReturnType<typeof make> {}

export class RequestStore extends Context.Service<RequestStore, Store>()(
  "@pawl/webhook/internal/ledger/RequestStore"
) {}

/** Layer that keeps requests in the store of a ledger. */
export const layerMemory: Layer.Layer<RequestStore, never, Ledger | Records.Records> =
  // PURE: a bundle of a receiver drops this.
  /* @__PURE__ */ Layer.effect(
    RequestStore,
    /* @__PURE__ */ Effect.gen(function* () {
      return make(yield* Records.Records, yield* Ledger)
    })
  )

export const services = (
  engines: Engines.Engines
): Context.Context<Ledger | Records.Records | RequestStore> => {
  const ledger = LedgerOperations.make(engines)
  return Context.make(Ledger, ledger).pipe(
    Context.add(Records.Records, engines),
    Context.add(RequestStore, make(engines, ledger))
  )
}

const otherShard = new Error(
  "A request is written in a transaction of its own shard: run the transaction with its requestId"
)

const nothing = { rows: [], dueAt: undefined }

/** Makes an unreadable document a defect: its request is not sent. */
const readable = orDie("The request")

const rowsOf = (found: ReadonlyArray<Found<RequestRow>>) => found.map(({ value }) => value)

const claimIn = (records: Engine, { at, limit, until }: Claim) => {
  const asked = { at, limits: [limit], latest: RequestRule.latestPlan(at) }
  return records
    .lease("requests", asked, (found) => {
      const due = found
        .filter(({ value }) => RequestRule.isClaimable(value, at))
        .toSorted((one, two) => placeOf(one.value, at) - placeOf(two.value, at))
        .slice(0, limit)
      return new Map(
        due.map(({ key, value, version }) => {
          const leased: LeasedRequest = RequestRule.lease(value, { id: version, until })
          return [key, { value: leased, result: [leased] }] as const
        })
      )
    })
    .pipe(
      Effect.tap(({ unreadable }) =>
        Effect.forEach(unreadable, ({ key }) =>
          raiseAlarm(RequestRule.wasChanged, { requestId: key })
        )
      ),
      Effect.map(({ dueAt, failure, refused: [first], taken }) => ({
        rows: taken,
        dueAt,
        failure: failure ?? first?.error
      }))
    )
}

/** Requests that were planned before the clock was set back come last. */
const placeOf = (row: RequestRow, at: number): number => {
  const time = RequestRule.claimableAt(row) ?? Infinity
  return time <= at ? time : time + at
}

const deleteTextsIn = Effect.fnUntraced(function* (
  records: Engine,
  { before, limit }: DeleteOptions
): Effect.fn.Return<Engines.Changed, StoreUnavailable> {
  let changed = Engines.unchanged
  const range = { lane: requestLanes.texts, from: Number.MIN_SAFE_INTEGER, to: before - 1, limit }
  // A request that cannot be read keeps its place before the next ones.
  yield* Engines.eachDue(records, "requests", range, (found) => {
    const keys = found.slice(0, limit - changed.count).map(({ key }) => key)
    const deleted = Engines.changeEach(records, "requests", keys, () => (row) => {
      const next = row && RequestRule.deleteTexts(row, before)
      return { value: next ?? row, result: next === undefined ? 0 : 1 }
    })
    return Effect.map(deleted, (each) => {
      changed = Engines.join(changed, each)
      return changed.count < limit
    })
  })
  return changed
})

const byTime = (one: ParkedRequest, two: ParkedRequest): number =>
  one.parked.at - two.parked.at || compareText(one.requestId, two.requestId)
