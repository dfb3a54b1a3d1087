/**
 * Plan of a simulation: plain lists of events, drawn before the run, so that they can be saved and shrunk.
 */
import * as Struct from "effect/Struct"
import * as fc from "fast-check"
import * as Faults from "@pawl/testkit/Faults"
import * as Scenario from "@pawl/testkit/Scenario"

/**
 * A plan. Times are in milliseconds from the start.
 *
 * - `quietAt`: the time at which the last fault has ended.
 * - `skews`: how far the clock of each process is ahead of the service's clock.
 */
export interface Plan {
  readonly seed: number
  readonly quietAt: number
  readonly skews: Readonly<Record<Process, number>>
  readonly operations: ReadonlyArray<Operation>
  readonly faults: ReadonlyArray<Fault>
  readonly forgeries: ReadonlyArray<Forgery>
}

/** The processes of the merchant. The service is a process too; its clock is right. */
export const processes = ["client", "receiver 1", "receiver 2"] as const

/** The name of a process of the merchant. */
export type Process = (typeof processes)[number]

/**
 * One operation of the merchant, and the events that follow it.
 *
 * - `scenario`: the statuses it has at the service, and how its callbacks are delivered.
 * - `steps`: later calls of the merchant and moves by the service, each at a time after the create.
 * - `handlerActions`: what the handler does, call by call; it accepts every later call.
 */
export interface Operation {
  readonly id: number
  readonly at: number
  readonly kind: (typeof kinds)[number]
  readonly scenario: string
  readonly steps: ReadonlyArray<{ readonly after: number; readonly event: (typeof steps)[number] }>
  readonly handlerActions: ReadonlyArray<(typeof handlerActions)[number]>
}

/** A fault that lasts for `duration`. `jump` is the error of a clock, in milliseconds. */
export type Fault = {
  readonly [Target in keyof typeof faultKinds]: {
    readonly at: number
    readonly duration: number
    readonly target: Target
    readonly kind: (typeof faultKinds)[Target][number]
    readonly jump: number
  }
}[keyof typeof faultKinds]

/** A changed copy of a callback, made from the post that came `postsAgo` posts earlier. */
export interface Forgery {
  readonly at: number
  readonly kind: (typeof forgeries)[number]
  readonly status: (typeof forgedStatuses)[number]
  readonly postsAgo: number
}

const kinds = ["apm-payment", "apm-payout", "card-payment", "card-payout", "subscription"] as const
const steps = ["refund", "REFUNDED", "CHARGEBACK", "SUCCEED", "pause", "cancel"] as const
/** What the handler can do in a call. A repeated entry is drawn more often. */
export const handlerActions = [
  "accepts",
  "fails",
  "dies",
  "interrupts itself",
  "is slow",
  "is slow",
  "never ends",
  "fails for days"
] as const
const forgedStatuses = [
  "SUCCEED",
  "FAILED",
  "CANCELLED",
  "REFUNDED",
  "CHARGEBACK",
  "PENDING"
] as const

/**
 * What a forger does with a callback: claims another status, changes a field that the checksum covers, removes the
 * checksum, gives `paymentMethod` twice in the query, or removes the merchant's token from the URL.
 */
export const forgeries = ["status", "status", "amount", "checksum", "query", "token"] as const

const linkFaults = [...Faults.kinds, "hang"] as const

/** The kinds of faults of each target. A repeated entry is drawn more often. */
export const faultKinds = {
  client: [...linkFaults, "crash", "jump"],
  "receiver 1": [...linkFaults, "crash", "crash", "crash", "jump", "jump"],
  "receiver 2": [...linkFaults, "crash", "crash", "crash", "jump", "jump"],
  service: ["crash"],
  callback: ["lost", "unanswered", "late", "twice", "held"],
  store: ["refused", "unanswered", "slow", "slow"]
} as const

const second = 1000
const minute = 60 * second
const hour = 60 * minute

/** A day, in milliseconds. */
export const day = 24 * hour

/** Scenarios of the sandbox; about half of those drawn succeed. */
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

/** Half of the operations have no delivery faults of their own, because the network has enough. A payout is never refunded. */
const scenario = (kind: Operation["kind"]): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.constantFrom(...(kind.endsWith("payout") ? scenarios.slice(0, -2) : scenarios)),
      fc.subarray([...Scenario.manners]),
      fc.boolean()
    )
    .map(([name, manners, isPlain]) => [name, ...(isPlain ? [] : manners)].join("+"))

