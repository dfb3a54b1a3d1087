/**
 * Moves documents to the shards where they belong, after shards were added.
 *
 * No receiver may run meanwhile, and none starts on a marked shard. A move waits for 90 seconds,
 * and moves nothing if a worker notes that it is alive. A document is committed in its new shard
 * before it is deleted from the old one; if a receiver changed one of the two, neither is deleted.
 * Callbacks in quarantine stay, because lists join all shards.
 */
import type { StoreUnavailable } from "@pawl/core/CallbackError"
import type * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import type { Collection } from "../records/Records.ts"
import { transactionOf } from "../documents/Fields.ts"
import type { Values } from "../records/Codecs.ts"
import type { Records } from "../records/Engine.ts"
import { orDie } from "../records/Known.ts"
import { eachPage, type Engines, shardOf } from "../records/Engines.ts"
import { namesOf } from "./Accepting.ts"
import { StoreUnusable } from "./Owner.ts"
import { earliest } from "./Reading.ts"
import * as Settings from "./Settings.ts"

/**
 * Moves documents between stores in the order of the next start, and returns their number. Refuses
 * stores of several owners, a database that is named twice, from which it would delete rows, and a
 * store without all of its databases, whose rows it would leave behind.
 */
export const move = Effect.fnUntraced(function* (
  stores: Arr.NonEmptyReadonlyArray<Engines>
): Effect.fn.Return<number, StoreUnavailable | StoreUnusable> {
  const shards = stores.map(({ own }) => own[0])
  const count = shards.length
  const owners = yield* Effect.forEach(stores, Settings.ownersOf)
  const [owner, ...others] = owners.flat().filter((each) => each !== undefined)
  if (owner !== undefined && !others.every((other) => Settings.isSame(owner, other))) {
    return yield* new StoreUnusable({
      message: "The stores belong to several merchant keys or base URLs: name those of one merchant"
    })
  }
  if (!(yield* Settings.areDistinct(shards))) {
    return yield* new StoreUnusable({
      message: "Two of the stores are the same database: name each database once"
    })
  }
  const known = yield* Settings.incompleteCount(shards)
  if (known !== undefined) {
    return yield* new StoreUnusable({
      message: `The store has ${known} databases, and not all of them are named: name all old ones, then the new ones`
    })
  }
  const alive = yield* aliveIn(shards)
  const now = yield* Clock.currentTimeMillis
  if (alive.some((at) => at !== undefined && now - at < maxSkew)) {
    yield* Effect.logInfo("Waiting for 90 seconds, in which a receiver that still runs is noticed")
    yield* Effect.sleep(noteTime)
    if (!Equal.equals(alive, yield* aliveIn(shards))) {
      return yield* new StoreUnusable({
        message:
          "A receiver, or a program with a worker, uses one of the stores: stop it, then run the move again. Nothing was moved"
      })
    }
  }
  yield* Effect.forEach(shards, (records, position) =>
    Settings.setMoving(records, { position, count })
  )
  let moved = 0
  for (const from of shards) {
    moved += yield* moveAll(from, "transactions", (key, rows) => ({
      to: shards[shardOf(transactionOf(key), count)],
      names: namesOf(rows),
      at: rows[0]?.row.createdAt
    }))
    moved += yield* moveAll(from, "requests", (requestId) => ({
      to: shards[shardOf({ requestId }, count)],
      names: []
    }))
  }
  const last = earliest(alive)
  yield* Effect.forEach(shards, (records) => Settings.copyAlive(records, last), { discard: true })
  yield* Effect.forEach(
    shards,
    (records, position) => Settings.setPlace(records, { position, count }),
    { discard: true }
  )
  return moved
})

/** A worker notes that it is alive every minute, by a clock that may be behind. */
const noteTime = Duration.seconds(90)
const maxSkew = Duration.toMillis(Duration.hours(1))

const aliveIn = (shards: ReadonlyArray<Records>) => Effect.forEach(shards, Settings.aliveAt)

const moveAll = Effect.fnUntraced(function* <Name extends Collection>(
  from: Records,
  collection: Name,
  placeOf: (
    key: string,
    value: Values[Name]
  ) => {
    readonly to: Records | undefined
    readonly names: ReadonlyArray<string>
    /** The time of the texts, at which a deletion examines them for the first time. */
    readonly at?: number | undefined
  }
): Effect.fn.Return<number, StoreUnavailable | StoreUnusable> {
  let moved = 0
  yield* eachPage(
    from,
    collection,
    Effect.forEach(
      ({ key, value }) =>
        Effect.gen(function* () {
          const { at = 0, names, to } = placeOf(key, value)
          if (to === undefined || to === from) return
          const texts = yield* Effect.forEach(names, (name) =>
            Effect.map(from.text(collection, key, name), (bytes) => ({ name, bytes }))
          )
          const put = texts.flatMap(({ bytes, name }) =>
            bytes === undefined ? [] : [{ name, bytes, at }]
          )
          const isCopied = yield* readable(
            to.change(collection, key, (stored) =>
              stored === undefined
                ? { value, put, result: true }
                : { value: stored, result: Equal.equals(stored, value) }
            )
          )
          const isDeleted =
            isCopied &&
            (yield* readable(
              from.change(collection, key, (stored) =>
                Equal.equals(stored, value)
                  ? { value: undefined, result: true }
                  : { value: stored, result: false }
              )
            ))
          if (!isDeleted) {
            return yield* new StoreUnusable({
              message: `Two of the stores have other contents of "${key.replace("\t", " ")}" in their ${collection}, because a receiver ran during the move. None was deleted: stop it, delete the wrong one, then run the move again`
            })
          }
          moved++
        }),
      { discard: true }
    ),
    true
  )
  return moved
})

/** A document that cannot be read stops the move. */
const readable = orDie("The document")
