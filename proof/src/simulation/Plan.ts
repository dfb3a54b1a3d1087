/**
 * What is to happen in a simulation: plain lists, drawn up front, so they can be kept and shrunk.
 *
 * @since 0.1.0
 */
import * as Struct from "effect/Struct"
import * as fc from "fast-check"
import * as Faults from "@pawl/testkit/Faults"
import * as Scenario from "@pawl/testkit/Scenario"

/**
 * A simulation, drawn. Times are milliseconds from its start.
 *
 * - `quietAt`: when the last fault is over.
 * - `skews`: what the clock of each process is ahead of the service's.
 *
 * @category models
 * @since 0.1.0
 */
export interface Plan {
  readonly seed: number
  readonly quietAt: number
  readonly skews: Readonly<Record<Process, number>>
  readonly operations: ReadonlyArray<Operation>
  readonly faults: ReadonlyArray<Fault>
  readonly forgeries: ReadonlyArray<Forgery>
}

/**
 * The processes of the merchant. The service is one as well; its clock is the true one.
 *
 * @category constants
 * @since 0.1.0
 */
export const processes = ["client", "receiver 1", "receiver 2"] as const

/**
 * The name of a process.
 *
 * @category models
 * @since 0.1.0
 */
export type Process = (typeof processes)[number]

/**
 * One operation of the merchant, and what comes of it.
 *
 * - `scenario`: its life at the service, and how its callbacks travel.
 * - `steps`: what follows: calls of the merchant, or moves by the service, each so long after the create.
 * - `deeds`: what the handler does, call by call; afterwards it takes what it is told.
 *
 * @category models
 * @since 0.1.0
 */
export interface Operation {
  readonly id: number
  readonly at: number
  readonly kind: (typeof kinds)[number]
  readonly scenario: string
  readonly steps: ReadonlyArray<{ readonly after: number; readonly what: (typeof steps)[number] }>
  readonly deeds: ReadonlyArray<(typeof deeds)[number]>
}

/**
 * Something that is wrong for a time. `jump` is by how much a clock is wrong, in milliseconds.
 *
 * @category models
 * @since 0.1.0
 */
export type Fault = {
  readonly [Target in keyof typeof troubles]: {
    readonly at: number
    readonly lasts: number
    readonly on: Target
    readonly what: (typeof troubles)[Target][number]
    readonly jump: number
  }
}[keyof typeof troubles]

/**
 * A post by someone who has seen a callback: the one that was `back` posts ago.
 *
 * @category models
 * @since 0.1.0
 */
export interface Forgery {
  readonly at: number
  readonly what: (typeof forgeries)[number]
  readonly status: (typeof lies)[number]
  readonly back: number
}

const kinds = ["apm-payment", "apm-payout", "card-payment", "card-payout", "subscription"] as const
const steps = ["refund", "REFUNDED", "CHARGEBACK", "SUCCEED", "pause", "cancel"] as const
export const deeds = [
  "takes",
  "fails",
  "dies",
  "interrupts itself",
  "is slow",
  "is slow",
  "never ends",
  "fails for days"
] as const
const lies = ["SUCCEED", "FAILED", "CANCELLED", "REFUNDED", "CHARGEBACK", "PENDING"] as const

/**
 * What a forger does with a callback that was seen: claims another status, changes what the checksum covers,
 * takes the checksum away, says twice which kind it is, or takes the merchant's token out of the URL.
 *
 * @category constants
 * @since 0.1.0
 */
export const forgeries = ["status", "status", "amount", "checksum", "query", "token"] as const

const exchanges = [...Faults.kinds, "hang"] as const

/**
 * What can be wrong with what.
 *
 * @category constants
 * @since 0.1.0
 */
export const troubles = {
  client: [...exchanges, "crash", "jump"],
  "receiver 1": [...exchanges, "crash", "crash", "crash", "jump", "jump"],
  "receiver 2": [...exchanges, "crash", "crash", "crash", "jump", "jump"],
  service: ["crash"],
  callback: ["lost", "unanswered", "late", "twice", "held"],
  store: ["refused", "unanswered", "slow", "slow"]
} as const

const second = 1000
const minute = 60 * second
const hour = 60 * minute

/**
 * A day, in milliseconds.
 *
 * @category constants
 * @since 0.1.0
 */
export const day = 24 * hour

/** The stories of the sandbox, most of them good. */
const stories = [
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

/** Half of the callbacks travel well by themselves; the network is bad enough. A payout is not given back. */
const scenario = (kind: Operation["kind"]): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.constantFrom(...(kind.endsWith("payout") ? stories.slice(0, -2) : stories)),
      fc.subarray([...Scenario.suffixes]),
      fc.boolean()
    )
    .map(([story, suffixes, isPlain]) => [story, ...(isPlain ? [] : suffixes)].join("+"))

const late = fc.integer({ min: hour, max: 20 * day })

