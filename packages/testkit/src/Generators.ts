/**
 * What breaks receivers, for fast-check: statuses, observations and histories.
 *
 * **Details**
 *
 * Sequences are cheap enough for a million runs, and shrink by leaving out. What grows out of them has modules of
 * its own: `Generators/Deliveries` is what becomes of a history on its way, `Generators/Posts` makes signed requests
 * of it, and `Generators/Nouns` has the values of every schema of core, valid and hostile.
 *
 * **Example** (A status that comes late)
 *
 * ```ts
 * import { advance, rank, statuses } from "@pawl/core/Status"
 * import * as Generators from "@pawl/testkit/Generators"
 * import * as fc from "fast-check"
 *
 * fc.assert(
 *   fc.property(Generators.sequence(statuses), (seen) => {
 *     const stored = seen.slice(1).reduce((stored, each) => advance(stored, each).status, seen[0] ?? "NEW")
 *     return seen.every((each) => rank(each) <= rank(stored))
 *   })
 * )
 * ```
 *
 * @since 0.1.0
 */
import { type Status, statuses } from "@pawl/core/Status"
import type { OpenStatus } from "@pawl/core/Transaction"
import type * as fc from "fast-check"
import { pick, picks } from "./internal/generators/Picks.ts"
import * as Stories from "./internal/generators/Stories.ts"

/**
 * A status, and where it was seen: claimed by a callback, or confirmed by the service in the answer to a
 * call or in a read that was asked for at a time.
 *
 * @category models
 * @since 0.1.0
 */
export type Observation =
  | { readonly source: "callback" | "answer"; readonly status: OpenStatus }
  | { readonly source: "read"; readonly status: OpenStatus; readonly askedAt: number }

/**
 * Texts that are no status, among them those that every object has a member of.
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
 * The nine statuses, and texts that are none.
 *
 * @category constants
 * @since 0.1.0
 */
export const openStatuses: ReadonlyArray<OpenStatus> = [...statuses, ...unknownStatuses]

const observing = (table: ReadonlyArray<OpenStatus>): ReadonlyArray<Observation> =>
  [
    ...(["callback", "answer"] as const).flatMap((source) =>
      table.map((status): Observation => ({ source, status }))
    ),
    ...[0, 1, 2].flatMap((askedAt) =>
      table.map((status): Observation => ({ source: "read", status, askedAt }))
    )
  ].map((observation) => Object.freeze(observation))

/**
 * Every observation of one of the nine statuses, reads at three times; callbacks come first.
 *
 * @category constants
 * @since 0.1.0
 */
export const observationTable: ReadonlyArray<Observation> = observing(statuses)

/**
 * The same, and those of texts that are no status.
 *
 * @category constants
 * @since 0.1.0
 */
export const hostileObservationTable: ReadonlyArray<Observation> = [
  ...observationTable,
  ...observing(unknownStatuses)
]

/**
 * Makes the arbitrary of sequences of members of a table, up to 8 by default.
 *
 * **Details**
 *
 * It is far cheaper to draw than an `fc.array` of records. A sequence shrinks by leaving out, and each member towards
 * the front of the table; no member is in the table twice, and objects are frozen.
 *
 * @category arbitraries
 * @since 0.1.0
 */
export const sequence = <A>(
  table: ReadonlyArray<A>,
  options?: { readonly maxLength?: number }
): fc.Arbitrary<ReadonlyArray<A>> => picks(table, options?.maxLength ?? 8)

/**
 * Observations of one transaction, in order of arrival; any, so also such as no honest service makes.
 *
 * @category arbitraries
 * @since 0.1.0
 */
export const observations: fc.Arbitrary<ReadonlyArray<Observation>> = sequence(observationTable)

/**
 * The same, with statuses nobody knows among them.
 *
 * @category arbitraries
 * @since 0.1.0
 */
export const hostileObservations: fc.Arbitrary<ReadonlyArray<Observation>> =
  sequence(hostileObservationTable)

/**
 * What a transaction lived through: its statuses, in order. It is honest when it ends once.
 *
 * @category models
 * @since 0.1.0
 */
export interface History {
  readonly kind: Stories.Told
  readonly statuses: ReadonlyArray<Status>
  readonly isHonest: boolean
}

const told = (kind: Stories.Told, isHonest: boolean): ReadonlyArray<History> =>
  (isHonest ? Stories.honest : Stories.dishonest)(kind).map((statuses) =>
    Object.freeze({ kind, statuses, isHonest })
  )

/**
 * Makes the arbitrary of honest histories: of all kinds, or of one. Payments know challenges, late refunds
 * and chargebacks.
 *
 * @category arbitraries
 * @since 0.1.0
 */
export const histories = (kind?: Stories.Told): fc.Arbitrary<History> => historiesOf(kind, true)

/**
 * Makes the arbitrary of histories that end twice: SUCCEED and then FAILED, CANCELLED and then SUCCEED.
 *
 * @category arbitraries
 * @since 0.1.0
 */
export const dishonestHistories = (kind?: Stories.Told): fc.Arbitrary<History> =>
  historiesOf(kind, false)

const historiesOf = (kind: Stories.Told | undefined, isHonest: boolean) =>
  pick(
    (kind === undefined ? Stories.kinds : [kind])
      .flatMap((each) => told(each, isHonest))
      .toSorted((one, two) => one.statuses.length - two.statuses.length),
    (one, than) => isWithin(one.statuses, than.statuses)
  )

/** Whether all statuses of one history come in another, in the same order. */
const isWithin = (one: ReadonlyArray<Status>, other: ReadonlyArray<Status>): boolean =>
  other.filter((status) => one.includes(status)).join() === one.join()
