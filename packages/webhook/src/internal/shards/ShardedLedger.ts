/**
 * A ledger of several ledgers. Each row lives in the shard of its method and id.
 *
 * **Details**
 *
 * A call with the key of a row is one call of its shard, so a shard that is not available fails the calls of its own rows
 * alone. A callback that names a refund by an id that is not signed goes to the shard where that refund is registered.
 *
 * Lists are merged from all shards, and fail if one of them is not available. The calls of a worker (`claim`,
 * `deleteBodies`) go to all shards that are available, each with the whole limit: their order holds within a shard. A
 * `Worker` works on each of `shards` by itself.
 */
import { StoreUnavailable } from "@pawl/core/CallbackError"
import { type Method, methodOf } from "@pawl/core/Kind"
import type * as Arr from "effect/Array"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Erased } from "../../Archive.ts"
import type { Ledger } from "../../Ledger.ts"
import type { Parked, Row } from "../../Row.ts"
import * as RowPages from "../../RowPages.ts"
import type { Verified } from "../../Verifier.ts"
import * as Found from "../requests/Found.ts"
import { type ShardKey, shardOf } from "./ShardOf.ts"

type Operations = Ledger["Service"]

/** Settles the request that a row names, in the shard of the request. */
export type Find = (requestId: string, row: Row) => Effect.Effect<void, StoreUnavailable>

/** Makes a ledger of several ones. Their order must never change. */
export const make = (
  shards: Arr.NonEmptyReadonlyArray<Operations>,
  find: Find = () => Effect.void
): Operations => {
  const [first] = shards
  const of = (key: ShardKey): Operations => shards[shardOf(key, shards.length)] ?? first

  const all = <A>(call: (shard: Operations) => Effect.Effect<A, StoreUnavailable>) =>
    Effect.forEach(shards, call, { concurrency: "unbounded" })

  /** Calls all shards, and returns the results of those that are available. Fails if none is. */
  const available = <A>(call: (shard: Operations) => Effect.Effect<A, StoreUnavailable>) =>
    Effect.flatMap(
      Effect.forEach(shards, (shard) => Effect.result(call(shard)), { concurrency: "unbounded" }),
      (results) => {
        const successes = results.flatMap((each) => (Result.isSuccess(each) ? [each.success] : []))
        return successes.length === 0
          ? Effect.fail(new StoreUnavailable({}))
          : Effect.succeed(successes)
      }
    )

  const shardOfCallback = (verified: Verified) => {
    const { method, refundId } = verified
    const own = of(verified)
    if (refundId === undefined) return Effect.succeed(own)
    const named = of({ method, transactionId: refundId })
    return Effect.map(named.isRegisteredRefund(refundId), (isRegistered) =>
      isRegistered ? named : own
    )
  }

  const deadLetters: Operations["deadLetters"] = (page) =>
    Effect.map(
      all((shard) => shard.deadLetters(page)),
      (pages) => pages.flat().toSorted(byTime).slice(0, page.limit)
    )

  return {
    shards,
    accept: (verified, at) =>
      Effect.flatMap(shardOfCallback(verified), (shard) => shard.accept(verified, at)),
    register: (registration, at) =>
      of({
        method: methodOf(registration.kind),
        transactionId: registration.transactionId
      }).register(registration, at),
    claim: (options) =>
      Effect.map(
        available((shard) => shard.claim(options)),
        (claims) => ({
          rows: claims.flatMap(({ rows }) => rows),
          dueAt: earliest(claims.map(({ dueAt }) => dueAt))
        })
      ),
    write: (leased, change) => {
      const found = Found.named(leased, change, true)
      const written = of(leased).write(leased, change)
      return found === undefined
        ? written
        : Effect.andThen(find(found.requestId, found.row), written)
    },
    get: (method, transactionId) => of({ method, transactionId }).get(method, transactionId),
    story: (method, transactionId) => of({ method, transactionId }).story(method, transactionId),
    page: (options) =>
      Effect.map(
        all((shard) => shard.page(options)),
        RowPages.join
      ),
    isRegisteredRefund: (refundId) =>
      of({ method: "card", transactionId: refundId }).isRegisteredRefund(refundId),
    body: (key, status) => of(key).body(key, status),
    deadLetters,
    redrive: (key, at, note) => of(key).redrive(key, at, note),
    redriveAll: Effect.fnUntraced(function* ({ before, dueAt, note, rate, ...page }) {
      const parked = (yield* deadLetters(page)).filter(({ deadLetter }) => deadLetter.at <= before)
      yield* Effect.forEach(parked, (row, at) =>
        of(row).redrive(row, dueAt + Math.floor((at * 1000) / rate), note)
      )
      return parked.length
    }),
    backlog: (at) =>
      Effect.map(
        all((shard) => shard.backlog(at)),
        (backlogs) => ({
          due: sum(backlogs.map(({ due }) => due)),
          oldestDueAt: earliest(backlogs.map(({ oldestDueAt }) => oldestDueAt)),
          deadLetters: sum(backlogs.map((each) => each.deadLetters))
        })
      ),
    deleteBodies: (options) =>
      Effect.map(
        available((shard) => shard.deleteBodies(options)),
        sum
      ),
    quarantined: Effect.map(
      all((shard) => shard.quarantined),
      (all) => all.flat()
    ),
    shift: (options) => Effect.asVoid(all((shard) => shard.shift(options))),
    checkWritable: Effect.asVoid(available((shard) => shard.checkWritable)),
    noteAlive: (at) => Effect.asVoid(all((shard) => shard.noteAlive(at))),
    lastAliveAt: Effect.map(
      all((shard) => shard.lastAliveAt),
      earliest
    ),
    bringForward: (page) =>
      Effect.map(
        all((shard) => shard.bringForward(page)),
        (lasts) =>
          lasts
            .filter((last) => last !== undefined)
            .toSorted((one, two) => one.dueAt - two.dueAt)[0]
      ),
    archive: {
      move: (page) =>
        Effect.map(
          available((shard) => shard.archive.move(page)),
          (pages) => ({ moved: sum(pages.map(({ moved }) => moved)), last: undefined })
        ),
      drop: (options) =>
        Effect.map(
          available((shard) => shard.archive.drop(options)),
          sum
        ),
      erase: (method, transactionId, requestIds) =>
        eraseIn(shards, of({ method, transactionId }), { method, transactionId, requestIds }),
      compact: Effect.asVoid(all((shard) => shard.archive.compact))
    },
    reserveReads: first.reserveReads,
    lowerReads: first.lowerReads,
    ...(shards.some(({ time }) => time !== undefined) && {
      time: (clock, key) => {
        const shard = key === undefined ? first : of(key)
        return shard.time?.(clock) ?? clock.currentTimeMillisUnsafe()
      }
    }),
    awaitWork: Effect.raceAllFirst(shards.map(({ awaitWork }) => awaitWork)),
    pollInterval: shards.map(({ pollInterval }) => pollInterval).reduce(Duration.min)
  }
}

