/**
 * The request store in memory: a map of rows over `RequestRule`.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import { Ledger } from "../../Ledger.ts"
import { isParked, type RequestRow } from "../../RequestRow.ts"
import * as RequestRule from "../../RequestRule.ts"
import * as RequestTimes from "../../RequestTimes.ts"
import type { RequestStore } from "../../RequestStore.ts"
import * as Cells from "../requests/Cells.ts"
import * as Found from "../requests/Found.ts"

/** Makes an empty store beside a ledger. */
export const make: Effect.Effect<RequestStore["Service"], never, Ledger> = Effect.gen(function* () {
  const ledger = yield* Ledger
  const rows = new Map<string, RequestRow>()
  const work = yield* Latch.make()
  let leases = 0
  const newLease = () => ++leases

  const put = (row: RequestRow): RequestRow => {
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
      const open = [...rows.values()].flatMap((row) => {
        const time = RequestTimes.claimableAt(row)
        return time === undefined ? [] : [{ row, time }]
      })
      const claimed = open
        .filter(({ row }) => RequestTimes.isClaimable(row, at))
        .toSorted((one, two) => one.time - two.time)
        .slice(0, limit)
        .map(({ row }) => RequestRule.lease(row, { id: newLease(), until }))
      claimed.forEach(put)
      const times = [...rows.values()].flatMap((row) => RequestTimes.claimableAt(row) ?? [])
      return { rows: claimed, dueAt: times.length === 0 ? undefined : Math.min(...times) }
    })

  Found.listen(ledger, (requestId, found) =>
    apply({ requestId, change: (row) => RequestRule.find(row, found) })
  )

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
      Effect.sync(() =>
        [...rows.values()]
          .filter(isParked)
          .toSorted(
            (one, two) => one.parked.at - two.parked.at || (one.requestId < two.requestId ? -1 : 1)
          )
          .filter(
            ({ parked: { at }, requestId }) =>
              after === undefined ||
              at > after.at ||
              (at === after.at && requestId > after.requestId)
          )
          .slice(0, limit)
      ),
    deleteTexts: ({ before, limit }) =>
      Effect.sync(() => {
        const deleted = [...rows.values()]
          .flatMap((row) => RequestRule.deleteTexts(row, before) ?? [])
          .slice(0, limit)
        deleted.forEach(put)
        return deleted.length
      }),
    isInTransaction: Effect.succeed(false),
    awaitWork: Effect.andThen(work.await, Effect.asVoid(work.close)),
    pollInterval: Duration.infinity
  })
})
