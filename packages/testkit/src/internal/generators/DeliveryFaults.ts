import { type Status, statuses } from "@pawl/core/Status"
import type { OpenStatus } from "@pawl/core/Transaction"
import * as fc from "fast-check"
import { sequence } from "./Sequence.ts"

/**
 * The changes of a forger to unsigned fields.
 *
 * - `metadata`, `response`: other metadata, or other response data of the payment method.
 * - `refundId`: one that the callback did not have.
 * - `kind`: the layout and paymentMethod of the other method, with the same account.
 * - `type`: another apmType.
 */
export const forgeries = ["status", "metadata", "response", "refundId", "kind", "type"] as const

export type Forgery = (typeof forgeries)[number]

/**
 * One fault in the delivery of a history's callbacks. `index` is the position of the callback,
 * modulo the length of the history; `delay` is in milliseconds.
 *
 * - `again`: the callback arrives a second time, later.
 * - `number`: its amount is written as a number.
 * - `forged`: a changed copy arrives later. With the forgery `status` it claims `status`.
 */
export type DeliveryFault = { readonly index: number } & (
  | { readonly type: "late"; readonly delay: number }
  | { readonly type: "again"; readonly delay: number }
  | { readonly type: "lost" }
  | { readonly type: "number" }
  | {
      readonly type: "forged"
      readonly delay: number
      readonly forgery: Forgery
      readonly status: OpenStatus
    }
)

const delays = [500, 1500, 2500, 10_000, 120_000, 3_720_000, 86_400_000]

const indices = [0, 1, 2, 3, 4, 5]

const faultTable: ReadonlyArray<DeliveryFault> = [
  ...indices.map((index): DeliveryFault => ({ type: "lost", index })),
  ...delays.flatMap((delay) =>
    indices.map((index): DeliveryFault => ({ type: "late", index, delay }))
  ),
  ...delays.flatMap((delay) =>
    indices.map((index): DeliveryFault => ({ type: "again", index, delay }))
  ),
  ...indices.map((index): DeliveryFault => ({ type: "number", index })),
  ...[500, 2500].flatMap((delay) =>
    indices.flatMap((index) => [
      ...[...statuses, "SETTLED", "constructor", ""].map((status): DeliveryFault => ({
        type: "forged",
        index,
        delay,
        forgery: "status",
        status
      })),
      ...forgeries.slice(1).map((forgery): DeliveryFault => ({
        type: "forged",
        index,
        delay,
        forgery,
        status: "SUCCEED"
      }))
    ])
  )
].map((fault) => Object.freeze(fault))

const keyOf = (fault: DeliveryFault): string =>
  JSON.stringify(fault, ["type", "index", "delay", "forgery", "status"])
const faultByKey = new Map(faultTable.map((fault) => [keyOf(fault), fault]))

interface HasStatuses {
  readonly statuses: ReadonlyArray<Status>
}

type WithFaults<History> = readonly [history: History, faults: ReadonlyArray<DeliveryFault>]

/** When a history shrinks, a fault stays with its status or keeps its index. */
export const withFaults = <History extends HasStatuses>(
  histories: fc.Arbitrary<History>
): fc.Arbitrary<WithFaults<History>> => new FaultyHistories(histories)

class FaultyHistories<History extends HasStatuses> extends fc.Arbitrary<WithFaults<History>> {
  readonly histories: fc.Arbitrary<History>
  readonly faults = sequence(faultTable, 8)

  constructor(histories: fc.Arbitrary<History>) {
    super()
    this.histories = histories
  }

  override generate(random: fc.Random, bias: number | undefined): fc.Value<WithFaults<History>> {
    const history = this.histories.generate(random, bias)
    const faults = this.faults.generate(random, bias)
    return new fc.Value([history.value, faults.value], history.context)
  }

  override canShrinkWithoutContext(value: unknown): value is WithFaults<History> {
    return (
      Array.isArray(value) &&
      value.length === 2 &&
      this.histories.canShrinkWithoutContext(value[0]) &&
      this.faults.canShrinkWithoutContext(value[1])
    )
  }

  override shrink(
    [history, faults]: WithFaults<History>,
    context: unknown
  ): fc.Stream<fc.Value<WithFaults<History>>> {
    const simplerHistories = Array.from(this.histories.shrink(history, context), (simpler) =>
      [moved(faults, history, simpler.value), faults].map(
        (each) => new fc.Value<WithFaults<History>>([simpler.value, each], simpler.context)
      )
    )
    const simplerFaults = this.faults
      .shrink(faults, undefined)
      .map(({ value }) => new fc.Value<WithFaults<History>>([history, value], context))
    return fc.Stream.of(...simplerHistories.flat()).join(simplerFaults)
  }
}

const moved = (
  faults: ReadonlyArray<DeliveryFault>,
  { statuses: before }: HasStatuses,
  { statuses: after }: HasStatuses
): ReadonlyArray<DeliveryFault> =>
  faults.flatMap((fault) => {
    const status = before[fault.index % before.length]
    const index = after.findIndex((each) => each === status)
    return faultByKey.get(keyOf({ ...fault, index })) ?? []
  })
