/**
 * The laws of a reducer: a function from all observations of one transaction to its standing.
 *
 * **Details**
 *
 * A callback only claims a status, because its checksum does not cover it; a response or a read of
 * the service confirms one. `@pawl/core/Reducer` obeys these laws.
 *
 * @since 0.1.0
 */
import type * as Evidence from "@pawl/core/Evidence"
import { initial, type Observation, reduce } from "@pawl/core/Reducer"
import { isStatus, isTerminal, rank } from "@pawl/core/Status"
import * as ReducerLaw from "../internal/laws/reducer/ReducerLaw.ts"
import * as Summary from "../internal/laws/reducer/Summary.ts"
import type * as Generators from "../Generators.ts"
import type * as Laws from "../Laws.ts"

export type { Reducer, Standing } from "../internal/laws/reducer/ReducerLaw.ts"

/**
 * Makes the reducer of `@pawl/core/Reducer` under a policy.
 *
 * @category constructors
 * @since 0.1.0
 */
export const evidenceReducer =
  (policy: Evidence.Policy = "final"): ReducerLaw.Reducer =>
  (observations) =>
    observations.filter(hasStatus).reduce(reduce, initial(policy)).standing

const hasStatus = (each: Generators.Observation): each is Observation => isStatus(each.status)

const { describe, hostile, known, sameStanding } = ReducerLaw
const { conflictOf, positionOf, summarize } = Summary

/**
 * Makes the laws of a reducer. The policy selects the claims that count before the service confirms
 * them: claims of open statuses (`final`, the default), none (`always`) or all (`never`).
 *
 * @category laws
 * @since 0.1.0
 */
export const laws = (policy: Evidence.Policy = "final"): ReadonlyArray<ReducerLaw.ReducerLaw> => {
  const counts = ({ source, status }: Summary.KnownObservation): boolean =>
    source !== "callback" || policy === "never" || (policy === "final" && !isTerminal(status))

  const counting = (text: Laws.LawText, check: Parameters<typeof known>[1]) =>
    known(text, (reducer, observations) => check(reducer, observations.filter(counts)))

  return [
    counting(
      {
        name: "the only status of the highest rank stands",
        section: 'spec.md, "States and transitions"',
        explanation:
          "Apply a status only if it ranks later. Of two terminal ones a confirmed one takes precedence over a claimed one. Without an observation that counts, no status stands."
      },
      (reducer, observations) => {
        const [expected, ...others] = Summary.strongestOf(summarize(observations))
        if (others.length > 0) return undefined
        const standing = reducer(observations)
        return (standing.status ?? undefined) === expected
          ? undefined
          : `Expected ${expected ?? "nothing"} to stand, but ${describe(standing)}.`
      }
    ),
    ...(policy === "never"
      ? []
      : [
          known(
            {
              name: "a claim that the policy ignores changes nothing",
              section: 'spec.md, "Callback checksum"',
              explanation:
                "The checksum covers the account, the amount, the currency and the transactionId, but not the status: the sender of one genuine callback can claim any status. So claims of terminal statuses (under the policy `always`, all claims) wait for a confirmation by the service."
            },
            (reducer, observations) =>
              sameStanding(
                reducer,
                observations,
                observations.filter(counts),
                "Without the ignored claims:"
              )
          )
        ]),
    known(
      {
        name: "the order of arrival does not matter",
        section: 'spec.md, "Events"',
        explanation:
          "Callbacks of one transaction can arrive out of order, and so can responses to reads: the standing depends on the observations, not on the order in which they arrived."
      },
      (reducer, observations) =>
        sameStanding(
          reducer,
          observations,
          observations.toSorted((one, two) => positionOf(one) - positionOf(two)),
          "In another order:"
        )
    ),
    known(
      {
        name: "repeats do not matter",
        section: 'spec.md, "Events"',
        explanation: "Delivery is at least once: the same callback can arrive more than once."
      },
      (reducer, observations) =>
        sameStanding(
          reducer,
          observations,
          Summary.withoutRepeats(observations),
          "Without the repeats:"
        )
    ),
    counting(
      {
        name: "the rank of the standing status never falls",
        section: 'spec.md, "States and transitions"',
        explanation:
          "A transaction moves forward: after another observation the standing status does not rank below the one before."
      },
      (reducer, observations) => {
        const before = reducer(observations.slice(0, -1))
        const after = reducer(observations)
        return isStatus(before.status) &&
          isStatus(after.status) &&
          rank(after.status) < rank(before.status)
          ? `Before the last observation ${describe(before)}; after it ${describe(after)}.`
          : undefined
      }
    ),
    counting(
      {
        name: "a conflict lists exactly the terminal statuses that contradict each other",
        section: "docs/decisions/0001",
        explanation:
          "Several confirmed terminal statuses of the highest rank are a conflict (FAILED, then SUCCEED: both were true). So are several claimed ones if none is confirmed."
      },
      (reducer, observations) => {
        const expected = conflictOf(summarize(observations))
        const standing = reducer(observations)
        const listed = new Set(standing.conflict)
        return listed.size === expected.length && expected.every((each) => listed.has(each))
          ? undefined
          : `Expected ${expected.length === 0 ? "no conflict" : `the conflict ${expected.join(" / ")}`}, but ${describe(standing)}.`
      }
    ),
    counting(
      {
        name: "in a conflict, only the status that was read last stands",
        section: "docs/decisions/0001",
        explanation:
          "Only the service can settle a conflict, by the read that was sent last. The order of arrival never does."
      },
      (reducer, observations) => {
        const summary = summarize(observations)
        const conflict = conflictOf(summary)
        const [read, ...others] = summary.lastRead
        if (conflict.length === 0 || others.some((each) => each !== read)) return undefined
        const expected = conflict.find((each) => each === read)
        const standing = reducer(observations)
        const isRight =
          expected === undefined
            ? !isStatus(standing.status) || !isTerminal(standing.status)
            : standing.status === expected
        return isRight
          ? undefined
          : `${read ?? "Nothing"} was read last. Expected ${expected ?? "none of them"} to stand, but ${describe(standing)}.`
      }
    ),
    counting(
      {
        name: "CUSTOMER_VERIFICATION takes precedence over PROCESSING, in either order",
        section: 'spec.md, "Transaction statuses"',
        explanation:
          "Their ranks are equal, and a 3D Secure challenge waits for the customer: a shop that sees only PROCESSING does not show the challenge."
      },
      (reducer, observations) => {
        const { highest } = summarize(observations)
        if (!highest.includes("CUSTOMER_VERIFICATION") || highest.length === 1) return undefined
        const standing = reducer(observations)
        return standing.status === "CUSTOMER_VERIFICATION" ? undefined : `${describe(standing)}.`
      }
    ),
    counting(
      {
        name: "the standing status is confirmed exactly if a response or a read stated it",
        section: 'spec.md, "Callback checksum"',
        explanation:
          "A response or a read confirms the status it states. A callback never confirms one, nor does a read of another status."
      },
      (reducer, observations) => {
        const standing = reducer(observations)
        const { confirmed } = summarize(observations)
        return standing.confirmed === (isStatus(standing.status) && confirmed.has(standing.status))
          ? undefined
          : `${describe(standing)}.`
      }
    ),
    hostile(
      {
        name: "an unknown status changes nothing and does not throw",
        section: "docs/decisions/0008",
        explanation:
          "The service may add statuses, and the checksum does not cover the field: an unknown status is stored elsewhere and never acted on."
      },
      (reducer, observations) =>
        sameStanding(
          reducer,
          observations,
          observations.filter(Summary.isKnown),
          "Without the unknown statuses:"
        )
    )
  ]
}
