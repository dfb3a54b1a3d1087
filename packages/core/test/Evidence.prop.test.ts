import * as Evidence from "@pawl/core/Evidence"
import { advance, isTerminal, rank, type Status, statuses } from "@pawl/core/Status"
import { describe, expect, it } from "vitest"
import { repeats } from "@pawl/test-support/Repeats"

const policies = ["final", "always", "never"] as const
const reads = [undefined, ...statuses]
const size = 2 ** 18
/** Every evidence, or a share of them. The factor is odd and near `size / 1.618`, which spreads the share evenly. */
const evidences = Uint32Array.from({ length: repeats(size, 8) }, (_, at) => (at * 162_013) % size)

const fold = (seen: ReadonlyArray<Status>) =>
  seen.reduce<Status | undefined>((stored, incoming) => advance(stored, incoming).status, undefined)

/** The specification of `standing`, by the set of the statuses that count: one bit for each. */
const specification = Array.from({ length: 2 ** statuses.length }, (_, set) => {
  const counts = statuses.filter((_, at) => (set >> at) & 1)
  const topRank = Math.max(0, ...counts.map(rank))
  const top = counts.filter((status) => rank(status) === topRank)
  return { counts, topRank, top, folds: [fold(counts), fold(counts.toReversed())] }
})

const admitted = {
  final: statuses.reduce((set, status, at) => (rank(status) < 10 ? set | (1 << at) : set), 0),
  always: 0,
  never: 2 ** statuses.length - 1
}

const setsOf = (observe: (status: Status) => Evidence.Evidence): Uint16Array => {
  const masks = statuses.map(observe)
  const setOf = (evidence: Evidence.Evidence) =>
    masks.reduce((set, mask, at) => (evidence & mask ? set | (1 << at) : set), 0)
  return Uint16Array.from({ length: size }, (_, evidence) => setOf(evidence))
}
const claimedSets = setsOf(Evidence.claimed)
const confirmedSets = setsOf(Evidence.confirmed)

type Specification = (typeof specification)[number]
const specifiedOf = (set = 0) => specification[set] as Specification

const specified = (evidence: Evidence.Evidence, policy: Evidence.Policy): Specification =>
  specifiedOf((confirmedSets[evidence] ?? 0) | ((claimedSets[evidence] ?? 0) & admitted[policy]))

const isSameList = (one: ReadonlyArray<Status>, other: ReadonlyArray<Status>): boolean =>
  one.length === other.length && one.every((status, index) => status === other[index])
const show = (evidence: Evidence.Evidence, read: Status | undefined, policy: Evidence.Policy) =>
  JSON.stringify({
    claimed: Evidence.claimedStatuses(evidence),
    confirmed: Evidence.confirmedStatuses(evidence),
    read,
    policy,
    standing: Evidence.standing(evidence, read, policy)
  })

const unread = (holds: (evidence: Evidence.Evidence, policy: Evidence.Policy) => boolean) => {
  for (const policy of policies) {
    for (const evidence of evidences) {
      if (!holds(evidence, policy)) expect.unreachable(show(evidence, undefined, policy))
    }
  }
}

const always = (
  holds: (evidence: Evidence.Evidence, read: Status | undefined, policy: Evidence.Policy) => boolean
) =>
  unread((evidence, policy) => {
    const { conflict } = Evidence.standing(evidence, undefined, policy)
    for (const read of conflict === null ? [undefined] : reads) {
      if (!holds(evidence, read, policy)) expect.unreachable(show(evidence, read, policy))
    }
    return true
  })

