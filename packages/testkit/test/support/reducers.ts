import { advance, isStatus, isTerminal, rank, type Status, statuses } from "@pawl/core/Status"
import type { Observation } from "../../src/Generators.ts"
import { evidenceReducer, type Reducer, type Standing } from "../../src/Laws/Reducer.ts"
import { fold, type Rule } from "../../src/Laws/Rule.ts"

export const documented: Rule = fold<Status | undefined>((stored, incoming) =>
  isStatus(incoming) ? advance(stored, incoming).status : stored
)

type Step = (stored: Status | undefined, incoming: Status) => Status | undefined
const step = (next: Step): Rule =>
  fold<Status | undefined>((stored, incoming) =>
    isStatus(incoming) ? next(stored, incoming) : stored
  )
const later: Step = (stored, incoming) => advance(stored, incoming).status
const ranked = (ranks: Partial<Record<Status, number>>): Rule => {
  const of = (status: Status) => ranks[status] ?? rank(status)
  return step((stored, incoming) =>
    stored === undefined || of(incoming) > of(stored) ? incoming : stored
  )
}
/** A lookup table that also finds inherited members of objects. */
const rankTable: Readonly<Record<string, number>> = Object.fromEntries(
  statuses.map((status) => [status, rank(status)])
)
const inherited = (status: string): number => rankTable[status] ?? 0

export const rules: ReadonlyArray<readonly [bug: string, law: string, rule: Rule]> = [
  [
    "a terminal status is replaced by PROCESSING",
    "a late status does not replace a terminal one",
    step((stored, incoming) =>
      stored !== undefined && isTerminal(stored) && incoming === "PROCESSING"
        ? incoming
        : later(stored, incoming)
    )
  ],
  [
    "late statuses are refused only after a terminal one",
    "a late status changes nothing",
    step((stored, incoming) =>
      stored !== undefined && (isTerminal(stored) || rank(stored) === rank(incoming))
        ? later(stored, incoming)
        : incoming
    )
  ],
  [
    "ties advance (>= for >)",
    "another status of the same rank changes nothing",
    step((stored, incoming) =>
      stored === undefined || rank(incoming) >= rank(stored) ? incoming : stored
    )
  ],
  [
    "CANCELLED is outranked by SUCCEED",
    "another status of the same rank changes nothing",
    ranked({ CANCELLED: 9 })
  ],
  [
    "no status is stored after a terminal one",
    "a status that ranks later is stored",
    step((stored, incoming) =>
      stored !== undefined && isTerminal(stored) ? stored : later(stored, incoming)
    )
  ],
  [
    "NEW is stored first, whichever status arrives",
    "the first status is stored, whichever it is",
    step((stored, incoming) => (stored === undefined ? "NEW" : later(stored, incoming)))
  ],
  [
    "a repeat clears the stored status",
    "a repeat changes nothing",
    step((stored, incoming) => (stored === incoming ? undefined : later(stored, incoming)))
  ],
  [
    "an unknown status throws",
    "an unknown status changes nothing and does not throw",
    fold<Status | undefined>((stored, incoming) => {
      if (!isStatus(incoming)) throw new TypeError("no such status")
      return later(stored, incoming)
    })
  ],
  [
    "an unknown status ranks 0, and may be stored first",
    "an unknown status changes nothing and does not throw",
    fold<string | undefined>((stored, incoming) =>
      stored === undefined || inherited(incoming) > inherited(stored) ? incoming : stored
    )
  ],
  [
    "nothing is stored after an unknown status",
    "an unknown status changes nothing and does not throw",
    (observations) => {
      const at = observations.findIndex((each) => !isStatus(each))
      return documented(at < 0 ? observations : observations.slice(0, at))
    }
  ],
  [
    "the third terminal status wins",
    "another status of the same rank changes nothing",
    (observations) => {
      const ends = observations.filter((each) => isStatus(each) && rank(each) === 10)
      const held = documented(observations)
      return isStatus(held) && rank(held) === 10 ? (ends[2] ?? held) : held
    }
  ]
]

const nothing: Standing = { status: undefined, confirmed: false, conflict: null }
const right = evidenceReducer()
const known = (observations: ReadonlyArray<Observation>) =>
  observations.flatMap((each) => (isStatus(each.status) ? [{ ...each, status: each.status }] : []))
const all = (observations: ReadonlyArray<Observation>) =>
  known(observations).map(({ status }) => status)
const confirmedBy = (observations: ReadonlyArray<Observation>) =>
  all(observations.filter(({ source }) => source !== "callback"))
const isEnd = ({ status }: Observation) => isStatus(status) && isTerminal(status)
const reads = (observations: ReadonlyArray<Observation>) =>
  observations.filter(({ source }) => source === "read")