/** A payment may be given back and charged back days later, and a chargeback may be won. */
const comingAfter = (kind: Operation["kind"]): fc.Arbitrary<Operation["steps"]> => {
  if (kind === "subscription") {
    return fc.tuple(fc.integer({ min: hour, max: 3 * day }), late).map(([one, two]) => [
      { after: one, what: "pause" },
      { after: one + two, what: "cancel" }
    ])
  }
  if (!kind.endsWith("payment")) return fc.constant([])
  return fc
    .tuple(late, late, late, fc.boolean(), fc.nat({ max: 11 }))
    .map(([one, two, three, byUs, how]) => {
      const back = byUs && kind === "card-payment" ? ("refund" as const) : ("REFUNDED" as const)
      const refunded = { after: one, what: back }
      const charged = { after: one + two, what: "CHARGEBACK" as const }
      const won = { after: one + two + three, what: "SUCCEED" as const }
      const all = [[refunded], [refunded], [charged], [refunded, charged], [charged, won]]
      return all[how] ?? []
    })
}

const operation = (span: number): fc.Arbitrary<Omit<Operation, "id">> =>
  fc.constantFrom(...kinds.slice(0, 4), ...kinds, ...kinds).chain((kind) =>
    fc.record({
      at: fc.nat({ max: span }),
      kind: fc.constant(kind),
      scenario: scenario(kind),
      steps: comingAfter(kind),
      deeds: fc
        .tuple(fc.array(fc.constantFrom(...deeds), { maxLength: 3 }), fc.nat({ max: 2 }))
        .map(([all, kindly]) => (kindly > 0 ? [] : all))
    })
  )

const fault = (moments: ReadonlyArray<number>): fc.Arbitrary<Fault> =>
  fc
    .tuple(
      fc.constantFrom(
        ...Struct.keys(troubles),
        "client",
        "client",
        "receiver 1",
        "callback",
        "store",
        "store"
      ),
      fc.constantFrom(...moments),
      // Often just then, when the create and the first callbacks are under way.
      fc.oneof(
        fc.integer({ min: -20 * second, max: 4 * second }),
        fc.integer({ min: -10 * second, max: 2 * minute }),
        fc.integer({ min: -minute, max: 2 * hour })
      ),
      // Often for a moment, sometimes for longer than the service tries.
      fc.oneof(
        { weight: 3, arbitrary: fc.integer({ min: 20 * second, max: 3 * minute }) },
        { weight: 2, arbitrary: fc.integer({ min: minute, max: 30 * minute }) },
        { weight: 1, arbitrary: fc.integer({ min: hour, max: 3 * hour }) }
      ),
      fc.integer({ min: -hour, max: hour })
    )
    .chain(([on, moment, offset, lasts, jump]) =>
      fc.constantFrom(...troubles[on]).map(
        (what) =>
          ({
            at: Math.max(0, moment + offset),
            // Everybody asks a store that is down again every second.
            lasts: on === "store" ? Math.min(lasts, 3 * minute) : lasts,
            on,
            what,
            jump
          }) as Fault
      )
    )

const forgery = (moments: ReadonlyArray<number>): fc.Arbitrary<Forgery> =>
  fc.record({
    at: fc
      .tuple(fc.constantFrom(...moments), fc.nat({ max: 2 * hour }))
      .map(([moment, offset]) => moment + offset),
    what: fc.constantFrom(...forgeries),
    status: fc.constantFrom(...lies),
    back: fc.nat({ max: 6 })
  })

const skew = fc.integer({ min: -2 * second, max: 2 * second })

/**
 * How long a simulation is, and how dense: operations a day, and faults and forgeries an operation.
 *
 * @category models
 * @since 0.1.0
 */
export interface Size {
  readonly days: number
  readonly perDay: number
  readonly faults: number
  readonly forgeries: number
}

/**
 * Draws a simulation. What is in one of its lists is nothing to what is in another.
 *
 * **Details**
 *
 * Faults come around the operations, where they do most harm, and end with the last of the `days`; then a tenth as many
 * operations again find nothing wrong but the forger.
 *
 * @category constructors
 * @since 0.1.0
 */
export const draw = (seed: number, { days, faults, forgeries, perDay }: Size): Plan => {
  const some = <A>(name: number, count: number, of: fc.Arbitrary<A>): ReadonlyArray<A> =>
    fc.sample(fc.noShrink(of), {
      numRuns: Math.ceil(count),
      seed: (seed * 8 + name) | 0,
      path: "",
      unbiased: true
    })
  const quietAt = days * day
  const count = Math.ceil(days * perDay)
  const operations = [
    ...some(0, count, operation(quietAt - 3 * hour)),
    ...some(1, count / 10 + 4, operation(day)).map((each) => ({
      ...each,
      at: quietAt + each.at,
      deeds: []
    }))
  ]
    .toSorted((one, two) => one.at - two.at)
    .map((each, index) => ({ id: index + 1, ...each }))
  const moments = operations.flatMap(({ at, steps }) => [
    at,
    ...steps.map(({ after }) => at + after)
  ])
  const busy = moments.filter((at) => at < quietAt)
  const [client = 0, one = 0, two = 0] = some(2, 3, skew)
  return {
    seed,
    quietAt,
    skews: { client: client * 60, "receiver 1": one, "receiver 2": two },
    operations,
    faults: some(3, count * faults, fault(busy))
      .map((each) => ({ ...each, lasts: Math.min(each.lasts, quietAt - each.at) }))
      .toSorted((one, two) => one.at - two.at),
    forgeries: some(4, count * forgeries, forgery(moments)).toSorted((one, two) => one.at - two.at)
  }
}
