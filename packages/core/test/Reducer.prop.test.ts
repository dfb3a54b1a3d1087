import { forAll } from "@pawl/test-support/Properties"
import * as Evidence from "@pawl/core/Evidence"
import { initial, type Observation, reduce, type State } from "@pawl/core/Reducer"
import { isStatus, type Status, statuses } from "@pawl/core/Status"
import fc from "fast-check"
import { describe, expect, it } from "vitest"

const status = fc.constantFrom(...statuses)
const observation: fc.Arbitrary<Observation> = fc.oneof(
  fc.record({ source: fc.constantFrom("callback", "response"), status }),
  fc.record({ source: fc.constant("read"), status, askedAt: fc.nat({ max: 5 }) })
)
const policy = fc.constantFrom<Evidence.Policy>("final", "always", "never")

const fold = (policy: Evidence.Policy, seen: ReadonlyArray<Observation>): State =>
  seen.reduce(reduce, initial(policy))

describe("reduce", () => {
  it("leads to the same state in any order and with any repetition", () =>
    forAll(
      [
        policy,
        fc
          .array(observation)
          .chain((seen) =>
            fc.tuple(
              fc.constant(seen),
              fc.shuffledSubarray([...seen, ...seen], { minLength: 2 * seen.length })
            )
          )
      ],
      (policy, [seen, delivered]) => {
        expect(fold(policy, delivered)).toEqual(fold(policy, seen))
      }
    ))

  it("ignores a status that is none of the nine", () =>
    forAll(
      [policy, fc.array(observation), fc.string().filter((text) => !isStatus(text))],
      (policy, seen, text) => {
        const before = fold(policy, seen)
        const other = text as Status
        expect(reduce(before, { source: "callback", status: other })).toBe(before)
        expect(reduce(before, { source: "read", status: other, askedAt: 9 })).toBe(before)
      }
    ))

  it("has the standing of its evidence, its last read and its policy", () =>
    forAll([policy, fc.array(observation)], (policy, seen) => {
      const state = fold(policy, seen)
      const statusesOf = (isClaim: boolean): Array<Status> =>
        statuses.filter((each) =>
          seen.some(({ source, status }) => (source === "callback") === isClaim && status === each)
        )
      expect(Evidence.claimedStatuses(state.evidence)).toEqual(statusesOf(true))
      expect(Evidence.confirmedStatuses(state.evidence)).toEqual(statusesOf(false))
      const asked = seen.flatMap((each) => (each.source === "read" ? [each.askedAt] : []))
      expect(state.read?.askedAt).toBe(asked.length === 0 ? undefined : Math.max(...asked))
      expect(state.standing).toEqual(Evidence.standing(state.evidence, state.read?.status, policy))
    }))

  it("goes on from a state that was stored as JSON", () =>
    forAll([policy, fc.array(observation), observation], (policy, seen, next) => {
      const state = fold(policy, seen)
      expect(reduce(JSON.parse(JSON.stringify(state)), next)).toEqual(reduce(state, next))
    }))

  it("starts without a status, and by default counts no claim of a final status", () => {
    expect(initial().standing).toEqual({
      status: undefined,
      rank: 0,
      confirmed: false,
      conflict: null
    })
    expect(reduce(initial(), { source: "callback", status: "SUCCEED" }).standing.rank).toBe(0)
    expect(reduce(initial(), { source: "response", status: "SUCCEED" }).standing).toEqual({
      status: "SUCCEED",
      rank: 10,
      confirmed: true,
      conflict: null
    })
  })
})