const plain = (status: string | null | undefined, confirmed = true): Standing => ({
  status,
  confirmed: status !== undefined && confirmed,
  conflict: null
})

export const reducers: ReadonlyArray<readonly [bug: string, law: string, reducer: Reducer]> = [
  [
    "last write wins",
    "the only status of the highest rank stands",
    (observations) => plain(all(observations).at(-1))
  ],
  [
    "REFUNDED is ignored",
    "the only status of the highest rank stands",
    (observations) => right(observations.filter(({ status }) => status !== "REFUNDED"))
  ],
  [
    "CANCELLED is outranked by SUCCEED",
    "a conflict lists exactly the terminal statuses that contradict each other",
    (observations) =>
      right(
        confirmedBy(observations).includes("SUCCEED")
          ? observations.filter(({ status }) => status !== "CANCELLED")
          : observations
      )
  ],
  [
    "a claimed terminal status counts as confirmed",
    "a claim that the policy ignores changes nothing",
    (observations) =>
      right(
        observations.map((each) =>
          each.source === "callback" && isEnd(each)
            ? { source: "response", status: each.status }
            : each
        )
      )
  ],
  [
    "a conflict is listed in the order of arrival",
    "the order of arrival does not matter",
    (observations) => {
      const standing = right(observations)
      if (standing.conflict === null || standing.conflict === undefined) return standing
      return {
        ...standing,
        conflict: [
          ...new Set(confirmedBy(observations).filter((each) => standing.conflict?.includes(each)))
        ]
      }
    }
  ],
  [
    "a conflict lists a status as often as it was observed",
    "repeats do not matter",
    (observations) => {
      const standing = right(observations)
      return {
        ...standing,
        conflict:
          standing.conflict?.flatMap((each) =>
            confirmedBy(observations).filter((one) => one === each)
          ) ?? null
      }
    }
  ],
  [
    "a conflict falls back to the open status before it",
    "the rank of the standing status never falls",
    (observations) => {
      const standing = right(observations)
      if (
        standing.conflict === null ||
        standing.conflict === undefined ||
        standing.status !== undefined
      )
        return standing
      const before = right(observations.filter((each) => !isEnd(each)))
      return { ...before, conflict: standing.conflict }
    }
  ],
  [
    "the conflict is not reported",
    "a conflict lists exactly the terminal statuses that contradict each other",
    (observations) => ({ ...right(observations), conflict: null })
  ],
  [
    "the read is ignored: SUCCEED wins a conflict",
    "in a conflict, only the status that was read last stands",
    (observations) => {
      const standing = right(observations)
      return standing.conflict?.includes("SUCCEED") === true
        ? { ...standing, status: "SUCCEED", confirmed: true }
        : standing
    }
  ],
  [
    "the read that arrived last decides, not the read that was sent last",
    "in a conflict, only the status that was read last stands",
    (observations) => {
      const standing = right(observations)
      const read = reads(observations).at(-1)?.status
      if (standing.conflict === null || standing.conflict === undefined) return standing
      const status = standing.conflict.find((each) => each === read)
      return { ...standing, status, confirmed: status !== undefined }
    }
  ],
  [
    "CUSTOMER_VERIFICATION after PROCESSING is lost",
    "CUSTOMER_VERIFICATION takes precedence over PROCESSING, in either order",
    (observations) => {
      const standing = right(observations)
      return standing.status === "CUSTOMER_VERIFICATION" && all(observations).includes("PROCESSING")
        ? {
            ...standing,
            status: "PROCESSING",
            confirmed: confirmedBy(observations).includes("PROCESSING")
          }
        : standing
    }
  ],
  [
    "any read confirms the standing status",
    "the standing status is confirmed exactly if a response or a read stated it",
    (observations) => {
      const standing = right(observations)
      return {
        ...standing,
        confirmed: standing.status !== undefined && confirmedBy(observations).length > 0
      }
    }
  ],
  [
    "an unknown status throws",
    "an unknown status changes nothing and does not throw",
    (observations) => {
      if (observations.length > all(observations).length) throw new TypeError("no such status")
      return right(observations)
    }
  ],
  [
    "an unknown status stands",
    "an unknown status changes nothing and does not throw",
    (observations) => {
      const odd = observations.find(({ status }) => !isStatus(status))
      return odd === undefined ? right(observations) : plain(odd.status)
    }
  ],
  [
    "the status NEW is not shown",
    "the only status of the highest rank stands",
    (observations) => {
      const standing = right(observations)
      return standing.status === "NEW" ? nothing : standing
    }
  ]
]
