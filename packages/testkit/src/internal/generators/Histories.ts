/**
 * The sequences of statuses that a transaction can pass through, by kind.
 *
 * A transaction moves forward (`spec.md`, "Transaction statuses"), and may skip a status.
 */
import { type KnownKind, kindsOf } from "@pawl/core/Kind"
import type { Status } from "@pawl/core/Status"
import * as fc from "fast-check"

type Statuses = ReadonlyArray<Status>

export const kinds: ReadonlyArray<KnownKind> = [...kindsOf.apm, ...kindsOf.card]

const isPayment = (kind: KnownKind): boolean => kind === "apm-payment" || kind === "card-payment"

/** Each open status may be skipped. */
const beginnings = (kind: KnownKind): fc.Arbitrary<Statuses> =>
  isPayment(kind)
    ? fc.oneof(
        fc.subarray<Status>(["NEW", "PENDING", "PROCESSING", "CUSTOMER_VERIFICATION"]),
        fc.subarray<Status>(["NEW", "PENDING", "CUSTOMER_VERIFICATION", "PROCESSING"])
      )
    : fc.subarray<Status>(["NEW", "PENDING", "PROCESSING"])

const laterStatuses = (kind: KnownKind): Statuses => {
  if (isPayment(kind)) return ["REFUNDED", "CHARGEBACK"]
  return kind === "refund" ? [] : ["REFUNDED"]
}

const success = (kind: KnownKind): fc.Arbitrary<Statuses> =>
  fc.subarray<Status>([...laterStatuses(kind)]).map((later) => ["SUCCEED", ...later])

const honestEnds = (kind: KnownKind): fc.Arbitrary<Statuses> =>
  fc.oneof(
    { withCrossShrink: true },
    fc.constant([]),
    { arbitrary: success(kind), weight: 2 ** laterStatuses(kind).length },
    fc.constant<Statuses>(["FAILED"]),
    fc.constant<Statuses>(["CANCELLED"])
  )

const ends: Statuses = ["SUCCEED", "FAILED", "CANCELLED"]

const twoEnds: ReadonlyArray<Statuses> = ends.flatMap((one) =>
  ends.filter((two) => two !== one).map((two) => [one, two])
)

/** An honest service reports one of two ends, or a chargeback that the merchant won. */
const dishonestEnds = (kind: KnownKind): fc.Arbitrary<Statuses> => {
  const conflict = fc
    .tuple(fc.constantFrom(...twoEnds), fc.subarray<Status>([...laterStatuses(kind)]))
    .map((parts) => parts.flat())
  const won = fc.constant<Statuses>(["SUCCEED", "CHARGEBACK", "SUCCEED"])
  return isPayment(kind) ? fc.oneof({ weight: 4, arbitrary: conflict }, won) : conflict
}

export const statusesOf = (kind: KnownKind, isHonest: boolean): fc.Arbitrary<Statuses> =>
  fc
    .tuple(beginnings(kind), isHonest ? honestEnds(kind) : dishonestEnds(kind))
    .map(([beginning, end]) => [...beginning, ...end])
    .filter(({ length }) => length > 0)
