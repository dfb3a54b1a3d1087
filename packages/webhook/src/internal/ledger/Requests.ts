/**
 * The request store over the engine: one document for each request, which the functions of `RequestRule` change.
 *
 * **Details**
 *
 * A settlement registers the transaction first, and then writes the outcome. A process that ends between the two leaves a request
 * without an outcome. The next one does both again: the same registration changes nothing. A request that cannot be sent again
 * is settled by the row that was registered.
 */
import type { StoreUnavailable } from "@pawl/core/CallbackError"
import * as Effect from "effect/Effect"
import type { Ledger } from "../../Ledger.ts"
import type { RegisteredDifferently } from "../rule/Order.ts"
import {
  isLeased,
  isParked,
  type LeasedRequest,
  type ParkedRequest,
  type RequestRow
} from "../rule/RequestRow.ts"
import * as RequestRule from "../rule/RequestRule.ts"
import type { RequestStore } from "./RequestStore.ts"
import * as RequestTimes from "../rule/RequestTimes.ts"
import { requestLanes } from "../records/Codecs.ts"
import type { Found, Records, Unreadable } from "../records/Engine.ts"
import * as Engines from "../records/Engines.ts"
import { earliest, sum } from "./Reading.ts"

type Store = RequestStore["Service"]

/** Makes the store beside a ledger. */
export const make = (
  engines: Engines.Engines,
  { register }: Pick<Ledger["Service"], "register">
): Store => {
  const of = (requestId: string) => engines.of({ requestId })

  /** Changes a request by a function that returns undefined if nothing changes. */
  const changed = (
    requestId: string,
    change: (row: RequestRow, version: number) => RequestRow | undefined
  ): Effect.Effect<
    { readonly before: RequestRow | undefined; readonly after: RequestRow | undefined },
    StoreUnavailable
  > =>
    readable(
      of(requestId).change("requests", requestId, (row, version) => {
        const after = row && change(row, version)
        return {
          value: after ?? row,
          result: { before: row, after },
          wakes: after?.dueAt !== undefined
        }
      })
    )

  const after = (...change: Parameters<typeof changed>) =>
    Effect.map(changed(...change), ({ after }) => after)
  const isChanged = (...change: Parameters<typeof changed>) =>
    Effect.map(after(...change), (row) => row !== undefined)

  /** The limit of a claim is shared out among the shards, in turns if it is not a multiple. */
  let turn = 0

  return {
    write: (request, { at, until }) =>
      Effect.gen(function* () {
        const { requestId } = request
        const home = of(requestId)
        const opened = yield* Effect.filter(engines.own, ({ isInTransaction }) => isInTransaction)
        if (opened.some((records) => records !== home)) return yield* Effect.die(otherShard)
        return yield* readable(
          home.change("requests", requestId, (row, id) => {
            if (row !== undefined) return { value: row, result: { row, isNew: false } }
            const lease = until === undefined ? undefined : { id, until }
            const written = RequestRule.write(request, at, lease)
            return {
              value: written,
              result: { row: written, isNew: true },
              wakes: written.dueAt !== undefined
            }
          })
        )
      }),
    restart: (request, { at, until }) =>
      after(request.requestId, (row, id) =>
        RequestRule.restart(row, request, at, until === undefined ? undefined : { id, until })
      ),
    get: (requestId) => readable(of(requestId).get("requests", requestId)),
    claim: Effect.fnUntraced(function* ({ requestId, ...options }) {
      if (requestId !== undefined) {
        const { at, until } = options
        const row = yield* after(requestId, (row, id) =>
          RequestTimes.isIdle(row, at) ? RequestRule.lease(row, { id, until }) : undefined
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
          // A shard that is not available has no requests then.
          return length === 1 ? claimed : Effect.orElseSucceed(claimed, () => nothing)
        },
        { concurrency: "unbounded" }
      )
      return {
        rows: claims.flatMap(({ rows }) => rows),
        dueAt: earliest(claims.map(({ dueAt }) => dueAt))
      }
    }),
    begin: ({ lease, requestId }, { at, window }) =>
      Effect.map(
        after(requestId, (row) => RequestRule.begin(row, lease.id, at, window)),
        (row) => (row !== undefined && isLeased(row) ? row : undefined)
      ),
    renew: ({ lease, requestId }, until) =>
      isChanged(requestId, (row) => RequestRule.renew(row, lease.id, until)),
    release: ({ lease, requestId }, options) =>
      after(requestId, (row) => RequestRule.release(row, lease.id, options)),
    park: ({ lease, requestId }, reason, at) =>
      after(requestId, (row) => RequestRule.park(row, lease.id, reason, at)),
    settle: Effect.fnUntraced(function* (requestId, settlement, registration) {
      let refusal: RegisteredDifferently | undefined
      if (registration !== undefined) {
        // An outcome that is not written registers nothing.
        const row = yield* readable(of(requestId).get("requests", requestId))
        if (row === undefined || RequestRule.settle(row, settlement) === undefined) {
          return { row, isSettled: false, refusal }
        }
        refusal = yield* register(registration, settlement.at).pipe(
          Effect.as(undefined),
          Effect.catchTag("RegisteredDifferently", Effect.succeed)
        )
      }
      const { after, before } = yield* changed(requestId, (row) =>
        RequestRule.settle(row, settlement)
      )
      return { row: after ?? before, isSettled: after !== undefined, refusal }
    }),
    find: (requestId, found) =>
      Effect.asVoid(changed(requestId, (row) => RequestRule.find(row, found))),
    cancel: (requestId, at) => isChanged(requestId, (row) => RequestRule.cancel(row, at)),
    redrive: (requestId, redrive) =>
      isChanged(requestId, (row) => RequestRule.redrive(row, redrive)),
    parked: ({ after, limit }) =>
      Effect.map(
        Engines.each(engines, (records) => {
          // The character comes before any character of a key.
          const from =
            after === undefined
              ? { at: Number.MIN_SAFE_INTEGER, key: "" }
              : { at: after.at, key: `${after.requestId}\u0001` }
          return records.list("requests", { from, limit })
        }),
        (pages) => rowsOf(pages.flat()).filter(isParked).toSorted(byTime).slice(0, limit)
      ),
    deleteTexts: ({ before, limit }) =>
      Effect.map(
        Engines.each(engines, (records) => deleteTextsIn(records, { before, limit })),
        sum
      ),
    isInTransaction: Effect.map(
      Effect.filter(engines.own, ({ isInTransaction }) => isInTransaction),
      ({ length }) => length > 0
    ),
    ...(Engines.hasTime(engines) && { time: Engines.timeOf(engines) }),
    awaitWork: Engines.awaitWork(engines, "requests"),
    pollInterval: Engines.pollInterval(engines)
  }
}

