/**
 * A second implementation of the state model, over sets of statuses instead of the bits of
 * `@pawl/core/Evidence`.
 */
import { isStatus, isTerminal, rank, type Status, statuses } from "@pawl/core/Status"
import type { Observation } from "../../../Generators.ts"

export type KnownObservation =
  | (Extract<Observation, { readonly askedAt: number }> & { readonly status: Status })
  | { readonly source: "callback" | "response"; readonly status: Status }

export const isKnown = (observation: Observation): observation is KnownObservation =>
  isStatus(observation.status)

export interface Summary {
  readonly confirmed: ReadonlySet<Status>
  /** The status of the read that was sent last; several if they were sent at one time. */
  readonly lastRead: ReadonlyArray<Status>
  readonly highest: ReadonlyArray<Status>
}

export const summarize = (observations: ReadonlyArray<KnownObservation>): Summary => {
  const confirmed = new Set<Status>()
  let lastRead: ReadonlyArray<Status> = []
  let askedAt = -1
  for (const each of observations) {
    if (each.source !== "callback") confirmed.add(each.status)
    if (each.source !== "read" || each.askedAt < askedAt) continue
    lastRead = each.askedAt > askedAt ? [each.status] : [...lastRead, each.status]
    askedAt = each.askedAt
  }
  const observed = new Set(observations.map(({ status }) => status))
  const top = Math.max(0, ...[...observed].map(rank))
  const highest = statuses.filter((each) => observed.has(each) && rank(each) === top)
  return { confirmed, lastRead, highest }
}

/** Lists the statuses of the highest rank, of terminal ones the confirmed alone, if there are any. */
export const strongestOf = ({ confirmed, highest }: Summary): ReadonlyArray<Status> => {
  const settled = highest.filter((each) => isTerminal(each) && confirmed.has(each))
  return settled.length > 0 ? settled : highest
}

/** Lists several terminal statuses of the highest rank, all confirmed or all claimed. */
export const conflictOf = (summary: Summary): ReadonlyArray<Status> => {
  const rivals = strongestOf(summary)
  return rivals.length > 1 && rivals.every(isTerminal) ? rivals : []
}

/** The position ignores the arrival of an observation. */
export const positionOf = (each: KnownObservation): number => {
  const source = each.source === "read" ? 2 + each.askedAt : each.source === "response" ? 1 : 0
  return source * statuses.length + statuses.indexOf(each.status)
}

export const withoutRepeats = (
  observations: ReadonlyArray<KnownObservation>
): ReadonlyArray<KnownObservation> =>
  observations.filter(
    (each, at) => observations.findIndex((one) => positionOf(one) === positionOf(each)) === at
  )

export const show = (observations: ReadonlyArray<Observation>): string =>
  observations.length === 0
    ? "nothing was observed"
    : observations
        .map((each, at) => {
          const source = each.source === "read" ? `read, asked at ${each.askedAt}` : each.source
          return `${at + 1}. ${source}: ${JSON.stringify(each.status)}`
        })
        .join("\n")
