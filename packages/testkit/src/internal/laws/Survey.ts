/**
 * What a sequence of observations comes to, over sets of names: no bits, nothing of `@pawl/core/Evidence`.
 *
 * @since 0.1.0
 */
import { isStatus, isTerminal, rank, type Status, statuses } from "@pawl/core/Status"
import type { Observation } from "../../Generators.ts"

/**
 * An observation of one of the nine statuses.
 *
 * @category models
 * @since 0.1.0
 */
export type Known =
  | (Extract<Observation, { readonly askedAt: number }> & { readonly status: Status })
  | { readonly source: "callback" | "answer"; readonly status: Status }

/**
 * Tells whether what was observed is one of the nine statuses.
 *
 * @category guards
 * @since 0.1.0
 */
export const isKnown = (observation: Observation): observation is Known =>
  isStatus(observation.status)

/**
 * What observations come to: the statuses the service confirmed, the one it answered to the read asked for
 * last (several, where several were asked for at once), and those of the highest rank, ordered as `statuses`.
 *
 * @category models
 * @since 0.1.0
 */
export interface Survey {
  readonly sure: ReadonlySet<Status>
  readonly latest: ReadonlyArray<Status>
  readonly tops: ReadonlyArray<Status>
}

/**
 * Surveys observations.
 *
 * @category constructors
 * @since 0.1.0
 */
export const survey = (seen: ReadonlyArray<Known>): Survey => {
  const sure = new Set<Status>()
  let latest: ReadonlyArray<Status> = []
  let askedAt = -1
  for (const each of seen) {
    if (each.source !== "callback") sure.add(each.status)
    if (each.source !== "read" || each.askedAt < askedAt) continue
    latest = each.askedAt > askedAt ? [each.status] : [...latest, each.status]
    askedAt = each.askedAt
  }
  const observed = new Set(seen.map(({ status }) => status))
  const top = Math.max(0, ...[...observed].map(rank))
  return { sure, latest, tops: statuses.filter((each) => observed.has(each) && rank(each) === top) }
}

/**
 * Lists what stands in conflict at the top: every confirmed end, or every claimed one if none is.
 *
 * @category getters
 * @since 0.1.0
 */
export const rivals = ({ sure, tops }: Survey): ReadonlyArray<Status> => {
  const held = tops.filter((each) => sure.has(each))
  const rivals = held.length > 0 ? held : tops
  return rivals.length > 1 && rivals.every(isTerminal) ? rivals : []
}

/**
 * Returns where an observation comes in an order that is not that of arrival; the same for a repeat.
 *
 * @category getters
 * @since 0.1.0
 */
export const place = (each: Known): number => {
  const source = each.source === "read" ? 2 + each.askedAt : each.source === "answer" ? 1 : 0
  return source * statuses.length + statuses.indexOf(each.status)
}

/**
 * Lists observations without repeats.
 *
 * @category getters
 * @since 0.1.0
 */
export const once = (seen: ReadonlyArray<Known>): ReadonlyArray<Known> =>
  seen.filter((each, at) => seen.findIndex((one) => place(one) === place(each)) === at)

/**
 * Lays observations out for reading.
 *
 * @category conversions
 * @since 0.1.0
 */
export const lay = (seen: ReadonlyArray<Observation>): string =>
  seen.length === 0
    ? "nothing was observed"
    : seen
        .map((each, at) => {
          const status = JSON.stringify(each.status)
          return `${at + 1}. ${each.source === "read" ? `read, asked at ${each.askedAt}` : each.source}: ${status}`
        })
        .join("\n")
