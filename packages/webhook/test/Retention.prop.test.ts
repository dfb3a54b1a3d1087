import { statuses } from "@pawl/core/Status"
import fc from "fast-check"
import { expect, it } from "vitest"
import { isDeletable } from "../src/internal/rule/Erasure.ts"
import type { StoredRow } from "../src/internal/rule/StoredRow.ts"
import { lane, storedRows, time } from "./anyRow.ts"

/** A row whose handler was told an end, without any work but a read of the watch. */
const done = fc
  .record({
    stored: storedRows,
    told: fc.constantFrom("SUCCEED" as const, "FAILED", "CANCELLED", "REFUNDED", "CHARGEBACK"),
    newStatusAt: time,
    dueAt: fc.option(time, { nil: undefined })
  })
  .map(({ dueAt, newStatusAt, stored, told }): StoredRow => ({
    ...stored,
    row: { ...stored.row, told, newStatusAt, deadLetter: undefined },
    lease: undefined,
    dueAt,
    lane: dueAt === undefined ? stored.lane : "watch"
  }))

const newest = (rows: ReadonlyArray<StoredRow>) =>
  Math.max(...rows.map(({ row }) => row.newStatusAt))

it("a transaction whose rows are all done may be deleted from its last new status on, and not before", () => {
  fc.assert(
    fc.property(fc.array(done, { minLength: 1, maxLength: 3 }), (rows) => {
      expect(isDeletable(rows, newest(rows))).toBe(false)
      expect(isDeletable(rows, newest(rows) + 1)).toBe(true)
    })
  )
})

it("one row that is open, leased or parked keeps its transaction for ever", () => {
  const open = statuses.filter((status) =>
    ["NEW", "PENDING", "PROCESSING", "CUSTOMER_VERIFICATION"].includes(status)
  )
  const busy = fc.oneof(
    fc.constantFrom(undefined, ...open).map((told) => (stored: StoredRow) => ({
      ...stored,
      row: { ...stored.row, told }
    })),
    fc
      .record({ dueAt: time, lane: lane.filter((each) => each !== "watch") })
      .map((work) => (stored: StoredRow) => ({ ...stored, ...work })),
    time.map((until) => (stored: StoredRow) => ({
      ...stored,
      lease: { id: 1, until, evidence: stored.row.evidence }
    })),
    time.map((at) => (stored: StoredRow) => ({
      ...stored,
      row: {
        ...stored.row,
        deadLetter: { reason: "handler-failed" as const, at, to: undefined }
      }
    }))
  )
  fc.assert(
    fc.property(fc.array(done, { maxLength: 2 }), done, busy, (rows, stored, change) => {
      expect(isDeletable([...rows, change(stored)], Infinity)).toBe(false)
    })
  )
})

it("a transaction without rows is not one to delete", () => {
  expect(isDeletable([], Infinity)).toBe(false)
})
