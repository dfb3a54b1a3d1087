import type { Policy } from "@pawl/core/Evidence"
import * as Scenario from "@pawl/testkit/Scenario"
import * as Struct from "effect/Struct"
import * as fc from "fast-check"
import * as Plan from "./Plan.ts"

const second = 1000
const minute = 60 * second
const hour = 60 * minute

const scenarios = [
  "succeed",
  "succeed",
  "succeed",
  "decline:51",
  "challenge",
  "cancel",
  "conflict",
  "refund",
  "chargeback"
]

/** Half of the scenarios have no delivery faults because the network has enough. */
const scenario = (kind: Plan.Operation["kind"]): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.constantFrom(...(kind.endsWith("payout") ? scenarios.slice(0, -2) : scenarios)),
      fc.subarray([...Scenario.suffixes]),
      fc.boolean()
    )
    .map(([name, suffixes, isPlain]) => [name, ...(isPlain ? [] : suffixes)].join("+"))

const late = fc.integer({ min: hour, max: 20 * Plan.day })

const readablePerUnreadable = 24

const stepsOf = (kind: Plan.Operation["kind"]): fc.Arbitrary<Plan.Operation["steps"]> => {
  if (kind === "subscription") {
    return fc.tuple(fc.integer({ min: hour, max: 3 * Plan.day }), late).map(([one, two]) => [
      { after: one, event: "pause" },
      { after: one + two, event: "cancel" }
    ])
  }
  if (!kind.endsWith("payment")) {
    return fc
      .tuple(late, fc.nat({ max: 2 }))
      .map(([after, chance]) => (chance === 0 ? [{ after, event: "REFUNDED" }] : []))
  }
  return fc
    .tuple(late, late, late, fc.boolean(), fc.nat({ max: 11 }))
    .map(([one, two, three, isByMerchant, which]) => {
      const refund =
        isByMerchant && kind === "card-payment" ? ("refund" as const) : ("REFUNDED" as const)
      const refunded = { after: one, event: refund }
      const charged = { after: one + two, event: "CHARGEBACK" as const }
      const won = { after: one + two + three, event: "SUCCEED" as const }
      const all = [[refunded], [refunded], [charged], [refunded, charged], [charged, won]]
      return all[which] ?? []
    })
}

const operation = (span: number): fc.Arbitrary<Omit<Plan.Operation, "id">> =>
  fc.constantFrom(...Plan.kinds.slice(0, 4), ...Plan.kinds, ...Plan.kinds).chain((kind) =>
    fc.record({
      at: fc.nat({ max: span }),
      kind: fc.constant(kind),
      scenario: scenario(kind),
      steps: stepsOf(kind),
      handlerActions: fc
        .tuple(
          fc.array(fc.constantFrom(...Plan.handlerActions), { maxLength: 3 }),
          fc.nat({ max: 2 })
        )
        .map(([actions, chance]) => (chance > 0 ? [] : actions)),
      isUnreadable: fc.nat({ max: readablePerUnreadable }).map((chance) => chance === 0)
    })
  )

const fault = (moments: ReadonlyArray<number>): fc.Arbitrary<Plan.Fault> =>
  fc
    .tuple(
      fc.constantFrom(
        ...Struct.keys(Plan.faultKinds),
        "client",
        "client",
        "receiver 1",
        "callback",
        "store",
        "store"
      ),
      fc.constantFrom(...moments),
      // Most faults begin while the first callbacks are in flight.
      fc.oneof(
        fc.integer({ min: -20 * second, max: 4 * second }),
        fc.integer({ min: -10 * second, max: 2 * minute }),
        fc.integer({ min: -minute, max: 2 * hour })
      ),
      // Some outlast the retries of the service.
      fc.oneof(
        { weight: 3, arbitrary: fc.integer({ min: 20 * second, max: 3 * minute }) },
        { weight: 2, arbitrary: fc.integer({ min: minute, max: 30 * minute }) },
        { weight: 1, arbitrary: fc.integer({ min: hour, max: 3 * hour }) }
      ),
      fc.integer({ min: -hour, max: hour })
    )
    .chain(([target, moment, offset, duration, jump]) =>
      fc.constantFrom(...Plan.faultKinds[target]).map(
        (kind) =>
          ({
            at: Math.max(0, moment + offset),
            // Every process retries an unavailable store each second.
            duration: target === "store" ? Math.min(duration, 3 * minute) : duration,
            target,
            kind,
            jump
          }) as Plan.Fault
      )
    )

