/**
 * The sequences of statuses that a transaction can pass through, by kind.
 *
 * A transaction moves forward (`spec.md`, "Transaction statuses"), may skip a status, and may not have ended yet.
 * The kinds that have challenges, refunds and chargebacks are not documented. Here payments have all three; payouts
 * and refunds have none.
 */
import { type KnownKind, kindsOf } from "@pawl/core/Kind"
import type { Status } from "@pawl/core/Status"
import * as fc from "fast-check"

type Statuses = ReadonlyArray<Status>

/** The kinds of transactions that have a history. */
export const kinds: ReadonlyArray<KnownKind> = [...kindsOf.apm, ...kindsOf.card]

const isPayment = (kind: KnownKind): boolean => kind === "apm-payment" || kind === "card-payment"

/** The open statuses, each of which may be skipped. A challenge comes before or after PROCESSING. */
const beginnings = (kind: KnownKind): fc.Arbitrary<Statuses> =>
  isPayment(kind)
    ? fc.oneof(
        fc.subarray<Status>(["NEW", "PENDING", "PROCESSING", "CUSTOMER_VERIFICATION"]),
        fc.subarray<Status>(["NEW", "PENDING", "CUSTOMER_VERIFICATION", "PROCESSING"])
      )
    : fc.subarray<Status>(["NEW", "PENDING", "PROCESSING"])

const success = (kind: KnownKind): fc.Arbitrary<Statuses> =>
  fc
    .subarray<Status>(isPayment(kind) ? ["REFUNDED", "CHARGEBACK"] : [])
    .map((later) => ["SUCCEED", ...later])

const honestEnds = (kind: KnownKind): fc.Arbitrary<Statuses> =>
  fc.oneof(
    { withCrossShrink: true },
    fc.constant([]),
    { arbitrary: success(kind), weight: isPayment(kind) ? 4 : 1 },
    fc.constant<Statuses>(["FAILED"]),
    fc.constant<Statuses>(["CANCELLED"])
  )

/** Two ends, of which an honest service reports one. */
const dishonestEnds: fc.Arbitrary<Statuses> = fc.constantFrom<Array<Statuses>>(
  ["SUCCEED", "FAILED"],
  ["FAILED", "SUCCEED"],
  ["SUCCEED", "CANCELLED"],
  ["CANCELLED", "SUCCEED"]
)

/** Makes the arbitrary of the statuses of one kind. A dishonest service reports two ends. */
export const statusesOf = (kind: KnownKind, isHonest: boolean): fc.Arbitrary<Statuses> =>
  fc
    .tuple(beginnings(kind), isHonest ? honestEnds(kind) : dishonestEnds)
    .map(([beginning, end]) => [...beginning, ...end])
    .filter(({ length }) => length > 0)
