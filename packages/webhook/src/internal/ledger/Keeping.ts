import type { StoreUnavailable } from "@pawl/core/CallbackError"
import type { Method } from "@pawl/core/Kind"
import * as Effect from "effect/Effect"
import * as RequestRule from "../rule/RequestRule.ts"
import * as Erasure from "../rule/Erasure.ts"
import type { StoredRow, StoredRows } from "../rule/StoredRow.ts"
import type { Collection, TextPlace } from "../records/Records.ts"
import { kinds, statuses } from "../documents/Codes.ts"
import { keyOf, type TransactionKey, type Quarantined } from "../documents/Fields.ts"
import type { Values } from "../records/Codecs.ts"
import type { PageOf, Records } from "../records/Engine.ts"
import { orDie } from "../records/Known.ts"
import type { Rule } from "../records/Rule.ts"
import {
  type Changed,
  changeEach,
  countOf,
  each,
  eachPage,
  type Engines,
  join,
  unchanged
} from "../records/Engines.ts"
import { namesOf } from "./Accepting.ts"
import * as Quarantine from "./Quarantine.ts"

export const make = (engines: Engines) => {
  const quarantine = Quarantine.make(engines)
  const deleteOld = resumed("", deleteOldIn)
  const deleteAccepted = resumed(firstText, deleteTextsOf("transactions", deleteBodiesOf))
  const deleteOthers = resumed(firstText, deleteTextsOf("quarantine", deleteQuarantined))

  const eraseRows = Effect.fnUntraced(function* (key: TransactionKey, isQuarantined: boolean) {
    const records = engines.of(key)
    const before = namesOf((yield* records.get("transactions", keyOf(key))) ?? [])
    const { length: bodies } = yield* Effect.filter(before, (name) =>
      Effect.map(records.text("transactions", keyOf(key), name), (body) => body !== undefined)
    )
    return yield* records.change("transactions", keyOf(key), (rows = []) => {
      const { notes, rows: erased } = Erasure.eraseRows(rows)
      const requestIds = rows.flatMap(({ row }) => row.ordered?.requestId ?? [])
      return {
        value: rows.length > 0 || isQuarantined ? erased : undefined,
        remove: namesOf(rows),
        result: { rows: rows.length, bodies, notes, requestIds }
      }
    })
  }, orDie("The transaction"))

  const eraseRequests = Effect.fnUntraced(function* (
    key: TransactionKey,
    named: ReadonlyArray<string>
  ) {
    const page = { after: "", limit: Number.MAX_SAFE_INTEGER, related: keyOf(key) }
    const related = yield* each(engines, (records) => records.page("requests", page, true))
    const ids = new Set([...named, ...related.flatMap(({ found }) => found.map(({ key }) => key))])
    return yield* Effect.forEach(ids, (requestId) =>
      engines.of({ requestId }).change("requests", requestId, (row) => {
        const erased = row && RequestRule.deleteTexts(row, Infinity)
        const isOpen = row !== undefined && row.settledAt === undefined
        return { value: erased ?? row, result: { isErased: erased !== undefined, isOpen } }
      })
    )
  }, orDie("The request"))

  return {
    /**
     * Deletes up to `limit` accepted and `limit` quarantined bodies of each shard from before
     * `before`, except those of dead letters, and returns their number.
     */
    deleteBodies: (options: DeleteOptions) =>
      Effect.flatMap(
        each(engines, (records) =>
          Effect.zipWith(deleteAccepted(records, options), deleteOthers(records, options), join)
        ),
        countOfAll
      ),
    /**
     * Deletes up to `limit` transactions of each shard without a new status since `before`, except
     * the open, leased and parked ones (`Erasure.isDeletable`), and returns their number.
     */
    deleteOld: (options: DeleteOptions) =>
      Effect.flatMap(
        each(engines, (records) => deleteOld(records, options)),
        countOfAll
      ),
    /**
     * Deletes texts of persons from a transaction's rows and requests; the rows stay. Dies of a row
     * or request that cannot be read.
     */
    erase: Effect.fnUntraced(function* (
      method: Method,
      transactionId: string
    ): Effect.fn.Return<Erasure.Erased, StoreUnavailable> {
      const key = { method, transactionId }
      const isQuarantined = yield* quarantine.has(key)
      const { requestIds, ...counts } = yield* eraseRows(key, isQuarantined)
      const quarantined = yield* quarantine.remove(key)
      const requests = yield* eraseRequests(key, requestIds)
      return {
        ...counts,
        quarantined,
        requests: requests.filter(({ isErased }) => isErased).length,
        open: requests.filter(({ isOpen }) => isOpen).length
      }
    }),
    /** Removes deleted texts from the files of the store; writes wait. */
    compact: Effect.asVoid(each(engines, ({ compact }) => compact))
  }
}

