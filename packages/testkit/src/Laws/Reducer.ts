/**
 * The laws of a reducer: what says where a transaction stands, from all that was observed of it.
 *
 * **Details**
 *
 * An observation is a status and where it was seen: claimed by a callback, whose checksum does not cover it,
 * or confirmed by the service itself, in an answer or a read. The laws are those of `@pawl/core/Evidence`; a
 * reducer of your own can be held against them too.
 *
 * @since 0.1.0
 */
import * as Evidence from "@pawl/core/Evidence"
import { isStatus, isTerminal, rank, statuses } from "@pawl/core/Status"
import * as Generators from "../Generators.ts"
import { sequences } from "../internal/laws/Short.ts"
import { isKnown, type Known, lay, once, place, rivals, survey } from "../internal/laws/Survey.ts"
import * as Laws from "../Laws.ts"

/**
 * Where a transaction stands: the status that holds, if one does, whether the service itself said so, and
 * the ends it confirmed, if several.
 *
 * @category models
 * @since 0.1.0
 */
export interface Stand {
  readonly status: string | null | undefined
  readonly confirmed: boolean
  readonly conflict: ReadonlyArray<string> | null | undefined
}

/**
 * What is put to the test: a function of everything observed of one transaction, in order of arrival.
 *
 * @category models
 * @since 0.1.0
 */
export type Reducer = (seen: ReadonlyArray<Generators.Observation>) => Stand

/**
 * Makes the reducer of `@pawl/core/Evidence` under a policy.
 *
 * @category constructors
 * @since 0.1.0
 */
export const ours =
  (policy: Evidence.Policy = "final"): Reducer =>
  (seen) => {
    let evidence = Evidence.none
    let read: Evidence.Read | undefined
    for (const each of seen) {
      const { source, status } = each
      const weight = (source === "callback" ? claims : confirmations).get(status)
      if (weight === undefined) continue
      evidence = Evidence.join(evidence, weight)
      if (source === "read") read = Evidence.joinRead(read, each as Evidence.Read)
    }
    return Evidence.standing(evidence, read?.status, policy)
  }

/** What each status is worth, found by one look: a fold over these costs half of one that asks for each. */
const claims = new Map<unknown, Evidence.Evidence>(
  statuses.map((status) => [status, Evidence.claimed(status)])
)
const confirmations = new Map<unknown, Evidence.Evidence>(
  statuses.map((status) => [status, Evidence.confirmed(status)])
)

const say = ({ confirmed, conflict, status }: Stand): string =>
  `${status ?? "nothing"} stands, ${confirmed ? "confirmed" : "not confirmed"}, ${
    conflict === null || conflict === undefined
      ? "without conflict"
      : `in conflict ${conflict.join(" / ")}`
  }`

const isSame = (one: Stand, two: Stand): boolean =>
  (one.status ?? null) === (two.status ?? null) &&
  one.confirmed === two.confirmed &&
  (one.conflict ?? []).join() === (two.conflict ?? []).join()

type Law = Laws.Law<Reducer, ReadonlyArray<Generators.Observation>>

type Wrong<A> = (reducer: Reducer, seen: ReadonlyArray<A>) => string | undefined

const open = (about: Laws.About, wrong: Wrong<Generators.Observation>): Law =>
  Laws.property(about, {
    arbitrary: Generators.hostileObservations,
    short: () => sequences(Generators.hostileObservationTable, 2),
    show: lay,
    wrong
  })

const known = (about: Laws.About, wrong: Wrong<Known>): Law =>
  Laws.property(about, {
    arbitrary: Generators.observations,
    short: () => sequences(Generators.observationTable, 2),
    show: lay,
    wrong: (reducer, seen) => wrong(reducer, seen.filter(isKnown))
  })

/** Holds a sequence against another that is to come to the same. */
const alike = (
  reducer: Reducer,
  seen: ReadonlyArray<Generators.Observation>,
  other: ReadonlyArray<Generators.Observation>,
  how: string
): string | undefined => {
  const one = reducer(seen)
  const two = reducer(other)
  return isSame(one, two) ? undefined : `${say(one)}.\n\n${how}\n${lay(other)}\n\n${say(two)}.`
}

/**
 * Makes the laws of a reducer under a policy: which claims count before the service confirmed them, those
 * below the final rank (`final`, the default), none (`always`) or all (`never`).
 *
 * @category laws
 * @since 0.1.0
 */
