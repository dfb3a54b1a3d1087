import * as Generators from "../../../Generators.ts"
import * as Laws from "../../../Laws.ts"
import { shortSequences } from "../ShortSequences.ts"
import { isKnown, type KnownObservation, show } from "./Summary.ts"

/**
 * The standing of a transaction: the current status, whether the service confirmed it, and the
 * terminal statuses in conflict.
 */
export interface Standing {
  readonly status: string | null | undefined
  readonly confirmed: boolean
  readonly conflict: ReadonlyArray<string> | null | undefined
}

/** Function of all observations of one transaction, in order of arrival. */
export type Reducer = (observations: ReadonlyArray<Generators.Observation>) => Standing

export type ReducerLaw = Laws.Law<Reducer, ReadonlyArray<Generators.Observation>>

/** Check of a reducer, which describes the failure or returns undefined. */
type Check<A> = (reducer: Reducer, observations: ReadonlyArray<A>) => string | undefined

export const hostile = (text: Laws.LawText, check: Check<Generators.Observation>): ReducerLaw =>
  Laws.property(text, {
    arbitrary: Generators.hostileObservations,
    short: () => shortSequences(Generators.hostileObservationTable, 2),
    show,
    wrong: check
  })

export const known = (text: Laws.LawText, check: Check<KnownObservation>): ReducerLaw =>
  Laws.property(text, {
    arbitrary: Generators.observations,
    short: () => shortSequences(Generators.observationTable, 2),
    show,
    wrong: (reducer, observations) => check(reducer, observations.filter(isKnown))
  })

export const describe = ({ confirmed, conflict, status }: Standing): string =>
  `${status ?? "nothing"} stands, ${confirmed ? "confirmed" : "not confirmed"}, ${
    conflict === null || conflict === undefined
      ? "without conflict"
      : `in conflict ${conflict.join(" / ")}`
  }`

const isSame = (one: Standing, two: Standing): boolean =>
  (one.status ?? null) === (two.status ?? null) &&
  one.confirmed === two.confirmed &&
  (one.conflict ?? []).join() === (two.conflict ?? []).join()

export const sameStanding = (
  reducer: Reducer,
  observations: ReadonlyArray<Generators.Observation>,
  others: ReadonlyArray<Generators.Observation>,
  change: string
): string | undefined => {
  const one = reducer(observations)
  const two = reducer(others)
  return isSame(one, two)
    ? undefined
    : `${describe(one)}.\n\n${change}\n${show(others)}\n\n${describe(two)}.`
}
