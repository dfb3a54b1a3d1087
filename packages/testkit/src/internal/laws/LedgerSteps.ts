/**
 * Histories of a ledger: what callbacks, workers and people do to it, one after the other.
 *
 * @since 0.1.0
 */
import * as Evidence from "@pawl/core/Evidence"
import { type Status, statuses } from "@pawl/core/Status"
import type { Kind, Method } from "@pawl/core/Transaction"
import type { Change, Parked } from "@pawl/webhook/Row"
import * as fc from "fast-check"

/**
 * The kinds that an operation can be registered with.
 *
 * @category models
 * @since 0.1.0
 */
export type Known = Exclude<Kind, Method>

/**
 * One step of a history, `after` milliseconds after the last.
 *
 * - `accept`: a callback; `kind` is the one that a token names, or only the method.
 * - `register`: what the merchant started.
 * - `claim`: leases for `hold` milliseconds.
 * - `write`: changes the row of an earlier lease, counted from the last; `found` is the kind a read told,
 *   `isStale` whether the worker goes on with the row it began with.
 * - `redrive`, `forget`: of everything older than `age` milliseconds.
 *
 * @category models
 * @since 0.1.0
 */
export type Step = { readonly after: number } & (
  | {
      readonly _tag: "accept"
      readonly id: string
      readonly kind: Kind
      readonly status: Status
      readonly note: number
    }
  | {
      readonly _tag: "register"
      readonly id: string
      readonly kind: Known
      readonly status: Status | undefined
      readonly amount: string | undefined
    }
  | { readonly _tag: "claim"; readonly limit: number; readonly hold: number }
  | {
      readonly _tag: "write"
      readonly which: number
      readonly change: Change
      readonly found: number | undefined
      readonly isStale: boolean
    }
  | { readonly _tag: "redrive"; readonly id: string; readonly method: Method }
  | { readonly _tag: "forget"; readonly age: number }
)

const after = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 20 }))
const id = fc.constantFrom("1", "2", "3")
const status: fc.Arbitrary<Status> = fc.constantFrom("PENDING", "PROCESSING", "SUCCEED", "FAILED")
const moment = fc.option(fc.nat(200), { nil: undefined })
const known: fc.Arbitrary<Known> = fc.constantFrom(
  "card-payment",
  "card-payout",
  "refund",
  "apm-payment"
)
const parked: fc.Arbitrary<Parked> = fc.record(
  {
    reason: fc.constantFrom("handler-failed", "unknown-transaction", "amount-mismatch"),
    at: fc.nat(200),
    to: fc.option(status, { nil: undefined })
  },
  { noNullPrototype: true }
)
const change: fc.Arbitrary<Change> = fc.record(
  {
    evidence: status.map(Evidence.confirmed),
    read: fc.option(fc.record({ status, askedAt: fc.nat(200) }, { noNullPrototype: true }), {
      nil: undefined
    }),
    told: fc.option(fc.constantFrom(...statuses), { nil: undefined }),
    tells: fc.nat(3),
    tellsBefore: fc.nat(1),
    polls: fc.nat(9),
    pollAt: moment,
    askedAt: moment,
    doubtedAt: moment,
    parked: fc.option(parked, { nil: undefined }),
    until: fc.nat(300),
    release: fc.record({ dueAt: moment })
  },
  { requiredKeys: [] }
)
/**
 * Histories of three ids in both methods, in which workers are slow and go on with what they had.
 *
 * @category arbitraries
 * @since 0.1.0
 */
export const histories: fc.Arbitrary<ReadonlyArray<Step>> = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        _tag: fc.constant("accept"),
        after,
        id,
        kind: fc.oneof(fc.constantFrom<Kind>("card", "apm"), known),
        status,
        note: fc.nat(9)
      })
    },
    {
      weight: 2,
      arbitrary: fc.record({
        _tag: fc.constant("register"),
        after,
        id,
        kind: known,
        status: fc.option(status, { nil: undefined }),
        amount: fc.option(fc.constant("25.00"), { nil: undefined })
      })
    },
    {
      weight: 3,
      arbitrary: fc.record({
        _tag: fc.constant("claim"),
        after,
        limit: fc.nat(3),
        hold: fc.nat(50)
      })
    },
    {
      weight: 6,
      arbitrary: fc.record({
        _tag: fc.constant("write"),
        after,
        which: fc.nat(9),
        change,
        found: fc.option(fc.nat(2), { nil: undefined, freq: 2 }),
        isStale: fc.boolean()
      })
    },
    {
      weight: 1,
      arbitrary: fc.record({
        _tag: fc.constant("redrive"),
        after,
        id,
        method: fc.constantFrom("card", "apm")
      })
    },
    {
      weight: 1,
      arbitrary: fc.record({ _tag: fc.constant("forget"), after, age: fc.nat(60) })
    }
  ),
  { maxLength: 40, size: "max" }
)

/**
 * Lays out a history for reading, a step a line.
 *
 * @category conversions
 * @since 0.1.0
 */
export const show = (steps: ReadonlyArray<Step>): string =>
  steps.length === 0
    ? "nothing was done"
    : steps
        .map(({ _tag, after, ...step }, at) => `${at + 1}. ${after} ms later, ${_tag} ${say(step)}`)
        .join("\n")

/** Names what is undefined, too: a change sets a field to it. */
const say = (step: object): string =>
  JSON.stringify(step, (_, value: unknown) => (value === undefined ? "undefined" : value))