/**
 * Erases in all shards: a request lives in the shard of its requestId, and a callback in quarantine stays in its shard when databases
 * are added. The rows of the transaction say which requests led to it.
 */
const eraseIn = Effect.fnUntraced(function* (
  shards: ReadonlyArray<Operations>,
  home: Operations,
  {
    method,
    requestIds = [],
    transactionId
  }: {
    readonly method: Method
    readonly transactionId: string
    readonly requestIds: ReadonlyArray<string> | undefined
  }
): Effect.fn.Return<Erased, StoreUnavailable> {
  const stories = yield* home.story(method, transactionId)
  const named = stories.flatMap(({ row }) => row.ordered?.requestId ?? [])
  const all = yield* Effect.forEach(
    shards,
    ({ archive }) => archive.erase(method, transactionId, [...requestIds, ...named]),
    { concurrency: "unbounded" }
  )
  return {
    rows: sum(all.map(({ rows }) => rows)),
    bodies: sum(all.map(({ bodies }) => bodies)),
    quarantined: sum(all.map(({ quarantined }) => quarantined)),
    notes: sum(all.map(({ notes }) => notes)),
    requests: sum(all.map(({ requests }) => requests)),
    open: sum(all.map(({ open }) => open))
  }
})

const earliest = (times: ReadonlyArray<number | undefined>): number | undefined =>
  times.reduce<number | undefined>(
    (soonest, at) => (at === undefined ? soonest : Math.min(soonest ?? at, at)),
    undefined
  )

const sum = (counts: ReadonlyArray<number>): number => counts.reduce((one, two) => one + two, 0)

const byTime = (one: Parked, two: Parked): number =>
  one.deadLetter.at - two.deadLetter.at ||
  compareText(one.transactionId, two.transactionId) ||
  compareText(one.scope, two.scope)

const compareText = (one: string, two: string): number => (one < two ? -1 : one > two ? 1 : 0)
