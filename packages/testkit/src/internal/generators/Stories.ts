/**
 * Every history a transaction can have, by kind.
 *
 * **Details**
 *
 * A transaction moves forward (`spec.md`, "Transaction statuses"), may skip what it passes in no time, and
 * may be asked of before it ended. Which kinds know a challenge, a refund or a chargeback is not documented;
 * here payments know all three, payouts and refunds none.
 *
 * @since 0.1.0
 */
import type { Status } from "@pawl/core/Status"
import type { KnownKind } from "@pawl/core/Kind"

/**
 * The kinds of transactions that have a history.
 *
 * @category models
 * @since 0.1.0
 */
export type Told = KnownKind

/**
 * The kinds of transactions that have a history, all of them.
 *
 * @category constants
 * @since 0.1.0
 */
export const kinds: ReadonlyArray<Told> = [
  "apm-payment",
  "apm-payout",
  "card-payment",
  "card-payout",
  "refund"
]

type Statuses = ReadonlyArray<Status>

/** The ways through the first three statuses, each of which may be passed over. */
const beginnings: ReadonlyArray<Statuses> = (["NEW", "PENDING", "PROCESSING"] as const).reduce<
  ReadonlyArray<Statuses>
>((ways, status) => [...ways, ...ways.map((way) => [...way, status])], [[]])

/** The same with a challenge, before PROCESSING or behind everything. */
const challenged = beginnings.flatMap((way): ReadonlyArray<Statuses> => {
  const at = way.indexOf("PROCESSING")
  const behind: Statuses = [...way, "CUSTOMER_VERIFICATION"]
  return at === -1 ? [behind] : [behind, way.toSpliced(at, 0, "CUSTOMER_VERIFICATION")]
})

const plainEnds: ReadonlyArray<Statuses> = [[], ["SUCCEED"], ["FAILED"], ["CANCELLED"]]

const paymentEnds: ReadonlyArray<Statuses> = [
  ...plainEnds,
  ["SUCCEED", "REFUNDED"],
  ["SUCCEED", "CHARGEBACK"],
  ["SUCCEED", "REFUNDED", "CHARGEBACK"]
]

/** Two ends, of which an honest service says one. */
const dishonestEnds: ReadonlyArray<Statuses> = [
  ["SUCCEED", "FAILED"],
  ["FAILED", "SUCCEED"],
  ["SUCCEED", "CANCELLED"],
  ["CANCELLED", "SUCCEED"]
]

const isPayment = (kind: Told): boolean => kind === "apm-payment" || kind === "card-payment"

const joined = (kind: Told, ends: ReadonlyArray<Statuses>): ReadonlyArray<Statuses> =>
  (isPayment(kind) ? [...beginnings, ...challenged] : beginnings)
    .flatMap((way) => ends.map((end) => [...way, ...end]))
    .filter((statuses) => statuses.length > 0)
    .toSorted((one, two) => one.length - two.length)

/**
 * Lists every honest history of a kind, the shortest first.
 *
 * @category constructors
 * @since 0.1.0
 */
export const honest = (kind: Told): ReadonlyArray<Statuses> =>
  joined(kind, isPayment(kind) ? paymentEnds : plainEnds)

/**
 * Lists every history of a kind that ends twice, the shortest first.
 *
 * @category constructors
 * @since 0.1.0
 */
export const dishonest = (kind: Told): ReadonlyArray<Statuses> => joined(kind, dishonestEnds)
