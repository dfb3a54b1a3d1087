/**
 * Rules and reducers with a bug each, as people write them.
 */
import * as Evidence from "@pawl/core/Evidence"
import { advance, isStatus, isTerminal, rank, type Status, statuses } from "@pawl/core/Status"
import type { Observation } from "../../src/Generators.ts"
import { ours, type Reducer, type Stand } from "../../src/Laws/Reducer.ts"
import { fold, type Rule } from "../../src/Laws/Rule.ts"

/** The documented rule, as `@pawl/core` has it. */
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
/** What `{ NEW: 1, … }[status]` is, of any text. */
const looked: Readonly<Record<string, number>> = Object.fromEntries(
  statuses.map((status) => [status, rank(status)])
)
const inherited = (status: string): number => looked[status] ?? 0

/** Every planted bug of a rule, with the law it breaks first. */
export const rules: ReadonlyArray<readonly [bug: string, law: string, rule: Rule]> = [
  [
    "no rank check: last write wins",
    "a status that comes late changes nothing",
    step((_, incoming) => incoming)
  ],
  [
    "an end opens again",
    "an end stays, whatever comes late",
    step((stored, incoming) =>
      stored !== undefined && isTerminal(stored) && incoming === "PROCESSING"
        ? incoming
        : later(stored, incoming)
    )
  ],
  [
    "late statuses are refused at the end only",
    "a status that comes late changes nothing",
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
    "REFUNDED is ignored",
    "a status that ranks later holds",
    step((stored, incoming) => (incoming === "REFUNDED" ? stored : later(stored, incoming)))
  ],
  [
    "nothing comes after the end",
    "a status that ranks later holds",
    step((stored, incoming) =>
      stored !== undefined && isTerminal(stored) ? stored : later(stored, incoming)
    )
  ],
  [
    "only NEW may come first",
    "the first status holds, whatever it is",
    step((stored, incoming) => (stored === undefined ? "NEW" : later(stored, incoming)))
  ],
  [
    "a repeat resets",
    "a repeat changes nothing",
    step((stored, incoming) => (stored === incoming ? undefined : later(stored, incoming)))
  ],
  [
    "an unknown status throws",
    "a status nobody knows changes nothing, and throws nothing",
    fold<Status | undefined>((stored, incoming) => {
      if (!isStatus(incoming)) throw new TypeError("no such status")
      return later(stored, incoming)
    })
  ],
  [
    "an unknown status ranks 0, and comes first",
    "a status nobody knows changes nothing, and throws nothing",
    fold<string | undefined>((stored, incoming) =>
      stored === undefined || inherited(incoming) > inherited(stored) ? incoming : stored
    )
  ],
  [
    "the ends are counted, and the third one wins",
    "another status of the same rank changes nothing",
    (seen) => {
      const ends = seen.filter((each) => isStatus(each) && rank(each) === 10)
      const held = documented(seen)
      return isStatus(held) && rank(held) === 10 ? (ends[2] ?? held) : held
    }
  ]
]

const nothing: Stand = { status: undefined, confirmed: false, conflict: null }
const right = ours()
const known = (seen: ReadonlyArray<Observation>) =>
  seen.flatMap((each) => (isStatus(each.status) ? [{ ...each, status: each.status }] : []))
const all = (seen: ReadonlyArray<Observation>) => known(seen).map(({ status }) => status)
const sure = (seen: ReadonlyArray<Observation>) =>
  all(seen.filter(({ source }) => source !== "callback"))
const isEnd = ({ status }: Observation) => isStatus(status) && isTerminal(status)
const reads = (seen: ReadonlyArray<Observation>) => seen.filter(({ source }) => source === "read")
const plain = (status: string | null | undefined, confirmed = true): Stand => ({
  status,
  confirmed: status !== undefined && confirmed,
  conflict: null
})