describe("standing, for every evidence, last read and policy", () => {
  it("is of evidence whose claimed and confirmed statuses are listed", () => {
    for (const evidence of evidences) {
      const isListed =
        isSameList(Evidence.claimedStatuses(evidence), specifiedOf(claimedSets[evidence]).counts) &&
        isSameList(
          Evidence.confirmedStatuses(evidence),
          specifiedOf(confirmedSets[evidence]).counts
        )
      if (!isListed) expect.unreachable(show(evidence, undefined, "final"))
    }
  })

  it("has the highest rank that counts", () => {
    unread((evidence, policy) => {
      const { topRank } = specified(evidence, policy)
      return Evidence.standing(evidence, undefined, policy).rank === topRank
    })
  })

  it("equals a fold of the documented rule in any order if only one status counts at the top rank", () => {
    unread((evidence, policy) => {
      const { folds, top } = specified(evidence, policy)
      const { status } = Evidence.standing(evidence, undefined, policy)
      return top.length !== 1 || folds.every((folded) => folded === status)
    })
  })

  it("is in conflict exactly when two final statuses are confirmed at its rank, or claimed with none confirmed", () => {
    unread((evidence, policy) => {
      const { top } = specified(evidence, policy)
      const confirmed = top.filter((status) => isConfirmed(evidence, status))
      const isFinal = top.some(isTerminal)
      const strongest = confirmed.length > 0 ? confirmed : top
      const expected = isFinal && strongest.length > 1 ? strongest : null
      const { conflict } = Evidence.standing(evidence, undefined, policy)
      return conflict === null || expected === null
        ? conflict === expected
        : isSameList(conflict, expected)
    })
  })

  it("depends on the last read only in a conflict", () => {
    unread((evidence, policy) => {
      const { conflict, status } = Evidence.standing(evidence, undefined, policy)
      if (conflict !== null) return true
      // `unsettled` takes the read only to `standing`, so one read for each evidence is enough.
      const read = statuses[evidence % statuses.length]
      return (
        statuses.every((each) => Evidence.standing(evidence, each, policy).status === status) &&
        isSameList(
          Evidence.unsettled(evidence, read, policy),
          Evidence.unsettled(evidence, undefined, policy)
        )
      )
    })
  })

  it("prefers a confirmed final status to claimed ones, and of several the one that was read last", () => {
    always((evidence, read, policy) => {
      const { conflict, confirmed, status } = Evidence.standing(evidence, read, policy)
      const isNamed = conflict === null || status === conflict.find((each) => each === read)
      return isNamed && confirmed === (status !== undefined && isConfirmed(evidence, status))
    })
  })

  it("prefers CUSTOMER_VERIFICATION to PROCESSING, whichever is confirmed", () => {
    always((evidence, read, policy) => {
      const { rank: standingRank, status } = Evidence.standing(evidence, read, policy)
      return (
        standingRank !== 3 ||
        (status === "CUSTOMER_VERIFICATION") ===
          specified(evidence, policy).counts.includes("CUSTOMER_VERIFICATION")
      )
    })
  })

  it("has no unconfirmed final status under final, and no unconfirmed status under always", () => {
    always((evidence, read, policy) => {
      const { confirmed, status } = Evidence.standing(evidence, read, policy)
      if (status === undefined || confirmed || policy === "never") return true
      return policy === "final" && !isTerminal(status)
    })
  })

  it("leaves unsettled exactly the claims whose confirmation would change the status", () => {
    always((evidence, read, policy) => {
      const before = Evidence.standing(evidence, read, policy)
      const open = Evidence.unsettled(evidence, read, policy)
      return Evidence.claimedStatuses(evidence).every((claim) => {
        if (isConfirmed(evidence, claim)) return !open.includes(claim)
        const after = Evidence.standing(evidence | Evidence.confirmed(claim), claim, policy)
        const isNews = Evidence.news(after, before.status) === claim
        const isTrusted = policy === "never" && before.status !== undefined
        return open.includes(claim) === (isNews && !isTrusted)
      })
    })
  })
})

const isConfirmed = (evidence: Evidence.Evidence, status: Status) =>
  (evidence & Evidence.confirmed(status)) !== 0

it("news is a status that comes later in the order of telling, or another final status of the same rank", () => {
  const order: ReadonlyArray<ReadonlyArray<Status>> = [
    ["NEW"],
    ["PENDING"],
    ["PROCESSING"],
    ["CUSTOMER_VERIFICATION"],
    ["SUCCEED", "FAILED", "CANCELLED"],
    ["REFUNDED"],
    ["CHARGEBACK"]
  ]
  const place = (status: Status) => order.findIndex((each) => each.includes(status))
  for (const to of statuses) {
    const standing = Evidence.standing(Evidence.confirmed(to), to)
    expect(Evidence.news(standing, undefined)).toBe(to)
    for (const told of statuses) {
      const isNews = to !== told && place(to) >= place(told)
      expect(Evidence.news(standing, told)).toBe(isNews ? to : undefined)
    }
  }
})

it("the service went back when the last read ranks below a confirmed status", () => {
  const evidence = Evidence.confirmed("CHARGEBACK") | Evidence.confirmed("SUCCEED")
  expect(Evidence.wentBack(evidence, "SUCCEED")).toBe(true)
  expect(Evidence.wentBack(evidence, "CHARGEBACK")).toBe(false)
  expect(Evidence.wentBack(Evidence.claimed("CHARGEBACK"), "SUCCEED")).toBe(false)
  expect(Evidence.wentBack(evidence, undefined)).toBe(false)
})
