/**
 * What happens to the callbacks of a transaction on their way.
 *
 * @since 0.1.0
 */
import { type Status, statuses } from "@pawl/core/Status"
import type { OpenStatus } from "@pawl/core/Transaction"
import * as fc from "fast-check"
import { picks } from "./Picks.ts"

/**
 * What a forger changes about a callback that was seen. The checksum covers the account, the amount, the
 * currency and the transactionId as texts, so every one of these verifies.
 *
 * - `status`: the status.
 * - `metadata`, `response`: what the merchant, or the method, is told besides.
 * - `refundId`: names a refund of its own.
 * - `kind`: the other layout and paymentMethod, the account of one kind being that of the other.
 * - `type`: another apmType.
 *
 * @category models
 * @since 0.1.0
 */
export type Forgery = (typeof forgeries)[number]

/**
 * Everything the checksum allows.
 *
 * @category constants
 * @since 0.1.0
 */
export const forgeries = ["status", "metadata", "response", "refundId", "kind", "type"] as const

/**
 * One thing that happens to the callbacks of a transaction. `which` is the callback it happens to, by its
 * place in the history, counted round; `by` is in milliseconds.
 *
 * - `late`: it arrives later.
 * - `again`: it arrives once more, later.
 * - `lost`: it never arrives.
 * - `number`: its amount is written as a number.
 * - `forged`: who saw it posts it again, later, changed; it claims `status`.
 *
 * @category models
 * @since 0.1.0
 */
export type Trouble = { readonly which: number } & (
  | { readonly what: "late"; readonly by: number }
  | { readonly what: "again"; readonly by: number }
  | { readonly what: "lost" }
  | { readonly what: "number" }
  | {
      readonly what: "forged"
      readonly by: number
      readonly how: Forgery
      readonly status: OpenStatus
    }
)

/** How late something is: less than a move takes, a few moves, a try later, after the last try, a day. */
const delays = [500, 1500, 2500, 10_000, 120_000, 3_720_000, 86_400_000]

const places = [0, 1, 2, 3, 4, 5]

/** Every trouble there is, the simplest first. */
const table: ReadonlyArray<Trouble> = [
  ...places.map((which): Trouble => ({ what: "lost", which })),
  ...delays.flatMap((by) => places.map((which): Trouble => ({ what: "late", which, by }))),
  ...delays.flatMap((by) => places.map((which): Trouble => ({ what: "again", which, by }))),
  ...places.map((which): Trouble => ({ what: "number", which })),
  ...[500, 2500].flatMap((by) =>
    places.flatMap((which) => [
      ...[...statuses, "SETTLED", "constructor", ""].map((status): Trouble => ({
        what: "forged",
        which,
        by,
        how: "status",
        status
      })),
      ...forgeries
        .slice(1)
        .map((how): Trouble => ({ what: "forged", which, by, how, status: "SUCCEED" }))
    ])
  )
].map((trouble) => Object.freeze(trouble))

const keyOf = (trouble: Trouble): string =>
  JSON.stringify(trouble, ["what", "which", "by", "how", "status"])
const byKey = new Map(table.map((trouble) => [keyOf(trouble), trouble]))

interface Story {
  readonly statuses: ReadonlyArray<Status>
}

type Troubled<History> = readonly [history: History, troubles: ReadonlyArray<Trouble>]

/**
 * Makes the arbitrary of histories with their troubles. When a history shrinks, each trouble stays with its
 * status and goes with it, or is moved to another.
 *
 * @category constructors
 * @since 0.1.0
 */
export const troubled = <History extends Story>(
  histories: fc.Arbitrary<History>
): fc.Arbitrary<Troubled<History>> => new Ways(histories)

class Ways<History extends Story> extends fc.Arbitrary<Troubled<History>> {
  readonly histories: fc.Arbitrary<History>
  readonly troubles = picks(table, 8)

  constructor(histories: fc.Arbitrary<History>) {
    super()
    this.histories = histories
  }

  override generate(random: fc.Random, bias: number | undefined): fc.Value<Troubled<History>> {
    const history = this.histories.generate(random, bias)
    const troubles = this.troubles.generate(random, bias)
    return new fc.Value([history.value, troubles.value], history.context)
  }

  override canShrinkWithoutContext(value: unknown): value is Troubled<History> {
    return (
      Array.isArray(value) &&
      value.length === 2 &&
      this.histories.canShrinkWithoutContext(value[0]) &&
      this.troubles.canShrinkWithoutContext(value[1])
    )
  }

  override shrink(
    [history, troubles]: Troubled<History>,
    context: unknown
  ): fc.Stream<fc.Value<Troubled<History>>> {
    const shorter = this.histories.shrink(history, context)
    const shortest = Array.from(shorter, ({ context, value }) =>
      [kept(troubles, history, value), troubles].map(
        (moved) => new fc.Value<Troubled<History>>([value, moved], context)
      )
    )
    const fewer = this.troubles
      .shrink(troubles, undefined)
      .map((each) => new fc.Value<Troubled<History>>([history, each.value], context))
    return fc.Stream.of(...shortest.flat()).join(fewer)
  }
}

/** The troubles of the statuses that are still there. */
const kept = (
  troubles: ReadonlyArray<Trouble>,
  { statuses: before }: Story,
  { statuses: after }: Story
): ReadonlyArray<Trouble> =>
  troubles.flatMap((trouble) => {
    const status = before[trouble.which % before.length]
    const which = after.findIndex((each) => each === status)
    return byKey.get(keyOf({ ...trouble, which })) ?? []
  })