export const laws = (policy: Evidence.Policy = "final"): ReadonlyArray<Law> => {
  const counts = ({ source, status }: Known): boolean =>
    source !== "callback" || policy === "never" || (policy === "final" && !isTerminal(status))

  /** A law about what counts; what does not is a law of its own. */
  const counting = (about: Laws.About, wrong: Wrong<Known>) =>
    known(about, (reducer, seen) => wrong(reducer, seen.filter(counts)))

  return [
    counting(
      {
        name: "where one status alone ranks highest of what counts, it stands",
        section: 'spec.md, "States and transitions"',
        explanation:
          "The documented rule, where it is not torn: apply only what ranks later. With nothing that counts nothing stands."
      },
      (reducer, seen) => {
        const { tops } = survey(seen)
        const [expected] = tops
        if (tops.length > 1) return undefined
        const found = reducer(seen)
        return (found.status ?? undefined) === expected
          ? undefined
          : `${expected ?? "Nothing"} is to stand, but ${say(found)}.`
      }
    ),
    ...(policy === "never"
      ? []
      : [
          known(
            {
              name: "a claim that does not count changes nothing",
              section: 'spec.md, "Callback checksum"',
              explanation:
                "The checksum covers the account, the amount, the currency and the transactionId, and not the status: who saw one callback can claim any status. So the ends (under the policy `always`, all claims) wait for the service itself."
            },
            (reducer, seen) =>
              alike(reducer, seen, seen.filter(counts), "Without what does not count:")
          )
        ]),
    known(
      {
        name: "the order of arrival never matters",
        section: 'spec.md, "Events"',
        explanation:
          "Callbacks of one transaction can arrive out of order, and so can the answers to our own questions: where a transaction stands depends on what was observed, not on when that arrived."
      },
      (reducer, seen) =>
        alike(
          reducer,
          seen,
          seen.toSorted((one, two) => place(one) - place(two)),
          "In another order:"
        )
    ),
    known(
      {
        name: "repeats never matter",
        section: 'spec.md, "Events"',
        explanation: "Delivery is at least once: the same callback can arrive more than once."
      },
      (reducer, seen) => alike(reducer, seen, once(seen), "Each once:")
    ),
    counting(
      {
        name: "the rank of what stands never falls",
        section: 'spec.md, "States and transitions"',
        explanation:
          "A transaction moves forward. Whatever is observed next, what stands afterwards does not rank below what stood."
      },
      (reducer, seen) => {
        const before = reducer(seen.slice(0, -1))
        const after = reducer(seen)
        return isStatus(before.status) &&
          isStatus(after.status) &&
          rank(after.status) < rank(before.status)
          ? `Before the last observation ${say(before)}; after it ${say(after)}.`
          : undefined
      }
    ),
    counting(
      {
        name: "a conflict names exactly the ends that stand with equal right",
        section: "docs/decisions/0001",
        explanation:
          "Several confirmed ends of the highest rank are a conflict (FAILED, then SUCCEED: both were true), or several claimed ones where none is confirmed. Anything else is none."
      },
      (reducer, seen) => {
        const expected = rivals(survey(seen))
        const found = reducer(seen)
        const names = new Set(found.conflict)
        return names.size === expected.length && expected.every((each) => names.has(each))
          ? undefined
          : `${expected.length === 0 ? "No conflict is there" : `The conflict is ${expected.join(" / ")}`}, but ${say(found)}.`
      }
    ),
    counting(
      {
        name: "of several ends in conflict none stands but the one last read",
        section: "docs/decisions/0001",
        explanation:
          "Only the service can settle a conflict: its last answer, by the time it was asked for. Arrival order never does."
      },
      (reducer, seen) => {
        const surveyed = survey(seen)
        const conflict = rivals(surveyed)
        const [read, ...others] = surveyed.latest
        if (conflict.length === 0 || others.some((each) => each !== read)) return undefined
        const expected = conflict.find((each) => each === read)
        const found = reducer(seen)
        const isRight =
          expected === undefined
            ? !isStatus(found.status) || !isTerminal(found.status)
            : found.status === expected
        return isRight
          ? undefined
          : `${read ?? "Nothing"} was read last, so ${expected ?? "none of them"} is to stand, but ${say(found)}.`
      }
    ),
    counting(
      {
        name: "CUSTOMER_VERIFICATION stands before PROCESSING, whichever came first",
        section: 'spec.md, "Transaction statuses"',
        explanation:
          "They rank alike, and a 3D Secure challenge is waiting for somebody to act: who is told of PROCESSING only never shows it."
      },
      (reducer, seen) => {
        const { tops } = survey(seen)
        if (!tops.includes("CUSTOMER_VERIFICATION") || tops.length === 1) return undefined
        const found = reducer(seen)
        return found.status === "CUSTOMER_VERIFICATION" ? undefined : `${say(found)}.`
      }
    ),
    counting(
      {
        name: "what stands is confirmed exactly when the service itself said so",
        section: 'spec.md, "Callback checksum"',
        explanation:
          "An answer or a read of that very status confirms it; a callback never does, nor does a read of another status."
      },
      (reducer, seen) => {
        const found = reducer(seen)
        const { sure } = survey(seen)
        return found.confirmed === (isStatus(found.status) && sure.has(found.status))
          ? undefined
          : `${say(found)}.`
      }
    ),
    open(
      {
        name: "a status nobody knows changes nothing, and throws nothing",
        section: "docs/decisions/0017",
        explanation:
          "The service may add statuses, and the checksum does not cover the field: what is not one of the nine is kept elsewhere and never acted on."
      },
      (reducer, seen) => alike(reducer, seen, seen.filter(isKnown), "Without what nobody knows:")
    )
  ]
}