const otherShard = new Error(
  "A request is written in a transaction of its own shard: run the transaction with its requestId"
)

const nothing = { rows: [], dueAt: undefined }

/** A request whose document cannot be read is a defect of its own calls. Nothing is sent for it. */
const readable = <A>(
  call: Effect.Effect<A, StoreUnavailable | Unreadable>
): Effect.Effect<A, StoreUnavailable> =>
  Effect.catchTag(call, "Unreadable", ({ key }) =>
    Effect.die(new Error(`The request ${key} cannot be read: restore its document from a backup`))
  )

const rowsOf = (found: ReadonlyArray<Found<RequestRow>>) => found.map(({ value }) => value)

const claimIn = (
  records: Records,
  { at, limit, until }: Omit<Parameters<Store["claim"]>[0], "requestId">
) => {
  const asked = { at, limits: [limit], latest: at + RequestTimes.maxWait }
  return Effect.map(
    records.lease("requests", asked, (found) => {
      const due = found
        .filter(({ value }) => RequestTimes.isClaimable(value, at))
        .toSorted((one, two) => placeOf(one.value, at) - placeOf(two.value, at))
        .slice(0, limit)
      return new Map(
        due.map(({ key, value, version }) => {
          const leased: LeasedRequest = RequestRule.lease(value, { id: version, until })
          return [key, { value: leased, result: [leased] }] as const
        })
      )
    }),
    ({ dueAt, taken }) => ({ rows: taken, dueAt })
  )
}

/** Requests that were planned before the clock was set back come behind the others. */
const placeOf = (row: RequestRow, at: number): number => {
  const time = RequestTimes.claimableAt(row) ?? Infinity
  return time <= at ? time : time + at
}

const deleteTextsIn = Effect.fnUntraced(function* (
  records: Records,
  { before, limit }: Parameters<Store["deleteTexts"]>[0]
) {
  const range = { lane: requestLanes.texts, from: Number.MIN_SAFE_INTEGER, to: before - 1, limit }
  const found = yield* records.due("requests", [range])
  const deleted = yield* Effect.forEach(
    found,
    ({ key }) =>
      readable(
        records.change("requests", key, (row) => {
          const next = row && RequestRule.deleteTexts(row, before)
          return { value: next ?? row, result: next === undefined ? 0 : 1 }
        })
      ),
    { concurrency: 16 }
  )
  return sum(deleted)
})

const byTime = (one: ParkedRequest, two: ParkedRequest): number =>
  one.parked.at - two.parked.at || (one.requestId < two.requestId ? -1 : 1)
