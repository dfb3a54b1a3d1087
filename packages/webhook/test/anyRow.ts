import { type Status, statuses } from "@pawl/core/Status"
import { optional } from "@pawl/test-support/Properties"
import fc from "fast-check"
import * as Fact from "../src/internal/rule/Fact.ts"
import { type Lane, lanes, blank } from "../src/internal/rule/Row.ts"
import type { StoredRow } from "../src/internal/rule/StoredRow.ts"

export const time = fc.nat({ max: 20 })
export const status = fc.constantFrom(...statuses)
export const evidence = fc.nat({ max: 2 ** 18 - 1 })
export const lane = fc.constantFrom(...lanes)
export const read = fc.record({ status, askedAt: time })
export const bytes = fc.constantFrom("one", "two").map((text) => new TextEncoder().encode(text))
export const signed = (amount: string) => ({
  account: "mid-1",
  amount,
  currency: "EUR",
  transactionId: "100001"
})
const someStatuses = <A>(arbitrary: fc.Arbitrary<A>): fc.Arbitrary<Partial<Record<Status, A>>> =>
  fc.dictionary(status, arbitrary, { maxKeys: 3 }).map((each) => ({ ...each }))

/** The fields of a row that have all kinds of values, with numbers of a kind. */
export const rowFields = <Reason>(number: fc.Arbitrary<number>, reason: fc.Arbitrary<Reason>) => ({
  registered: fc.boolean(),
  isOrderRegistered: fc.boolean(),
  namesPayout: fc.boolean(),
  namesRefund: fc.boolean(),
  amountCleared: fc.boolean(),
  isErased: fc.boolean(),
  read: optional(fc.record({ status, askedAt: number })),
  callbacks: number,
  secret: fc.constantFrom("current", "previous", undefined),
  told: optional(status),
  sequence: number,
  pendingStatus: optional(status),
  attempt: number,
  failingSince: optional(number),
  retryAt: number,
  newStatusAt: number,
  polls: number,
  pollAt: optional(number),
  askedAt: optional(number),
  unconfirmedAt: optional(number),
  deadLetter: optional(fc.record({ reason, at: number, to: optional(status) }))
})

const reasons = fc.constantFrom("handler-failed", "unknown-transaction", "amount-mismatch")

export const storedRows: fc.Arbitrary<StoredRow> = fc
  .record({
    row: fc.record({
      ...rowFields(time, reasons),
      kind: fc.constantFrom("card", "card-payment"),
      ordered: optional(fc.constant({ amount: "10.00" })),
      evidence,
      // The first character of a field of a newer version is its name.
      unknown: fc.subarray(["Y1", "Y2", "Z1", "Z2"], { minLength: 1 }),
      newestCallbacks: someStatuses(
        fc.oneof(
          fc.record({ at: time, signed: optional(fc.constant(signed("10.00"))) }),
          fc.record({ at: time, signed: fc.constant(signed("10.00")), size: fc.constant(5000) })
        )
      )
    }),
    dueAt: optional(time),
    lane,
    lease: optional(fc.record({ id: fc.constantFrom(1, 2), until: time, evidence })),
    bodies: someStatuses(bytes),
    facts: fc.constantFrom(Fact.none, Fact.add(Fact.none, Fact.redriven(3))),
    accepted: someStatuses(
      fc.tuple(time, fc.integer({ min: 1, max: 5 })).map(([at, count]) => ({ at, count }))
    )
  })
  .map((stored) => ({ ...stored, row: { ...blank(stored.row.kind, "100001", 0), ...stored.row } }))

const moreUrgent = (one: Lane, two: Lane) =>
  lanes[Math.min(lanes.indexOf(one), lanes.indexOf(two))] ?? one

export const due = ({ dueAt, lane }: StoredRow, at: number | undefined, inLane: Lane) => {
  if (at === undefined) return { dueAt, lane }
  return dueAt === undefined
    ? { dueAt: at, lane: inLane }
    : { dueAt: Math.min(dueAt, at), lane: moreUrgent(lane, inLane) }
}

export const check = <A>(input: fc.Arbitrary<A>, holds: (stored: StoredRow, input: A) => void) => {
  fc.assert(fc.property(storedRows, input, holds), { numRuns: 1000 })
}