/** Fails only if nothing could be deleted. */
const countOfAll = (all: ReadonlyArray<Changed>) => countOf(all.reduce(join, unchanged))

export interface DeleteOptions {
  readonly before: number
  readonly limit: number
}

/** Returns where the limit was reached, too. */
type Deletes<Place> = (
  records: Records,
  options: DeleteOptions,
  from: Place
) => Effect.Effect<readonly [changed: Changed, stoppedAt: Place | undefined], StoreUnavailable>

/**
 * Begins where the last call reached its limit, and then goes through the rest: batches that all
 * begin at the start would examine what is kept once for each batch.
 */
const resumed = <Place>(start: Place, deletes: Deletes<Place>) => {
  const places = new Map<Records, Place>()
  return Effect.fnUntraced(function* (records: Records, options: DeleteOptions) {
    const from = places.get(records) ?? start
    let [changed, stoppedAt] = yield* deletes(records, options, from)
    if (stoppedAt === undefined && from !== start) {
      const limit = options.limit - changed.count
      const [rest, last] = yield* deletes(records, { ...options, limit }, start)
      changed = join(changed, rest)
      stoppedAt = last
    }
    places.set(records, stoppedAt ?? start)
    return changed
  })
}

const firstText: TextPlace = { at: Number.MIN_SAFE_INTEGER, key: "", name: "" }

const deleteTextsOf = <Name extends Collection>(
  collection: Name,
  ruleOf: (names: ReadonlyArray<string>, before: number) => Rule<Values[Name], number>
): Deletes<TextPlace> =>
  Effect.fnUntraced(function* (records, { before, limit }, from) {
    let changed = unchanged
    let after: TextPlace | undefined = from
    while (after !== undefined && changed.count < limit) {
      const size: number = limit - changed.count
      const places: ReadonlyArray<TextPlace> = yield* records.texts(collection, {
        before,
        after,
        limit: size
      })
      const names = Map.groupBy(places, ({ key }) => key)
      const each = yield* changeEach(records, collection, names.keys(), (key) =>
        ruleOf(names.get(key)?.map(({ name }) => name) ?? [], before)
      )
      changed = join(changed, each)
      after = places.length < size ? undefined : places.at(-1)
    }
    return [changed, after]
  })

const deleteBodiesOf =
  (names: ReadonlyArray<string>, before: number): Rule<StoredRows, number> =>
  (rows) => {
    const { rows: kept } = Erasure.deleteBodies(rows ?? [], { before, limit: Infinity })
    const remove = names.filter((name) => {
      // A newer version may have more statuses.
      const status = statuses.find(name[1])
      const has = ({ row }: StoredRow) => status === undefined || status in row.newestCallbacks
      const owner =
        kept.find(({ row }) => row.scope === kinds.find(name[0])) ?? kept.find((each) => has(each))
      return owner === undefined || !has(owner)
    })
    return { value: rows && kept, remove, result: remove.length }
  }

const deleteQuarantined =
  (names: ReadonlyArray<string>, before: number): Rule<Quarantined, number> =>
  (kept = []) => {
    const isOld = (each: Quarantined[number]) => names.includes(each.name) && each.newestAt < before
    const value = kept.filter((each) => !isOld(each))
    const remove = names.filter((name) => value.every((each) => each.name !== name))
    return { value: value.length === 0 ? undefined : value, remove, result: remove.length }
  }

const deleteOldIn: Deletes<string> = Effect.fnUntraced(function* (
  records,
  { before, limit },
  from
) {
  let changed = unchanged
  const rule: Rule<StoredRows, number> = (rows) =>
    rows && Erasure.isDeletable(rows, before)
      ? { value: Erasure.isErased(rows) ? [] : undefined, remove: namesOf(rows), result: 1 }
      : { value: rows, result: 0 }
  const use = (found: PageOf<"transactions">["found"]) => {
    const old = found.filter(({ value }) => Erasure.isDeletable(value, before))
    const keys = old.slice(0, limit - changed.count).map(({ key }) => key)
    return Effect.map(
      changeEach(records, "transactions", keys, () => rule),
      (deleted) => {
        changed = join(changed, deleted)
        return changed.count < limit
      }
    )
  }
  const stoppedAt = yield* eachPage(records, "transactions", use, false, from)
  return [changed, stoppedAt]
})
