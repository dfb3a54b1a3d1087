import * as Evidence from "@pawl/core/Evidence"
import { advance, isTerminal, rank, type Status, statuses } from "@pawl/core/Status"
import fc from "fast-check"
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

/** The claims that count under each policy, as a set. */
const admitted = {
  final: statuses.reduce((set, status, at) => (rank(status) < 10 ? set | (1 << at) : set), 0),
  always: 0,
  never: 2 ** statuses.length - 1
}

/** Returns the set of statuses of each evidence as one kind of observation. */
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

/** Checks a property for every evidence, policy and relevant read. */
const always = (
  holds: (evidence: Evidence.Evidence, read: Status | undefined, policy: Evidence.Policy) => boolean
) => {
  for (const policy of policies) {
    for (const evidence of evidences) {
      const { conflict } = Evidence.standing(evidence, undefined, policy)
      for (const read of conflict === null ? [undefined] : reads) {
        if (!holds(evidence, read, policy)) expect.unreachable(show(evidence, read, policy))
      }
    }
  }
}

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
    for (const policy of policies) {
      for (const evidence of evidences) {
        const { topRank } = specified(evidence, policy)
        if (Evidence.standing(evidence, undefined, policy).rank !== topRank) {
          expect.unreachable(show(evidence, undefined, policy))
        }
      }
    }
  })

  it("equals a fold of the documented rule in any order if only one status counts at the top rank", () => {
    for (const policy of policies) {
      for (const evidence of evidences) {
        const { folds, top } = specified(evidence, policy)
        if (top.length !== 1) continue
        const { status } = Evidence.standing(evidence, undefined, policy)
        if (folds.some((folded) => folded !== status)) {
          expect.unreachable(show(evidence, undefined, policy))
        }
      }
    }
  })

  it("is in conflict exactly when two final statuses are confirmed at its rank, or claimed with none confirmed", () => {
    for (const policy of policies) {
      for (const evidence of evidences) {
        const { top } = specified(evidence, policy)
        const confirmed = top.filter((status) => isConfirmed(evidence, status))
        const isFinal = top.some(isTerminal)
        const strongest = confirmed.length > 0 ? confirmed : top
        const expected = isFinal && strongest.length > 1 ? strongest : null
        const { conflict } = Evidence.standing(evidence, undefined, policy)
        const isSame =
          conflict === null || expected === null
            ? conflict === expected
            : isSameList(conflict, expected)
        if (!isSame) {
          expect.unreachable(show(evidence, undefined, policy))
        }
      }
    }
  })

  it("depends on the last read only in a conflict", () => {
    for (const policy of policies) {
      for (const evidence of evidences) {
        const { conflict, status } = Evidence.standing(evidence, undefined, policy)
        if (conflict !== null) continue
        for (const read of statuses) {
          if (Evidence.standing(evidence, read, policy).status !== status) {
            expect.unreachable(show(evidence, read, policy))
          }
        }
        // `unsettled` takes the read only to `standing`, so one read for each evidence is enough.
        const read = statuses[evidence % statuses.length]
        const isSame = isSameList(
          Evidence.unsettled(evidence, read, policy),
          Evidence.unsettled(evidence, undefined, policy)
        )
        if (!isSame) expect.unreachable(show(evidence, read, policy))
      }
    }
  })

  it("prefers a confirmed final status to claimed ones, and of several confirmed ones the last read", () => {
    always((evidence, read, policy) => {
      const { conflict, confirmed, status } = Evidence.standing(evidence, read, policy)
      if (conflict === null) {
        return confirmed === (status !== undefined && isConfirmed(evidence, status))
      }
      const named = conflict.find((each) => each === read)
      return (
        status === named && (status === undefined || !confirmed === !isConfirmed(evidence, status))
      )
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

describe("observations", () => {
  const observation = fc.record({
    status: fc.constantFrom(...statuses),
    askedAt: fc.option(fc.nat({ max: 5 }), { nil: undefined })
  })
  interface Observed {
    readonly status: Status
    readonly askedAt: number | undefined
  }
  const observe = (observations: ReadonlyArray<Observed>) =>
    observations.reduce<{ evidence: Evidence.Evidence; read: Evidence.Read | undefined }>(
      ({ evidence, read }, { askedAt, status }) => ({
        evidence: Evidence.join(
          evidence,
          askedAt === undefined ? Evidence.claimed(status) : Evidence.confirmed(status)
        ),
        read: Evidence.joinRead(read, askedAt === undefined ? undefined : { status, askedAt })
      }),
      { evidence: Evidence.none, read: undefined }
    )

  it("lead to the same standing in any order and with any repetition", () => {
    fc.assert(
      fc.property(
        fc
          .array(observation)
          .chain((seen) =>
            fc.tuple(
              fc.constant(seen),
              fc.shuffledSubarray([...seen, ...seen], { minLength: seen.length * 2 })
            )
          ),
        fc.constantFrom(...policies),
        ([seen, delivered], policy) => {
          const once = observe(seen)
          const twice = observe(delivered)
          expect(Evidence.standing(twice.evidence, twice.read?.status, policy)).toEqual(
            Evidence.standing(once.evidence, once.read?.status, policy)
          )
        }
      )
    )
  })

  it("keep the read that was requested last, in any order", () => {
    const read = fc.record({ status: fc.constantFrom(...statuses), askedAt: fc.nat({ max: 5 }) })
    fc.assert(
      fc.property(fc.array(read, { minLength: 1 }), (reads) => {
        const join = (all: ReadonlyArray<Evidence.Read>) =>
          all.reduce<Evidence.Read | undefined>(Evidence.joinRead, undefined)
        const last = Math.max(...reads.map(({ askedAt }) => askedAt))
        expect(join(reads)?.askedAt).toBe(last)
        expect(join(reads.toReversed())).toEqual(join(reads))
        expect(join([...reads, ...reads])).toEqual(join(reads))
      })
    )
  })

  it("lead to news if the status comes later in the order of telling, or is another final status of the same rank", () => {
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

  it("are told with ranks that never fall, and with an equal rank only for a verification or another final status", () => {
    fc.assert(
      fc.property(fc.array(observation), fc.constantFrom(...policies), (seen, policy) => {
        const told: Array<Status> = []
        for (let count = 1; count <= seen.length; count++) {
          const { evidence, read } = observe(seen.slice(0, count))
          const next = Evidence.news(Evidence.standing(evidence, read?.status, policy), told.at(-1))
          if (next !== undefined) told.push(next)
        }
        for (const [index, status] of told.entries()) {
          const before = told[index - 1]
          if (before === undefined) continue
          expect(status).not.toBe(before)
          expect(rank(status)).toBeGreaterThanOrEqual(rank(before))
          if (rank(status) === rank(before)) {
            expect(isTerminal(status) || status === "CUSTOMER_VERIFICATION").toBe(true)
          }
        }
      })
    )
  })

  it("leave the standing of a conflict unconfirmed until a read names one of its statuses", () => {
    const evidence = Evidence.confirmed("SUCCEED") | Evidence.confirmed("FAILED")
    const conflict = { rank: 10, conflict: ["SUCCEED", "FAILED"] }
    for (const policy of policies) {
      for (const read of [undefined, "PROCESSING", "CANCELLED", "CHARGEBACK"] as const) {
        const undecided = { ...conflict, status: undefined, confirmed: false }
        expect(Evidence.standing(evidence, read, policy)).toEqual(undecided)
      }
      const decided = { ...conflict, status: "FAILED", confirmed: true }
      expect(Evidence.standing(evidence, "FAILED", policy)).toEqual(decided)
    }
    const claims = Evidence.claimed("SUCCEED") | Evidence.claimed("FAILED")
    const decided = { ...conflict, status: "FAILED", confirmed: false }
    expect(Evidence.standing(claims, "FAILED", "never")).toEqual(decided)
  })

  it("show that the service went back when the last read ranks below a confirmed status", () => {
    const evidence = Evidence.confirmed("CHARGEBACK") | Evidence.confirmed("SUCCEED")
    expect(Evidence.wentBack(evidence, "SUCCEED")).toBe(true)
    expect(Evidence.wentBack(evidence, "CHARGEBACK")).toBe(false)
    expect(Evidence.wentBack(Evidence.claimed("CHARGEBACK"), "SUCCEED")).toBe(false)
    expect(Evidence.wentBack(evidence, undefined)).toBe(false)
  })
})
