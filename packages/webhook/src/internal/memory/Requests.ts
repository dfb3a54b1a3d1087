/**
 * The request store in memory: a map of rows over `RequestRule`, with the indexes that a database has (`Tables`).
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Latch from "effect/Latch"
import { Ledger } from "../../Ledger.ts"
import { isParked, type RequestRow } from "../../RequestRow.ts"
import * as RequestRule from "../../RequestRule.ts"
import * as RequestTimes from "../../RequestTimes.ts"
import type { RequestStore } from "../../RequestStore.ts"
import * as Cells from "../requests/Cells.ts"
import * as Found from "../requests/Found.ts"
import * as OrderedIndex from "./OrderedIndex.ts"

/** Makes an empty store beside a ledger. */
export const make: Effect.Effect<RequestStore["Service"], never, Ledger> = Effect.gen(function* () {
  const ledger = yield* Ledger
  const rows = new Map<string, RequestRow>()
  const open = indexBy(claimableAt)
  const parked = indexBy(parkedAt)
  /** The settled rows that have a sealed text. */
  const texts = indexBy(settledAt)
  const work = yield* Latch.make()
  let leases = 0
  const newLease = () => ++leases

  const indexesOf = (row: RequestRow) => [
    ...(claimableAt(row) === Infinity ? [] : [open]),
    ...(isParked(row) ? [parked] : []),
    ...(RequestRule.deleteTexts(row, Infinity) === undefined ? [] : [texts])
  ]

  const put = (row: RequestRow): RequestRow => {
    const before = rows.get(row.requestId)
    if (before !== undefined) indexesOf(before).forEach(({ remove }) => remove(before))
    indexesOf(row).forEach(({ add }) => add(row))
    rows.set(row.requestId, row)
    if (row.dueAt !== undefined) work.openUnsafe()
    return row
  }

  const apply = ({ change, requestId }: Cells.Change) => {
    const before = rows.get(requestId)
    const after = before && change(before, newLease)
    if (after !== undefined) put(after)
    return { before, after }
  }

  const claim: Cells.Cells["claim"] = ({ at, limit, until }) =>
    Effect.sync(() => {
      const isDueBy = (time: number) => (row: RequestRow) => claimableAt(row) <= time
      const due = OrderedIndex.take(open.from(), limit, isDueBy(at))
      const misplanned = open.from(isDueBy(at + RequestTimes.maxWait))
      const claimed = [...due, ...OrderedIndex.take(misplanned, limit - due.length)].map((row) =>
        RequestRule.lease(row, { id: newLease(), until })
      )
      claimed.forEach(put)
      const [next] = open.from()
      return { rows: claimed, dueAt: next && claimableAt(next) }
    })

  Found.listen(ledger, {
    find: (requestId, found) => apply({ requestId, change: (row) => RequestRule.find(row, found) }),
    erase: (transaction, requestIds) => {
      const erased = [...rows.values()].filter(
        (row) => requestIds.includes(row.requestId) || Equal.equals(row.transaction, transaction)
      )
      const settled = erased.flatMap((row) => RequestRule.deleteTexts(row, Infinity) ?? [])
      settled.forEach(put)
      return {
        requests: settled.length,
        open: erased.filter(({ settledAt }) => settledAt === undefined).length
      }
    }
  })

  return Cells.store({
    write: (request, { at, until }) =>
      Effect.sync(() => {
        const row = rows.get(request.requestId)
        const lease = until === undefined ? undefined : { id: newLease(), until }
        return row === undefined
          ? { row: put(RequestRule.write(request, at, lease)), isNew: true }
          : { row, isNew: false }
      }),
    get: (requestId) => Effect.sync(() => rows.get(requestId)),
    change: (change) =>
      Effect.suspend(() => {
        const applied = apply(change)
        if (applied.after === undefined || change.registration === undefined) {
          return Effect.succeed({ ...applied, refusal: undefined })
        }
        const { at, registration } = change.registration
        return ledger.register(registration, at).pipe(
          Effect.as(undefined),
          Effect.catchTag("RegisteredDifferently", Effect.succeed),
          Effect.map((refusal) => ({ ...applied, refusal }))
        )
      }),
    claim,
    parked: ({ after, limit }) =>
      Effect.sync(() => {
        const behind = parked.from(
          (row) =>
            after !== undefined &&
            (parkedAt(row) - after.at || compareText(row.requestId, after.requestId)) <= 0
        )
        return OrderedIndex.take(behind, limit).filter(isParked)
      }),
    deleteTexts: ({ before, limit }) =>
      Effect.sync(() => {
        const oldest = OrderedIndex.take(texts.from(), limit)
        const deleted = oldest.flatMap((row) => RequestRule.deleteTexts(row, before) ?? [])
        deleted.forEach(put)
        return deleted.length
      }),
    isInTransaction: Effect.succeed(false),
    awaitWork: Effect.andThen(work.await, Effect.asVoid(work.close)),
    pollInterval: Duration.infinity
  })
})

const claimableAt = (row: RequestRow): number => RequestTimes.claimableAt(row) ?? Infinity
const parkedAt = ({ parked }: RequestRow): number => parked?.at ?? Infinity
const settledAt = ({ settledAt = Infinity }: RequestRow): number => settledAt

/** Makes an index by a time. */
const indexBy = (timeOf: (row: RequestRow) => number) =>
  OrderedIndex.make<RequestRow>(
    (one, two) => timeOf(one) - timeOf(two) || compareText(one.requestId, two.requestId)
  )

const compareText = (one: string, two: string): number => (one < two ? -1 : one > two ? 1 : 0)