const forgery = (moments: ReadonlyArray<number>): fc.Arbitrary<Plan.Forgery> =>
  fc.record({
    at: fc
      .tuple(fc.constantFrom(...moments), fc.nat({ max: 2 * hour }))
      .map(([moment, offset]) => moment + offset),
    kind: fc.constantFrom(...Plan.forgeries),
    status: fc.constantFrom(...Plan.forgedStatuses),
    postsAgo: fc.nat({ max: 6 })
  })

const skew = fc.integer({ min: -2 * second, max: 2 * second })

/** The outages outlast the repeats of the service. */
const outage = (moments: ReadonlyArray<number>): fc.Arbitrary<Plan.Outage> =>
  fc.record({
    at: fc
      .tuple(fc.constantFrom(...moments), fc.integer({ min: minute, max: hour }))
      .map(([moment, before]) => Math.max(0, moment - before)),
    duration: fc.integer({ min: 65 * minute, max: 8 * hour })
  })

const sampleOf = <A>(seed: number, numRuns: number, arbitrary: fc.Arbitrary<A>): ReadonlyArray<A> =>
  fc.sample(fc.noShrink(arbitrary), { numRuns, seed, path: "", unbiased: true })

export interface Size {
  readonly days: number
  readonly operationsPerDay: number
  readonly faults: number
  readonly forgeries: number
  readonly outages?: number
  readonly policy?: Policy
}

/**
 * Draws a plan. Faults lie close to the operations and end with the last of the `days`; the quiet
 * time has operations and forgeries without faults.
 */
export const draw = (
  seed: number,
  { days, faults, forgeries, operationsPerDay, outages = 0, policy }: Size
): Plan.Plan => {
  const sample = <A>(stream: number, count: number, arbitrary: fc.Arbitrary<A>) =>
    sampleOf((seed * 8 + stream) | 0, Math.ceil(count), arbitrary)
  const quietAt = days * Plan.day
  const count = Math.ceil(days * operationsPerDay)
  const operations = [
    ...sample(0, count, operation(Math.max(quietAt - 3 * hour, quietAt / 2))),
    ...sample(1, count / 10 + 4, operation(Plan.day)).map((each) => ({
      ...each,
      at: quietAt + each.at,
      handlerActions: [],
      isUnreadable: false
    }))
  ]
    .toSorted((one, two) => one.at - two.at)
    .map((each, index) => ({ id: index + 1, ...each }))
  const moments = operations.flatMap(({ at, steps }) => [
    at,
    ...steps.map(({ after }) => at + after)
  ])
  const momentsWithFaults = moments.filter((at) => at < quietAt)
  const [client = 0, one = 0, two = 0] = sample(2, 3, skew)
  return {
    seed,
    quietAt,
    skews: { client: client * 60, "receiver 1": one, "receiver 2": two },
    operations,
    faults: sample(3, count * faults, fault(momentsWithFaults))
      .map((fault) => ({ ...fault, duration: Math.min(fault.duration, quietAt - fault.at) }))
      .toSorted((one, two) => one.at - two.at),
    forgeries: sample(4, count * forgeries, forgery(moments)).toSorted(
      (one, two) => one.at - two.at
    ),
    ...(policy && { policy }),
    ...(outages > 0 && {
      outages: sample(5, outages, outage(momentsWithFaults)).filter(
        ({ at, duration }) => at + duration < quietAt
      )
    })
  }
}

/** Draws a plan of an hour with right clocks, in which a receiver ends every minute. */
export const drawHour = (seed: number, operations: number): Plan.Plan => {
  const plan = draw(seed, {
    days: hour / Plan.day,
    operationsPerDay: (operations * Plan.day) / hour,
    faults: 2,
    forgeries: 1
  })
  const end = fc.record({
    at: fc.nat({ max: minute }),
    duration: fc.nat({ max: 5 * second }),
    target: fc.constantFrom("receiver 1" as const, "receiver 2" as const),
    kind: fc.constantFrom("crash" as const, "restart" as const),
    jump: fc.constant(0)
  })
  const actions = fc.constantFrom("accepts", "fails", "fails", "is slow")
  const handlerActions = sampleOf(
    seed,
    plan.operations.length,
    fc.array(actions, { minLength: 10, maxLength: 10 })
  )
  const faults = [
    ...plan.faults.filter(({ kind }) => kind !== "jump"),
    ...sampleOf(seed, 60, end).map((fault, index) => ({ ...fault, at: index * minute + fault.at }))
  ]
  return {
    ...plan,
    skews: { client: 0, "receiver 1": 0, "receiver 2": 0 },
    operations: plan.operations.map((operation, index) => ({
      ...operation,
      handlerActions: handlerActions[index] ?? []
    })),
    faults: faults.toSorted((one, two) => one.at - two.at)
  }
}