/** Every planted bug of a reducer, with a law that catches it. */
export const reducers: ReadonlyArray<readonly [bug: string, law: string, reducer: Reducer]> = [
  [
    "last write wins",
    "where one status alone ranks highest of what counts, it stands",
    (seen) => plain(all(seen).at(-1))
  ],
  [
    "REFUNDED is ignored",
    "where one status alone ranks highest of what counts, it stands",
    (seen) => right(seen.filter(({ status }) => status !== "REFUNDED"))
  ],
  [
    "CANCELLED is outranked by SUCCEED",
    "a conflict names exactly the ends that stand with equal right",
    (seen) =>
      right(
        sure(seen).includes("SUCCEED") ? seen.filter(({ status }) => status !== "CANCELLED") : seen
      )
  ],
  [
    "a claimed end counts as a confirmed one",
    "a claim that does not count changes nothing",
    (seen) =>
      right(
        seen.map((each) =>
          each.source === "callback" && isEnd(each)
            ? { source: "answer", status: each.status }
            : each
        )
      )
  ],
  [
    "two claims of an end confirm it",
    "a claim that does not count changes nothing",
    (seen) =>
      right(
        seen.map((each, at) =>
          each.source === "callback" && seen.indexOf(each) < at
            ? { source: "answer", status: each.status }
            : each
        )
      )
  ],
  [
    "a conflict is listed in the order of arrival",
    "the order of arrival never matters",
    (seen) => {
      const stands = right(seen)
      if (stands.conflict === null || stands.conflict === undefined) return stands
      return {
        ...stands,
        conflict: [...new Set(sure(seen).filter((each) => stands.conflict?.includes(each)))]
      }
    }
  ],
  [
    "an end is listed as often as it came",
    "repeats never matter",
    (seen) => {
      const stands = right(seen)
      return {
        ...stands,
        conflict:
          stands.conflict?.flatMap((each) => sure(seen).filter((one) => one === each)) ?? null
      }
    }
  ],
  [
    "a conflict falls back to what stood before",
    "the rank of what stands never falls",
    (seen) => {
      const stands = right(seen)
      if (stands.conflict === null || stands.conflict === undefined || stands.status !== undefined)
        return stands
      const before = right(seen.filter((each) => !isEnd(each)))
      return { ...before, conflict: stands.conflict }
    }
  ],
  [
    "the conflict is dropped",
    "a conflict names exactly the ends that stand with equal right",
    (seen) => ({ ...right(seen), conflict: null })
  ],
  [
    "the read is ignored: SUCCEED wins a conflict",
    "of several ends in conflict none stands but the one last read",
    (seen) => {
      const stands = right(seen)
      return stands.conflict?.includes("SUCCEED") === true
        ? { ...stands, status: "SUCCEED", confirmed: true }
        : stands
    }
  ],
  [
    "the read that arrived last decides, whenever it was asked for",
    "of several ends in conflict none stands but the one last read",
    (seen) => {
      const stands = right(seen)
      const read = reads(seen).at(-1)?.status
      if (stands.conflict === null || stands.conflict === undefined) return stands
      const status = stands.conflict.find((each) => each === read)
      return { ...stands, status, confirmed: status !== undefined }
    }
  ],
  [
    "CUSTOMER_VERIFICATION after PROCESSING is lost",
    "CUSTOMER_VERIFICATION stands before PROCESSING, whichever came first",
    (seen) => {
      const stands = right(seen)
      return stands.status === "CUSTOMER_VERIFICATION" && all(seen).includes("PROCESSING")
        ? { ...stands, status: "PROCESSING", confirmed: sure(seen).includes("PROCESSING") }
        : stands
    }
  ],
  [
    "any read confirms what stands",
    "what stands is confirmed exactly when the service itself said so",
    (seen) => {
      const stands = right(seen)
      return { ...stands, confirmed: stands.status !== undefined && sure(seen).length > 0 }
    }
  ],
  [
    "an unknown status throws",
    "a status nobody knows changes nothing, and throws nothing",
    (seen) => {
      if (seen.length > all(seen).length) throw new TypeError("no such status")
      return right(seen)
    }
  ],
  [
    "an unknown status stands",
    "a status nobody knows changes nothing, and throws nothing",
    (seen) => {
      const odd = seen.find(({ status }) => !isStatus(status))
      return odd === undefined ? right(seen) : plain(odd.status)
    }
  ],
  [
    "a transaction is shown from PENDING on",
    "where one status alone ranks highest of what counts, it stands",
    (seen) => {
      const stands = right(seen)
      return stands.status === "NEW" ? nothing : stands
    }
  ],
  [
    "only callbacks are looked at",
    "where one status alone ranks highest of what counts, it stands",
    (seen) =>
      Evidence.standing(
        all(seen.filter(({ source }) => source === "callback"))
          .map(Evidence.claimed)
          .reduce(Evidence.join, Evidence.none),
        undefined
      )
  ]
]
