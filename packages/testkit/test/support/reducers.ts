import { advance, isStatus, isTerminal, rank, type Status, statuses } from "@pawl/core/Status"
import { bugsOf } from "@pawl/test-support/Bugs"
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

export const rules = bugsOf<Rule>({
  "a late status does not replace a terminal one": {
    "a terminal status is replaced by PROCESSING": step((stored, incoming) =>
      stored !== undefined && isTerminal(stored) && incoming === "PROCESSING"
        ? incoming
        : later(stored, incoming)
    )
  },
  "a late status changes nothing": {
    "late statuses are refused only after a terminal one": step((stored, incoming) =>
      stored !== undefined && (isTerminal(stored) || rank(stored) === rank(incoming))
        ? later(stored, incoming)
        : incoming
    )
  },
  "another status of the same rank changes nothing": {
    "ties advance (>= for >)": step((stored, incoming) =>
      stored === undefined || rank(incoming) >= rank(stored) ? incoming : stored
    ),
    "CANCELLED is outranked by SUCCEED": ranked({ CANCELLED: 9 }),
    "the third terminal status wins": (observations) => {
      const ends = observations.filter((each) => isStatus(each) && rank(each) === 10)
      const held = documented(observations)
      return isStatus(held) && rank(held) === 10 ? (ends[2] ?? held) : held
    }
  },
  "a status that ranks later is stored": {
    "no status is stored after a terminal one": step((stored, incoming) =>
      stored !== undefined && isTerminal(stored) ? stored : later(stored, incoming)
    )
  },
  "the first status is stored, whichever it is": {
    "NEW is stored first, whichever status arrives": step((stored, incoming) =>
      stored === undefined ? "NEW" : later(stored, incoming)
    )
  },
  "a repeat changes nothing": {
    "a repeat clears the stored status": step((stored, incoming) =>
      stored === incoming ? undefined : later(stored, incoming)
    )
  },
  "an unknown status changes nothing and does not throw": {
    "an unknown status throws": fold<Status | undefined>((stored, incoming) => {
      if (!isStatus(incoming)) throw new TypeError("no such status")
      return later(stored, incoming)
    }),
    "an unknown status ranks 0, and may be stored first": fold<string | undefined>(
      (stored, incoming) =>
        stored === undefined || inherited(incoming) > inherited(stored) ? incoming : stored
    ),
    "nothing is stored after an unknown status": (observations) => {
      const at = observations.findIndex((each) => !isStatus(each))
      return documented(at < 0 ? observations : observations.slice(0, at))
    }
  }
})

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

/** Changes what is right. */
const changed =
  (change: (standing: Standing, observations: ReadonlyArray<Observation>) => Standing): Reducer =>
  (observations) =>
    change(right(observations), observations)

const inConflict = (
  change: (
    standing: Standing,
    conflict: ReadonlyArray<string>,
    observations: ReadonlyArray<Observation>
  ) => Standing
) =>
  changed((standing, observations) =>
    standing.conflict ? change(standing, standing.conflict, observations) : standing
  )

export const reducers = bugsOf<Reducer>({
  "the only status of the highest rank stands": {
    "last write wins": (observations) => plain(all(observations).at(-1)),
    "REFUNDED is ignored": (observations) =>
      right(observations.filter(({ status }) => status !== "REFUNDED")),
    "the status NEW is not shown": changed((standing) =>
      standing.status === "NEW" ? nothing : standing
    )
  },
  "a conflict lists exactly the terminal statuses that contradict each other": {
    "CANCELLED is outranked by SUCCEED": (observations) =>
      right(
        confirmedBy(observations).includes("SUCCEED")
          ? observations.filter(({ status }) => status !== "CANCELLED")
          : observations
      ),
    "the conflict is not reported": changed((standing) => ({ ...standing, conflict: null }))
  },
  "a claim that the policy ignores changes nothing": {
    "a claimed terminal status counts as confirmed": (observations) =>
      right(
        observations.map((each) =>
          each.source === "callback" && isEnd(each)
            ? { source: "response", status: each.status }
            : each
        )
      )
  },
  "the order of arrival does not matter": {
    "a conflict is listed in the order of arrival": inConflict(
      (standing, conflict, observations) => ({
        ...standing,
        conflict: [...new Set(confirmedBy(observations).filter((each) => conflict.includes(each)))]
      })
    )
  },
  "repeats do not matter": {
    "a conflict lists a status as often as it was observed": inConflict(
      (standing, conflict, observations) => ({
        ...standing,
        conflict: conflict.flatMap((each) =>
          confirmedBy(observations).filter((one) => one === each)
        )
      })
    )
  },
  "the rank of the standing status never falls": {
    "a conflict falls back to the open status before it": inConflict(
      (standing, conflict, observations) =>
        standing.status === undefined
          ? { ...right(observations.filter((each) => !isEnd(each))), conflict }
          : standing
    )
  },
  "in a conflict, only the status that was read last stands": {
    "the read is ignored: SUCCEED wins a conflict": inConflict((standing, conflict) =>
      conflict.includes("SUCCEED") ? { ...standing, status: "SUCCEED", confirmed: true } : standing
    ),
    "the read that arrived last decides, not the read that was sent last": inConflict(
      (standing, conflict, observations) => {
        const read = reads(observations).at(-1)?.status
        const status = conflict.find((each) => each === read)
        return { ...standing, status, confirmed: status !== undefined }
      }
    )
  },
  "CUSTOMER_VERIFICATION takes precedence over PROCESSING, in either order": {
    "CUSTOMER_VERIFICATION after PROCESSING is lost": changed((standing, observations) =>
      standing.status === "CUSTOMER_VERIFICATION" && all(observations).includes("PROCESSING")
        ? plain("PROCESSING", confirmedBy(observations).includes("PROCESSING"))
        : standing
    )
  },
  "the standing status is confirmed exactly if a response or a read stated it": {
    "any read confirms the standing status": changed((standing, observations) => ({
      ...standing,
      confirmed: standing.status !== undefined && confirmedBy(observations).length > 0
    }))
  },
  "an unknown status changes nothing and does not throw": {
    "an unknown status throws": (observations) => {
      if (observations.length > all(observations).length) throw new TypeError("no such status")
      return right(observations)
    },
    "an unknown status stands": (observations) => {
      const odd = observations.find(({ status }) => !isStatus(status))
      return odd === undefined ? right(observations) : plain(odd.status)
    }
  }
})
