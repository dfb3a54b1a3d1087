/** Histories of a ledger: the steps of callbacks, workers and operators. */
import type { Body } from "@pawl/core/Callback"
import * as Evidence from "@pawl/core/Evidence"
import { type Status, statuses } from "@pawl/core/Status"
import type { Kind, KnownKind } from "@pawl/core/Kind"
import { type Lane, lanes, type Change, type DeadLetter } from "@pawl/webhook/internal/rule/Row"
import * as Fact from "@pawl/webhook/internal/rule/Fact"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import * as Struct from "effect/Struct"
import * as fc from "fast-check"

const often = <A>(weight: number, usual: fc.Arbitrary<A>, odd: fc.Arbitrary<A>) =>
  fc.oneof({ weight, arbitrary: usual }, { weight: 1, arbitrary: odd })

const tens = (most: number) => fc.nat(most).map((ten) => ten * 10)

const orNot = <A>(arbitrary: fc.Arbitrary<A>, freq = 6) =>
  fc.option(arbitrary, { nil: undefined, freq })

const year = 31_536_000_000
const after = often(49, tens(1), fc.constant(year))
const id = often(
  3,
  fc.constantFrom("1", "1", "1", "2"),
  fc.constantFrom("01", "1e0", "1_", "__proto__", "x".repeat(64))
)
const status: fc.Arbitrary<Status> = often(
  3,
  fc.constantFrom("PENDING", "PENDING", "SUCCEED", "PROCESSING"),
  fc.constantFrom(...statuses)
)
const known: fc.Arbitrary<KnownKind> = fc.constantFrom(
  "card-payment",
  "refund",
  "apm-payment",
  "card-payout",
  "apm-payout"
)
const kind = fc.oneof(often(4, fc.constant<Kind>("card"), fc.constant<Kind>("apm")), known)
const unsigned: fc.Arbitrary<Body> = fc.constantFrom(
  { metadata: { n: "1" } },
  { metadata: { n: "2" } },
  { metadata: { ["__proto__"]: "x", "'; --": "\u2028 👩‍👩‍👧 \\u0000" }, declineCode: 5 }
)
const moment = orNot(tens(30), 3)
const lane = orNot(fc.constantFrom(...lanes), 3)
const deadLetter: fc.Arbitrary<DeadLetter> = fc.record(
  {
    reason: fc.constantFrom("handler-failed", "unknown-transaction", "amount-mismatch"),
    at: tens(20),
    to: orNot(status)
  },
  { noNullPrototype: true }
)
const fact: fc.Arbitrary<Fact.Event> = fc
  .tuple(status, tens(20), fc.nat(2), orNot(status), fc.nat(6))
  .map(([to, at, sequence, read, which]): Fact.Event => {
    const told = { at, sequence, to }
    const all: ReadonlyArray<Fact.Event> = [
      Fact.asked(at, to, "card-payment"),
      Fact.asked(at, "404"),
      Fact.asked(at, "no answer"),
      Fact.parked({ at, reason: "handler-failed", to: read }),
      { fact: "called", ...told, read, evidence: Evidence.claimed(to) },
      { fact: "told", ...told },
      { fact: "failed", ...told }
    ]
    return all[which] ?? { fact: "more", at }
  })
const changes: {
  readonly [Field in Exclude<keyof Change, "kind" | "createdAt">]-?: fc.Arbitrary<Change[Field]>
} = {
  evidence: status.map(Evidence.confirmed),
  read: orNot(fc.record({ status, askedAt: tens(20) }, { noNullPrototype: true })),
  told: orNot(fc.constantFrom(...statuses)),
  sequence: fc.constantFrom(0, 0, 0, 3),
  ifSequence: fc.constantFrom(0, 0, 0, 1),
  facts: orNot(fc.tuple(fact)),
  pendingStatus: orNot(status),
  attempt: fc.nat(3),
  failingSince: moment,
  retryAt: tens(20),
  newStatusAt: tens(20),
  polls: fc.nat(9),
  pollAt: moment,
  askedAt: moment,
  unconfirmedAt: moment,
  deadLetter: orNot(deadLetter),
  until: tens(30),
  release: fc.record({ dueAt: moment, lane }, { noNullPrototype: true })
}

const changeOf = (fields: Partial<typeof changes>): fc.Arbitrary<Change> =>
  fc.record(fields, { requiredKeys: [], noNullPrototype: true })

