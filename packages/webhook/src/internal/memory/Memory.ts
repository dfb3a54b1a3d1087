/**
 * The ledger in memory: a map of stored rows over `RowRule`, with indexes.
 */
import { type Method, methodOf } from "@pawl/core/Kind"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Result from "effect/Result"
import { type Erased, eraseRows } from "../../Archive.ts"
import type { Ledger } from "../../Ledger.ts"
import { type Event, redriven } from "../../Fact.ts"
import * as ReadBudget from "../../ReadBudget.ts"
import type { Change, Key, Leased, Registration } from "../../Row.ts"
import * as RowRule from "../../RowRule.ts"
import * as RowPages from "../../RowPages.ts"
import * as StoredRow from "../../StoredRow.ts"
import * as Story from "../../Story.ts"
import type { Verified } from "../../Verifier.ts"
import * as DeadLetters from "./DeadLetters.ts"
import * as Found from "../requests/Found.ts"
import * as Indexes from "./Indexes.ts"
import * as Quarantine from "./Quarantine.ts"

type RedriveAll = Parameters<Ledger["Service"]["redriveAll"]>[0]

/** All rows of one method and id. Each operation replaces them as a whole. */
interface Slot {
  rows: StoredRow.StoredRows
}

/** Makes an empty ledger. */
export const make: Effect.Effect<Ledger["Service"]> = Effect.gen(function* () {
  /** By method and id. */
  const slots = new Map<string, Slot>()
  const indexes = Indexes.make()
  const quarantine = Quarantine.make()
  const work = yield* Latch.make()
  let leases = 0
  let aliveAt: number | undefined
  let budget = ReadBudget.unused

  const find = (method: Method, id: string) => slots.get(`${method}/${id}`)

  const findOrMake = (method: Method, id: string): Slot => {
    const found = find(method, id)
    if (found !== undefined) return found
    const slot = { rows: [] }
    slots.set(`${method}/${id}`, slot)
    return slot
  }

  const store = (slot: Slot, rows: StoredRow.StoredRows): void => {
    indexes.replace(slot.rows, rows)
    slot.rows = rows
  }

  /** Returns a callback as that of the refund that it names, if the refund is registered. */
  const address = (verified: Verified): Verified => {
    const { method, refundId } = verified
    const named = refundId === undefined ? undefined : find(method, refundId)
    return StoredRow.hasRegisteredRefund(named?.rows ?? [])
      ? StoredRow.ofNamedRefund(verified)
      : verified
  }

  const accept = (received: Verified, at: number) => {
    const verified = address(received)
    const { claim, method, transactionId } = verified
    if (claim === undefined) return quarantine.accept(verified, at)
    const slot = findOrMake(method, transactionId)
    const { isDue, isNew, rows } = RowRule.accept(slot.rows, verified, claim, at)
    store(slot, rows)
    if (isDue) work.openUnsafe()
    return Effect.succeed({ isNew })
  }

  const register = (registration: Registration, at: number) => {
    const slot = findOrMake(methodOf(registration.kind), registration.transactionId)
    return Result.map(RowRule.register(slot.rows, registration, at), (rows) => {
      store(slot, rows)
      work.openUnsafe()
    })
  }

  const lease = ({ row }: StoredRow.StoredRow, until: number): ReadonlyArray<Leased> => {
    const slot = findOrMake(row.method, row.transactionId)
    const { leased, rows } = RowRule.lease(slot.rows, row.scope, { id: ++leases, until })
    store(slot, rows)
    return leased === undefined ? [] : [leased]
  }

  const claim = ({ at, limit, newest, until }: Parameters<Ledger["Service"]["claim"]>[0]) => {
    const due = indexes.due(at, limit, newest)
    const claimed = StoredRow.claimable(due, at, limit, newest)
    const rows = claimed.flatMap((stored) => lease(stored, until))
    return { rows, dueAt: StoredRow.nextClaimableAt(indexes.first(), limit) }
  }

  const write = (leased: Leased, change: Change): Leased | undefined => {
    const slot = find(leased.method, leased.transactionId)
    if (slot === undefined) return undefined
    const written = RowRule.write(slot.rows, leased, change)
    if (written.rows === slot.rows) return undefined
    store(slot, written.rows)
    if (change.release !== undefined || written.leased === undefined) work.openUnsafe()
    return written.leased
  }

  const redrive = (key: Key, at: number, event: Event): boolean => {
    const slot = find(key.method, key.transactionId)
    if (slot === undefined) return false
    const redriven = RowRule.redrive(slot.rows, key, at, event)
    if (redriven === slot.rows) return false
    store(slot, redriven)
    work.openUnsafe()
    return true
  }

  const deleteBodies = ({
    before,
    limit
  }: Parameters<Ledger["Service"]["deleteBodies"]>[0]): number => {
    let total = 0
    for (const slot of slots.values()) {
      if (total === limit) break
      const { count, rows } = RowRule.deleteBodies(slot.rows, { before, limit: limit - total })
      total += count
      store(slot, rows)
    }
    return total + quarantine.deleteBodies(before, limit)
  }

  const erase = (
    method: Method,
    transactionId: string,
    requestIds: ReadonlyArray<string> = []
  ): Erased => {
    const slot = find(method, transactionId)
    const { bodies, notes, rows } = eraseRows(slot?.rows ?? [])
    if (slot !== undefined) store(slot, rows)
    const quarantined = quarantine.remove(method, transactionId)
    const named = rows.flatMap(({ row }) => row.ordered?.requestId ?? [])
    const requests = Found.erase(ledger, { method, transactionId }, [...requestIds, ...named])
    return { rows: rows.length, bodies, quarantined, notes, ...requests }
  }

  const shift = (options: Parameters<Ledger["Service"]["shift"]>[0]): void => {
    for (const slot of slots.values()) store(slot, StoredRow.shift(slot.rows, options))
    work.openUnsafe()
  }

  const bringForward = (page: RowPages.PlannedPage) => {
    const { changed, last } = RowPages.bringForward(indexes.open(), page)
    for (const [{ row }, next] of changed) {
      const slot = findOrMake(row.method, row.transactionId)
      store(
        slot,
        slot.rows.map((stored) => (stored.row.scope === row.scope ? next : stored))
      )
    }
    work.openUnsafe()
    return last
  }

  const redriveAll = ({ dueAt, note, rate, ...page }: RedriveAll): number => {
    const parked = DeadLetters.page(indexes.parked, page)
    const event = redriven(page.before, note)
    parked.forEach((row, at) => redrive(row, dueAt + Math.floor((at * 1000) / rate), event))
    return parked.length
  }

  const ledger: Ledger["Service"] = {
    accept: (verified, at) => Effect.suspend(() => accept(verified, at)),
    register: (registration, at) =>
      Effect.suspend(() => Effect.fromResult(register(registration, at))),
    claim: (options) => Effect.sync(() => claim(options)),
    write: (leased, change) =>
      Effect.sync(() => {
        Found.report(ledger, leased, change)
        return write(leased, change)
      }),
    get: (method, transactionId) =>
      Effect.sync(() => StoredRow.get(find(method, transactionId)?.rows ?? [], method)),
    story: (method, transactionId) =>
      Effect.sync(() =>
        (find(method, transactionId)?.rows ?? []).map((stored) => Story.make(stored))
      ),
    page: (options) => Effect.sync(() => RowPages.page(indexes.page(options), options)),
    isRegisteredRefund: (refundId) =>
      Effect.sync(() => StoredRow.hasRegisteredRefund(find("card", refundId)?.rows ?? [])),
    body: ({ method, scope, transactionId }, status) =>
      Effect.sync(
        () =>
          find(method, transactionId)?.rows.find(({ row }) => row.scope === scope)?.bodies[status]
      ),
    deadLetters: (page) => Effect.sync(() => DeadLetters.page(indexes.parked, page)),
    redrive: (key, at, note) => Effect.sync(() => redrive(key, at, redriven(at, note))),
    redriveAll: (options) => Effect.sync(() => redriveAll(options)),
    backlog: (at) =>
      Effect.sync(() => {
        const [oldest, ...others] = StoredRow.claimable(indexes.due(at), at)
        return {
          due: oldest === undefined ? 0 : 1 + others.length,
          oldestDueAt: oldest && StoredRow.claimableAt(oldest),
          deadLetters: indexes.parked.size()
        }
      }),
    deleteBodies: (options) => Effect.sync(() => deleteBodies(options)),
    quarantined: Effect.sync(quarantine.list),
    shift: (options) => Effect.sync(() => shift(options)),
    noteAlive: (at) =>
      Effect.sync(() => {
        aliveAt = at
      }),
    lastAliveAt: Effect.sync(() => aliveAt),
    checkWritable: Effect.void,
    archive: {
      move: () => Effect.succeed({ moved: 0, last: undefined }),
      drop: () => Effect.succeed(0),
      erase: (...of) => Effect.sync(() => erase(...of)),
      compact: Effect.void
    },
    bringForward: (page) => Effect.sync(() => bringForward(page)),
    reserveReads: (wanted, at) =>
      Effect.sync(() => {
        const reserved = ReadBudget.reserve(budget, wanted, at)
        budget = reserved.budget
        return reserved.reservation
      }),
    lowerReads: (by, at) =>
      Effect.sync(() => {
        budget = ReadBudget.lower(budget, by, at)
      }),
    awaitWork: Effect.andThen(work.await, Effect.asVoid(work.close)),
    pollInterval: Duration.infinity
  }
  return ledger
})