/** A time between the create and a later step. */
const late = fc.integer({ min: hour, max: 20 * day })

/** A payment may be refunded and charged back days later, and the merchant may win a chargeback. */
const stepsOf = (kind: Operation["kind"]): fc.Arbitrary<Operation["steps"]> => {
  if (kind === "subscription") {
    return fc.tuple(fc.integer({ min: hour, max: 3 * day }), late).map(([one, two]) => [
      { after: one, event: "pause" },
      { after: one + two, event: "cancel" }
    ])
  }
  if (!kind.endsWith("payment")) return fc.constant([])
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

const operation = (span: number): fc.Arbitrary<Omit<Operation, "id">> =>
  fc.constantFrom(...kinds.slice(0, 4), ...kinds, ...kinds).chain((kind) =>
    fc.record({
      at: fc.nat({ max: span }),
      kind: fc.constant(kind),
      scenario: scenario(kind),
      steps: stepsOf(kind),
      handlerActions: fc
        .tuple(fc.array(fc.constantFrom(...handlerActions), { maxLength: 3 }), fc.nat({ max: 2 }))
        .map(([actions, isRegular]) => (isRegular > 0 ? [] : actions))
    })
  )

const fault = (moments: ReadonlyArray<number>): fc.Arbitrary<Fault> =>
  fc
    .tuple(
      fc.constantFrom(
        ...Struct.keys(faultKinds),
        "client",
        "client",
        "receiver 1",
        "callback",
        "store",
        "store"
      ),
      fc.constantFrom(...moments),
      // Most faults begin close to the moment, while the create and the first callbacks are in flight.
      fc.oneof(
        fc.integer({ min: -20 * second, max: 4 * second }),
        fc.integer({ min: -10 * second, max: 2 * minute }),
        fc.integer({ min: -minute, max: 2 * hour })
      ),
      // Most faults are short; some outlast the retries of the service.
      fc.oneof(
        { weight: 3, arbitrary: fc.integer({ min: 20 * second, max: 3 * minute }) },
        { weight: 2, arbitrary: fc.integer({ min: minute, max: 30 * minute }) },
        { weight: 1, arbitrary: fc.integer({ min: hour, max: 3 * hour }) }
      ),
      fc.integer({ min: -hour, max: hour })
    )
    .chain(([target, moment, offset, duration, jump]) =>
      fc.constantFrom(...faultKinds[target]).map(
        (kind) =>
          ({
            at: Math.max(0, moment + offset),
            // Every process retries an unavailable store each second, so long faults would cost much.
            duration: target === "store" ? Math.min(duration, 3 * minute) : duration,
            target,
            kind,
            jump
          }) as Fault
      )
    )

const forgery = (moments: ReadonlyArray<number>): fc.Arbitrary<Forgery> =>
  fc.record({
    at: fc
      .tuple(fc.constantFrom(...moments), fc.nat({ max: 2 * hour }))
      .map(([moment, offset]) => moment + offset),
    kind: fc.constantFrom(...forgeries),
    status: fc.constantFrom(...forgedStatuses),
    postsAgo: fc.nat({ max: 6 })
  })

const skew = fc.integer({ min: -2 * second, max: 2 * second })

/** Size of a plan: its days with faults, the operations per day, and the faults and forgeries per operation. */
export interface Size {
  readonly days: number
  readonly operationsPerDay: number
  readonly faults: number
  readonly forgeries: number
}

/**
 * Draws a plan. The same seed gives the same plan. Each list is drawn independently of the others.
 *
 * **Details**
 *
 * Faults lie close to the operations, where they do most harm, and end with the last of the `days`. In the quiet time after
 * that the plan has a tenth as many operations again, which meet forgeries but no faults.
 */
export const draw = (seed: number, { days, faults, forgeries, operationsPerDay }: Size): Plan => {
  const sample = <A>(stream: number, count: number, arbitrary: fc.Arbitrary<A>): ReadonlyArray<A> =>
    fc.sample(fc.noShrink(arbitrary), {
      numRuns: Math.ceil(count),
      seed: (seed * 8 + stream) | 0,
      path: "",
      unbiased: true
    })
  const quietAt = days * day
  const count = Math.ceil(days * operationsPerDay)
  const operations = [
    ...sample(0, count, operation(quietAt - 3 * hour)),
    ...sample(1, count / 10 + 4, operation(day)).map((each) => ({
      ...each,
      at: quietAt + each.at,
      handlerActions: []
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
    )
  }
}