const accept = (id: fc.Arbitrary<string>, kind: fc.Arbitrary<Kind>) =>
  fc.record({
    _tag: fc.constant("accept"),
    after,
    id,
    kind,
    status,
    requestId: fc.constantFrom<string>("r1", "r2"),
    unsigned
  })

const eventOf = (id: fc.Arbitrary<string>, kind: fc.Arbitrary<Kind>) =>
  fc.oneof(
    { weight: 6, arbitrary: accept(id, kind) },
    {
      weight: 1,
      arbitrary: fc.record({
        _tag: fc.constant("register"),
        after,
        id,
        kind: known,
        status: orNot(status),
        amount: orNot(fc.constant<string>("25.00"))
      })
    },
    {
      weight: 1,
      arbitrary: fc.record({
        _tag: fc.constant("redrive"),
        after,
        id,
        method: fc.constantFrom("card", "apm"),
        scope: orNot(kind),
        note: orNot(
          fc.constantFrom<Fact.Note>({ by: "ana" }, { by: "@ü \" '", why: "order 17: corrected" })
        )
      })
    },
    {
      weight: 1,
      arbitrary: fc.record({ _tag: fc.constant("deleteBodies"), after, age: tens(5) })
    },
    {
      weight: 1,
      arbitrary: fc.record({ _tag: fc.constant("shift"), after, by: tens(9), hold: tens(4) })
    }
  )

const claim = (limit: fc.Arbitrary<number>, inLane: fc.Arbitrary<Lane | undefined> = lane) =>
  fc.record({ _tag: fc.constant("claim"), after, limit, hold: tens(9), lane: inLane })

const write = (found: fc.Arbitrary<number | undefined>) =>
  fc.record({
    _tag: fc.constant("write"),
    after,
    which: fc.constantFrom<number>(0, 0, 1, 2),
    change: fc.oneof(changeOf(Struct.omit(changes, ["release", "ifSequence"])), changeOf(changes)),
    found,
    isStale: fc.boolean()
  })

/**
 * Step of a history, `after` milliseconds after the last.
 *
 * - `accept`: `kind` and `requestId` are those of the token. Without a token `kind` is the method.
 * - `register`: an operation of the merchant.
 * - `claim`: leases rows for `hold` milliseconds; with `lane` only those of the lane.
 * - `write`: writes a change with an earlier lease; `which` counts leases from the last one.
 *   `found` is the position of the kind that a read returned. With `isStale` the worker goes on
 *   with the row it leased.
 * - `deleteBodies`: deletes bodies older than `age` milliseconds.
 * - `shift`: the clock was set back by `by` milliseconds; leases end after `hold` milliseconds at
 *   the latest.
 */
export type Step =
  ReturnType<typeof eventOf | typeof claim | typeof write> extends fc.Arbitrary<infer S> ? S : never

const historiesOf = (...about: Parameters<typeof eventOf>): fc.Arbitrary<ReadonlyArray<Step>> => {
  const leased = orNot(claim(fc.constantFrom(1, 3, 3, 3, 0)), 2)
  const found = orNot(fc.constantFrom(2, 2, 2, 0, 1), 3)
  const round = fc.tuple(
    orNot(eventOf(...about), 5),
    leased,
    orNot(write(found), 2),
    orNot(write(found), 3)
  )
  return fc
    .array(round, { maxLength: 24, size: "max" })
    .map((rounds) => rounds.flat().filter(Predicate.isNotUndefined))
}

const one = fc.constant("1")
const any = fc.constantFrom<Kind>("card", "refund")

const joined: fc.Arbitrary<ReadonlyArray<Step>> = fc
  .tuple(
    accept(one, fc.constant("card")),
    accept(one, fc.constant("refund")),
    claim(fc.constant(3), fc.constant(undefined)),
    write(fc.constant(2)),
    write(fc.constant(2)),
    historiesOf(one, any)
  )
  .map(([...steps]) => steps.flat())

/** Workers are slow and use stale rows. */
export const histories: fc.Arbitrary<ReadonlyArray<Step>> = fc.oneof(
  historiesOf(one, fc.constant("card")),
  historiesOf(one, any),
  historiesOf(id, kind),
  joined
)

/** A step is shown with its undefined fields, because a change sets them. */
export const showFields = (step: object): string =>
  JSON.stringify(
    Record.filter({ ...step }, (value: unknown) => value !== undefined),
    (_, value: unknown) => (value === undefined ? "undefined" : value)
  )
