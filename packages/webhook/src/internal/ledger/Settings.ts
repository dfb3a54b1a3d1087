/** The settings of a store, each of which is a document. */
import type { Account } from "@pawl/core/Account"
import type { StoreUnavailable } from "@pawl/core/CallbackError"
import * as Effect from "effect/Effect"
import * as ReadBudget from "../rule/ReadBudget.ts"
import type { Records } from "../records/Engine.ts"
import { orDie } from "../records/Known.ts"
import type { Rule } from "../records/Rule.ts"
import { each, type Engines } from "../records/Engines.ts"
import { earliest } from "./Reading.ts"

export const make = (engines: Engines) => {
  const [first] = engines.own
  const changeReads = <A>(
    rule: (before: ReadBudget.ReadBudget) => {
      readonly budget: ReadBudget.ReadBudget
      readonly reservation: A
    }
  ) =>
    change(first, "reads", (value) => {
      const before = { nextAt: 0, pausedUntil: 0, ...(value as Partial<ReadBudget.ReadBudget>) }
      const { budget, reservation } = rule(before)
      return { value: budget === before ? value : budget, result: reservation }
    })
  return {
    /** Keeps the first account, and returns it (`Owner`). */
    takeOwner: (account: Account) => takeOwner(engines, account),
    noteAlive: (at: number) => Effect.asVoid(each(engines, (records) => copyAlive(records, at))),
    lastAliveAt: Effect.map(each(engines, aliveAt), earliest),
    // The value changes with each check, so that the store has something to write.
    checkWritable: Effect.flatMap(
      Effect.forEach(
        engines.own,
        (records) => Effect.exit(write(records, "check", (count = 0) => (count as number) + 1)),
        { concurrency: "unbounded" }
      ),
      (exits) => exits.find(({ _tag }) => _tag === "Success") ?? exits[0] ?? Effect.void
    ),
    reserveReads: (wanted: ReadBudget.Wanted, at: number) =>
      changeReads((before) => ReadBudget.reserve(before, wanted, at)),
    lowerReads: (
      by: Parameters<typeof ReadBudget.lower>[1],
      at: number
    ): Effect.Effect<void, StoreUnavailable> =>
      changeReads((before) => ({
        budget: ReadBudget.lower(before, by, at),
        reservation: undefined
      }))
  }
}

export const aliveAt = (records: Records): Effect.Effect<number | undefined, StoreUnavailable> =>
  Effect.map(get(records, "alive"), (at) => at as number | undefined)

export const copyAlive = (
  records: Records,
  at: number | undefined
): Effect.Effect<void, StoreUnavailable> => write(records, "alive", (stored) => at ?? stored)

const get = (records: Records, key: string): Effect.Effect<unknown, StoreUnavailable> =>
  Effect.catchTag(records.get("settings", key), "Unreadable", () => Effect.undefined)

const change = <A>(
  records: Records,
  key: string,
  rule: Rule<unknown, A>
): Effect.Effect<A, StoreUnavailable> => orDie("The setting")(records.change("settings", key, rule))

const write = (
  records: Records,
  key: string,
  next: (value: unknown) => unknown
): Effect.Effect<void, StoreUnavailable> =>
  change(records, key, (value) => ({ value: next(value), result: undefined }))

/** The place of an engine among the shards of a ledger. */
export interface Place {
  readonly position: number
  readonly count: number
  /** The count of the move that has not ended. */
  readonly next?: number
}

/** The count while rows are moved; no ledger has this count. */
const moving = 0

/** Returns the number of databases of a store, if some of them are missing. */
export const incompleteCount = (
  shards: ReadonlyArray<Records>
): Effect.Effect<number | undefined, StoreUnavailable> =>
  Effect.map(
    Effect.forEach(shards, (records) => get(records, "place")),
    (places) => {
      const placed = (places as ReadonlyArray<Place | undefined>).filter(
        (place) => place !== undefined
      )
      const count = Math.max(0, ...placed.map((place) => place.next ?? place.count))
      const isMoving = placed.some((place) => place.count === moving)
      return (isMoving ? shards : placed).length < count ? count : undefined
    }
  )

/** Takes a place for an engine; returns false if it has another one, or documents without one. */
export const takePlace = (
  records: Records,
  place: Place
): Effect.Effect<boolean, StoreUnavailable> =>
  Effect.gen(function* () {
    const isPlaced = (yield* orDie("The setting")(records.get("settings", "place"))) !== undefined
    if (!isPlaced && place.count > 1) {
      for (const collection of ["transactions", "requests"] as const) {
        const { last } = yield* records.page(collection, { after: "", limit: 1 })
        if (last !== undefined) return false
      }
    }
    // Another process may start at the same time, with another number of shards.
    return yield* change(records, "place", (stored) => {
      const taken = (stored as Place | undefined) ?? place
      return {
        value: taken,
        result: taken.position === place.position && taken.count === place.count
      }
    })
  })

export const setPlace = (records: Records, place: Place): Effect.Effect<void, StoreUnavailable> =>
  write(records, "place", () => place)

export const setMoving = (
  records: Records,
  { count: next, position }: Place
): Effect.Effect<void, StoreUnavailable> => setPlace(records, { position, count: moving, next })

/** Tells whether each engine has a database of its own. */
export const areDistinct = (
  all: ReadonlyArray<Records>
): Effect.Effect<boolean, StoreUnavailable> =>
  Effect.gen(function* () {
    for (const [position, records] of all.entries()) {
      yield* write(records, "shard", () => position)
    }
    const positions = yield* Effect.forEach(all, (records) => get(records, "shard"))
    return positions.every((stored, position) => stored === position)
  })

const takeOwnerIn = (
  records: Records,
  account: Account
): Effect.Effect<Account, StoreUnavailable> =>
  change(records, "owner", (stored) => {
    const kept = (stored as Account | undefined) ?? account
    return { value: kept, result: kept }
  })

export const isSame = (one: Account, two: Account): boolean =>
  one.merchantKey === two.merchantKey && one.baseUrl === two.baseUrl

/**
 * Takes the shards in their order. An account that one shard refuses must not become the owner of a
 * new one; of two that start at once the first shard chooses one.
 */
export const takeOwner = Effect.fnUntraced(function* (
  engines: Engines,
  account: Account
): Effect.fn.Return<Account, StoreUnavailable> {
  const isOther = (owner: Account | undefined) => owner !== undefined && !isSame(owner, account)
  const other = (yield* ownersOf(engines)).find(isOther)
  if (other !== undefined) return other
  for (const records of engines.own) {
    const owner = yield* takeOwnerIn(records, account)
    if (isOther(owner)) return owner
  }
  return account
})

export const ownersOf = (
  engines: Engines
): Effect.Effect<ReadonlyArray<Account | undefined>, StoreUnavailable> =>
  each(engines, (records) =>
    Effect.map(get(records, "owner"), (owner) => owner as Account | undefined)
  )

export const setOwner = (
  records: Records,
  account: Account
): Effect.Effect<void, StoreUnavailable> => write(records, "owner", () => account)
