/**
 * The ledger in memory: a map of stored rows over `RowRule`.
 *
 * @since 0.1.0
 */
import { type Method, methodOf } from "@pawl/core/Kind"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import type { Ledger } from "../../Ledger.ts"
import type { Change, Key, Leased, Registration, Row } from "../../Row.ts"
import * as RowRule from "../../RowRule.ts"
import * as StoredRow from "../../StoredRow.ts"
import type { Verified } from "../../Verifier.ts"
import * as Quarantine from "./Quarantine.ts"

/** Makes a ledger that is empty. */
export const make: Effect.Effect<Ledger["Service"]> = Effect.gen(function* () {
  /** All rows, by method and id. */
  const stored = new Map<string, StoredRow.StoredRows>()
  /** The rows that may be claimed now or later, which are few. A claim looks at these alone. */
  const open = new Map<string, StoredRow.StoredRows>()
  const quarantine = Quarantine.make()
  const work = yield* Latch.make()
  let leases = 0

  const all = () => [...stored.values()].flat()
  const allOpen = () => [...open.values()].flat()
  const rowsOf = (key: string): StoredRow.StoredRows => stored.get(key) ?? []

  const store = (key: string, rows: StoredRow.StoredRows): void => {
    stored.set(key, rows)
    if (rows.some((each) => StoredRow.claimableAt(each) < Infinity)) open.set(key, rows)
    else open.delete(key)
  }

  const accept = (verified: Verified, at: number) => {
    const { claim } = verified
    if (claim === undefined) return quarantine.accept(verified, at)
    const key = keyOf(verified)
    const { isDue, isNew, rows } = RowRule.accept(rowsOf(key), verified, claim, at)
    store(key, rows)
    if (isDue) work.openUnsafe()
    return Effect.succeed({ isNew })
  }

  const register = (registration: Registration, at: number): void => {
    const { kind, transactionId } = registration
    const key = keyOf({ method: methodOf(kind), transactionId })
    store(key, RowRule.register(rowsOf(key), registration, at))
    work.openUnsafe()
  }

  const lease = ({ row }: StoredRow.StoredRow, until: number): ReadonlyArray<Leased> => {
    const key = keyOf(row)
    const { leased, rows } = RowRule.lease(rowsOf(key), row.scope, { id: ++leases, until })
    store(key, rows)
    return leased === undefined ? [] : [leased]
  }

  const claim = ({ at, limit, until }: Parameters<Ledger["Service"]["claim"]>[0]) => {
    const claimed = StoredRow.claimable(allOpen(), at).slice(0, limit)
    const rows = claimed.flatMap((each) => lease(each, until))
    return { rows, dueAt: StoredRow.nextClaimableAt(allOpen()) }
  }

  const write = (leased: Leased, change: Change): Leased | undefined => {
    const key = keyOf(leased)
    const before = rowsOf(key)
    const written = RowRule.write(before, leased, change)
    if (written.rows === before) return undefined
    store(key, written.rows)
    if (change.release !== undefined || written.leased === undefined) work.openUnsafe()
    return written.leased
  }

  const redrive = (named: Key, at: number): boolean => {
    const key = keyOf(named)
    const before = rowsOf(key)
    const after = RowRule.redrive(before, named, at)
    if (after === before) return false
    store(key, after)
    work.openUnsafe()
    return true
  }

  const forget = ({ before, limit }: Parameters<Ledger["Service"]["forget"]>[0]): number => {
    let deleted = 0
    for (const [key, rows] of stored) {
      const forgotten = RowRule.forget(rows, { before, limit: limit - deleted })
      deleted += forgotten.count
      if (forgotten.rows !== rows) store(key, forgotten.rows)
    }
    return deleted + quarantine.forget(before, limit)
  }

  const deadLetters = (): ReadonlyArray<Row> =>
    all()
      .flatMap(({ row }) => (row.deadLetter === undefined ? [] : [{ row, at: row.deadLetter.at }]))
      .toSorted((one, two) => one.at - two.at)
      .map(({ row }) => row)

  return {
    accept: (verified, at) => Effect.suspend(() => accept(verified, at)),
    register: (registration, at) => Effect.sync(() => register(registration, at)),
    claim: (options) => Effect.sync(() => claim(options)),
    write: (leased, change) => Effect.sync(() => write(leased, change)),
    get: (method, transactionId) =>
      Effect.sync(() => StoredRow.get(rowsOf(keyOf({ method, transactionId })), method)),
    deadLetters: Effect.sync(deadLetters),
    redrive: (key, at) => Effect.sync(() => redrive(key, at)),
    backlog: (at) =>
      Effect.sync(() => {
        const [oldest, ...others] = StoredRow.claimable(allOpen(), at)
        return {
          due: oldest === undefined ? 0 : 1 + others.length,
          oldestDueAt: oldest && StoredRow.claimableAt(oldest),
          deadLetters: deadLetters().length
        }
      }),
    forget: (options) => Effect.sync(() => forget(options)),
    quarantined: Effect.sync(quarantine.list),
    awaitWork: Effect.andThen(work.await, Effect.asVoid(work.close)),
    pollInterval: Duration.infinity
  }
})

const keyOf = (key: { readonly method: Method; readonly transactionId: string }): string =>
  `${key.method}/${key.transactionId}`
