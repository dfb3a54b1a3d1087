/**
 * fast-check arbitraries of the inputs that break receivers: statuses, observations, histories,
 * their faulty deliveries, signed callbacks, and valid and hostile values of every schema of core.
 *
 * **Example** (A late status)
 *
 * ```ts
 * import { advance, rank, statuses } from "@pawl/core/Status"
 * import * as Generators from "@pawl/testkit/Generators"
 * import * as fc from "fast-check"
 *
 * fc.assert(
 *   fc.property(Generators.sequence(statuses), (incoming) => {
 *     const stored = incoming.slice(1).reduce((stored, each) => advance(stored, each).status, incoming[0] ?? "NEW")
 *     return incoming.every((each) => rank(each) <= rank(stored))
 *   })
 * )
 * ```
 *
 * @since 0.1.0
 */
import type { KnownKind } from "@pawl/core/Kind"
import { type Status, statuses } from "@pawl/core/Status"
import type { OpenStatus } from "@pawl/core/Transaction"
import * as fc from "fast-check"
import * as Histories from "./internal/generators/Histories.ts"
import * as Sequence from "./internal/generators/Sequence.ts"

export {
  type CallbackContent,
  callbacks,
  contents,
  fromDelivery,
  toIncoming,
  toRequest
} from "./internal/generators/CallbackRequests.ts"
export {
  type Arrival,
  deliver,
  type Delivered,
  deliveries,
  type Delivery,
  traffic,
  type TrafficTransaction
} from "./internal/generators/Deliveries.ts"
export { hostile, nouns, sent, values } from "./internal/generators/Nouns.ts"

/**
 * A status and its source. A callback claims it; an authenticated response or a read confirms it.
 * `askedAt` orders the reads by the time they were sent.
 *
 * @category models
 * @since 0.1.0
 */
export type Observation =
  | { readonly source: "callback" | "response"; readonly status: OpenStatus }
  | { readonly source: "read"; readonly status: OpenStatus; readonly askedAt: number }

/**
 * Texts that are not statuses, some of them names of members that every JavaScript object has.
 *
 * @category constants
 * @since 0.1.0
 */
export const unknownStatuses: ReadonlyArray<string> = [
  "SETTLED",
  "succeed",
  "__proto__",
  "constructor",
  "toString",
  "SUCCEED ",
  "ＮＥＷ",
  ""
]

/**
 * The nine statuses, and the unknown ones.
 *
 * @category constants
 * @since 0.1.0
 */
export const openStatuses: ReadonlyArray<OpenStatus> = [...statuses, ...unknownStatuses]

const observationsOf = (table: ReadonlyArray<OpenStatus>): ReadonlyArray<Observation> =>
  [
    ...(["callback", "response"] as const).flatMap((source) =>
      table.map((status): Observation => ({ source, status }))
    ),
    ...[0, 1, 2].flatMap((askedAt) =>
      table.map((status): Observation => ({ source: "read", status, askedAt }))
    )
  ].map((observation) => Object.freeze(observation))

/**
 * Every observation of the nine statuses, with reads at three times. Callbacks come first.
 *
 * @category constants
 * @since 0.1.0
 */
export const observationTable: ReadonlyArray<Observation> = observationsOf(statuses)

/**
 * Every observation of the nine statuses and of the unknown ones.
 *
 * @category constants
 * @since 0.1.0
 */
export const hostileObservationTable: ReadonlyArray<Observation> = [
  ...observationTable,
  ...observationsOf(unknownStatuses)
]

/**
 * Makes the arbitrary of sequences of members of a table, up to 8 by default. A sequence shrinks by
 * leaving members out, and each member towards the front of the table.
 *
 * **Gotchas**
 *
 * Members are compared by identity and shared between sequences: list none twice, and freeze
 * objects.
 *
 * @category arbitraries
 * @since 0.1.0
 */
export const sequence = <A>(
  table: ReadonlyArray<A>,
  options?: { readonly maxLength?: number }
): fc.Arbitrary<ReadonlyArray<A>> => Sequence.sequence(table, options?.maxLength ?? 8)

/**
 * Observations of one transaction in order of arrival, including those that no honest service
 * makes.
 *
 * @category arbitraries
 * @since 0.1.0
 */
export const observations: fc.Arbitrary<ReadonlyArray<Observation>> = sequence(observationTable)

/**
 * Observations of one transaction, including unknown statuses.
 *
 * @category arbitraries
 * @since 0.1.0
 */
export const hostileObservations: fc.Arbitrary<ReadonlyArray<Observation>> =
  sequence(hostileObservationTable)

/**
 * The statuses that one transaction passed through.
 *
 * @category models
 * @since 0.1.0
 */
export interface History {
  /** The kind of the transaction. */
  readonly kind: KnownKind
  /** The statuses in order. */
  readonly statuses: ReadonlyArray<Status>
  /** Whether it has one end at most. */
  readonly isHonest: boolean
}

/**
 * Makes the arbitrary of honest histories of one kind, or of all. Payments may have a challenge, a
 * refund and a chargeback; payouts may become REFUNDED.
 *
 * @category arbitraries
 * @since 0.1.0
 */
export const histories = (kind?: KnownKind): fc.Arbitrary<History> => historiesOf(kind, true)

/**
 * Makes the arbitrary of histories with two ends, such as SUCCEED and then FAILED. REFUNDED and
 * CHARGEBACK may follow, and SUCCEED after a chargeback that is won.
 *
 * @category arbitraries
 * @since 0.1.0
 */
export const dishonestHistories = (kind?: KnownKind): fc.Arbitrary<History> =>
  historiesOf(kind, false)

const historiesOf = (kind: KnownKind | undefined, isHonest: boolean): fc.Arbitrary<History> =>
  fc.oneof(
    ...(kind === undefined ? Histories.kinds : [kind]).map((kind) =>
      Histories.statusesOf(kind, isHonest).map((statuses) => ({ kind, statuses, isHonest }))
    )
  )
