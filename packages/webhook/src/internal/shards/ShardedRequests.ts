/**
 * A request store of several ones. Each request lives in the shard of its requestId.
 *
 * **Details**
 *
 * The transaction of a request may live in another shard. So a settlement registers it there first, and then writes the
 * outcome. A process that ends between the two leaves a request without an outcome. The next one does both again: the
 * same registration changes nothing. A request that cannot be sent again is settled by the row that was registered.
 *
 * A claim goes to all shards, each with its share of the limit. A shard that is not available has no requests then.
 */
import type { StoreUnavailable } from "@pawl/core/CallbackError"
import type * as Arr from "effect/Array"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Ledger } from "../../Ledger.ts"
import type { ParkedRequest } from "../../RequestRow.ts"
import type { RequestStore } from "../../RequestStore.ts"
import { shardOf } from "./ShardOf.ts"

type Store = RequestStore["Service"]

/** Makes a request store of several ones, beside the ledger of their shards. */
export const make = (
  stores: Arr.NonEmptyReadonlyArray<Store>,
  ledger: Pick<Ledger["Service"], "register">
): Store => {
  const [first] = stores
  const of = (requestId: string): Store => stores[shardOf({ requestId }, stores.length)] ?? first
  const all = <A>(call: (store: Store) => Effect.Effect<A, StoreUnavailable>) =>
    Effect.forEach(stores, call, { concurrency: "unbounded" })
  /** The limit of a claim is shared out, in turns if it is not a multiple. */
  let turn = 0
  const inTransaction = Effect.filter(stores, ({ isInTransaction }) => isInTransaction)

  return {
    write: (request, options) =>
      Effect.flatMap(inTransaction, ([opened]) => {
        const home = of(request.requestId)
        return opened === undefined || opened === home
          ? home.write(request, options)
          : Effect.die(
              new Error(
                "A request is written in a transaction of its own shard: run the transaction with its requestId"
              )
            )
      }),
    restart: (request, options) => of(request.requestId).restart(request, options),
    get: (requestId) => of(requestId).get(requestId),
    find: (requestId, row) => of(requestId).find(requestId, row),
    claim: (options) => {
      if (options.requestId !== undefined) return of(options.requestId).claim(options)
      turn++
      return Effect.map(
        Effect.forEach(
          stores,
          (store, position) => {
            const place = (position + turn) % stores.length
            const limit = Math.floor((options.limit + place) / stores.length)
            return Effect.result(store.claim({ ...options, limit }))
          },
          { concurrency: "unbounded" }
        ),
        (results) => {
          const claims = results.flatMap((each) => (Result.isSuccess(each) ? [each.success] : []))
          const dueAt = claims.flatMap((each) => each.dueAt ?? [])
          return {
            rows: claims.flatMap(({ rows }) => rows),
            dueAt: dueAt.length === 0 ? undefined : Math.min(...dueAt)
          }
        }
      )
    },
    begin: (leased, options) => of(leased.requestId).begin(leased, options),
    renew: (leased, until) => of(leased.requestId).renew(leased, until),
    release: (leased, release) => of(leased.requestId).release(leased, release),
    park: (leased, reason, at) => of(leased.requestId).park(leased, reason, at),
    settle: Effect.fnUntraced(function* (requestId, settlement, registration) {
      const refusal =
        registration === undefined
          ? undefined
          : yield* ledger
              .register(registration, settlement.at)
              .pipe(Effect.as(undefined), Effect.catchTag("RegisteredDifferently", Effect.succeed))
      return { ...(yield* of(requestId).settle(requestId, settlement)), refusal }
    }),
    cancel: (requestId, at) => of(requestId).cancel(requestId, at),
    redrive: (requestId, redrive) => of(requestId).redrive(requestId, redrive),
    parked: (page) =>
      Effect.map(
        all((store) => store.parked(page)),
        (pages) => pages.flat().toSorted(byTime).slice(0, page.limit)
      ),
    deleteTexts: (options) =>
      Effect.map(
        all((store) => store.deleteTexts(options)),
        (counts) => counts.reduce((one, two) => one + two, 0)
      ),
    isInTransaction: Effect.map(inTransaction, (opened) => opened.length > 0),
    ...(first.time && { time: first.time }),
    awaitWork: Effect.raceAllFirst(stores.map(({ awaitWork }) => awaitWork)),
    pollInterval: stores.map(({ pollInterval }) => pollInterval).reduce(Duration.min)
  }
}

const byTime = (one: ParkedRequest, two: ParkedRequest): number =>
  one.parked.at - two.parked.at || (one.requestId < two.requestId ? -1 : 1)
