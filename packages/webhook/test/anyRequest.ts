import { optional } from "@pawl/test-support/Properties"
import fc from "fast-check"
import { expect } from "vitest"
import type { NewRequest, Outcome, RequestRow } from "../src/internal/rule/RequestRow.ts"

/** Often a whole minute, so that times are equal, or as far apart as a limit. */
export const time = fc.oneof(
  fc.nat({ max: 20 * 60_000 }),
  fc.nat({ max: 20 }).map((minutes) => minutes * 60_000)
)
const lease = fc.record({ id: fc.constantFrom(1, 2), until: time, inDoubt: fc.boolean() })
export const outcome: fc.Arbitrary<Outcome> = fc.constantFrom(
  { _tag: "Answered", text: "a" },
  { _tag: "Answered", text: undefined },
  { _tag: "Refused", text: "r" },
  { _tag: "Found" },
  { _tag: "NotSent", reason: "no-effect" },
  { _tag: "NotSent", reason: "cancelled" }
)
export const reasons = ["404", "400"] as const

const rows: fc.Arbitrary<RequestRow> = fc.record({
  requestId: fc.constant("1"),
  kind: fc.constantFrom("apm-payment", "card-payment"),
  digest: fc.constant("digest"),
  hasCardData: fc.boolean(),
  ordered: optional(fc.constant({ amount: "10.00" })),
  body: optional(fc.constant("sealed")),
  createdAt: time,
  retryFrom: time,
  expiresAt: optional(time),
  begunAt: optional(time),
  attempts: fc.nat({ max: 5 }),
  refusals: optional(
    fc.record({ reason: fc.constantFrom(...reasons), count: fc.nat({ max: 4 }), since: time })
  ),
  dueAt: optional(time),
  lease: optional(lease),
  outcome: optional(outcome),
  settledAt: optional(time),
  transaction: optional(fc.constant({ method: "apm" as const, transactionId: "100001" })),
  deniedTransactionId: optional(fc.constant("100002")),
  parked: optional(fc.record({ reason: fc.constant("no-key" as const), at: time }))
})

export const check = <A>(
  input: fc.Arbitrary<A>,
  operate: (row: RequestRow, input: A) => RequestRow | undefined,
  expected: (row: RequestRow, input: A) => RequestRow | undefined
) => {
  fc.assert(
    fc.property(rows, input, (row, value) => {
      expect(operate(row, value)).toStrictEqual(expected(row, value))
    }),
    { numRuns: 1000 }
  )
}

export const holder = (row: RequestRow, id: number) =>
  row.lease?.id === id ? row.lease : undefined

export const known = (row: RequestRow, found: Outcome, at: number): RequestRow => ({
  ...row,
  ...(found._tag !== "Found" && { body: undefined }),
  ...(found._tag === "NotSent" && { begunAt: undefined }),
  refusals: undefined,
  dueAt: undefined,
  lease: undefined,
  parked: undefined,
  outcome: found,
  settledAt: at
})

export const request = (row: RequestRow) =>
  ({
    requestId: "1",
    kind: row.kind,
    digest: "digest",
    hasCardData: row.hasCardData,
    ordered: row.ordered,
    body: "sealed",
    expiresAt: row.expiresAt
  }) satisfies NewRequest

/** Makes a new row: begun with a lease, else due. */
export const fresh = (
  row: RequestRow,
  at: number,
  given?: { id: number; until: number }
): RequestRow => ({
  ...request(row),
  createdAt: at,
  retryFrom: at,
  begunAt: given === undefined ? undefined : at,
  attempts: given === undefined ? 0 : 1,
  refusals: undefined,
  dueAt: given === undefined ? at : undefined,
  lease: given === undefined ? undefined : { ...given, inDoubt: false },
  outcome: undefined,
  settledAt: undefined,
  transaction: undefined,
  deniedTransactionId: undefined,
  parked: undefined
})

export const newLease = fc.record({ id: fc.constant(3), until: time })
