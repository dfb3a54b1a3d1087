/**
 * The work on transactions that are archived, for the processes of `rel archive` and for its end.
 */
import * as Evidence from "@pawl/core/Evidence"
import { Ledger } from "@pawl/webhook/Ledger"
import type { Leased } from "@pawl/webhook/Row"
import * as Effect from "effect/Effect"

export const day = 86_400_000

/** The time of a lease, in milliseconds. The leases of a killed process end soon. */
export const leaseTime = 300

/** Returns a page of rows to archive. */
export const pageAt = (now: number) => ({
  before: now - 7 * day,
  dueAfter: now + 2 * day,
  limit: 10
})

/** Works on the due rows: confirms and tells a chargeback, and plans the next read. Returns the number of rows. */
export const work = Effect.fnUntraced(function* <E>(
  now: number,
  tell: (row: Leased) => Effect.Effect<unknown, E>
) {
  const ledger = yield* Ledger
  const { rows } = yield* ledger.claim({ at: now, until: now + leaseTime, limit: 20 })
  for (const row of rows) {
    const release = { dueAt: now + 14 * day }
    const isNew =
      Evidence.claimedStatuses(row.evidence).includes("CHARGEBACK") && row.told !== "CHARGEBACK"
    if (isNew) yield* tell(row)
    const sequence = row.sequence + 1
    const to = "CHARGEBACK" as const
    yield* ledger.write(row, {
      release,
      askedAt: now,
      ...(isNew && {
        evidence: Evidence.confirmed(to),
        told: to,
        sequence,
        fact: { fact: "told" as const, sequence, to, at: now }
      })
    })
  }
  return rows.length
})
