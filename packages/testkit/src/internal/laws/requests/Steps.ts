/** Histories of a request store: the steps of callers, workers and persons. */
import type {
  Outcome,
  ParkReason,
  SettledTransaction
} from "@pawl/webhook/internal/rule/RequestRow"
import * as fc from "fast-check"

const orNot = <A>(arbitrary: fc.Arbitrary<A>, freq = 3) =>
  fc.option(arbitrary, { nil: undefined, freq })

const day = 86_400_000
const after = fc.constantFrom<number>(0, 0, 10, 10, 20, 1000, 300_000, 600_000, day)
const hold = fc.constantFrom<number>(0, 10, 20, 30, 100_000)
const window = fc.constantFrom<number>(day, day, 1000, 0)
const which = fc.constantFrom<number>(0, 0, 0, 1, 2)
const digest = fc.constantFrom<string>("digest-1", "digest-2")
const body = fc.constantFrom<string>("1.key.body", "1.key.BODY ", '{"\u2028\'; --": "👩‍👩‍👧 \\u0000"}')
const outcome = fc.constantFrom<Outcome>(
  { _tag: "Answered", text: "1.key.answer" },
  { _tag: "Answered", text: "1.key.other" },
  { _tag: "Refused", text: "1.key.refusal" },
  { _tag: "Found" },
  { _tag: "NotSent", reason: "no-effect" },
  { _tag: "NotSent", reason: "no-effect" },
  { _tag: "NotSent", reason: "expired" },
  { _tag: "NotSent", reason: "cancelled" }
)

const step = <const Tag extends string, Fields>(
  weight: number,
  tag: Tag,
  fields: { readonly [Name in keyof Fields]: fc.Arbitrary<Fields[Name]> }
) => {
  const arbitrary: fc.Arbitrary<unknown> = fc.record(
    { _tag: fc.constant(tag), after, ...fields },
    { noNullPrototype: true }
  )
  return {
    weight,
    arbitrary: arbitrary as fc.Arbitrary<{ readonly _tag: Tag; readonly after: number } & Fields>
  }
}

const stepOf = (id: fc.Arbitrary<string>) =>
  fc.oneof(
    step(5, "write", {
      id,
      digest,
      body: orNot(body, 5),
      expiresIn: orNot(fc.constantFrom<number>(0, 10, 1000), 2),
      hold: orNot(hold, 2)
    }),
    step(1, "restart", { id, digest, hold: orNot(hold, 2) }),
    step(5, "claim", { id: orNot(id, 1), limit: fc.constantFrom<number>(0, 1, 1, 3), hold }),
    step(4, "begin", { which, window }),
    step(1, "renew", { which, hold }),
    step(5, "release", {
      which,
      wait: fc.constantFrom<number>(0, 10, 1000, 400_000),
      refusal: orNot(fc.constantFrom<string>("400", "400", "400", "404"), 3),
      hadNoEffect: fc.boolean()
    }),
    step(2, "park", {
      which,
      reason: fc.constantFrom<ParkReason>("window", "card-data", "no-key", "unreadable")
    }),
    step(4, "settle", {
      which,
      hasLease: fc.boolean(),
      outcome,
      transaction: orNot(
        fc.constantFrom<SettledTransaction>(
          { method: "apm", transactionId: "100001" },
          { method: "card", transactionId: "0x1" }
        ),
        2
      )
    }),
    step(1, "cancel", { id }),
    step(1, "deleteTexts", { age: fc.constantFrom<number>(-1, 0, 10, 1000) }),
    step(3, "redrive", { id, window, hadNoEffect: fc.boolean(), canSend: fc.boolean() })
  )

/**
 * Step of a history, `after` milliseconds after the last. `which` counts leases from the last one;
 * `hold` is the time of a lease and `window` that of `Profile.requestIdWindow`, in milliseconds.
 *
 * - `write`: with `hold` the request is begun and leased. `restart`: begins it anew.
 * - `claim`: leases requests; with `id` that one.
 * - `settle`: writes an outcome, with or without the lease.
 * - `deleteTexts`: deletes the texts of requests that were settled `age` milliseconds ago.
 */
export type Step = ReturnType<typeof stepOf> extends fc.Arbitrary<infer S> ? S : never

const refused: fc.Arbitrary<ReadonlyArray<Step>> = fc
  .array(
    fc.record(
      { refusal: fc.constantFrom("400", "400", "400", "404"), after: fc.constantFrom(0, 300_000) },
      { noNullPrototype: true }
    ),
    { minLength: 3, maxLength: 5 }
  )
  .map((refusals) => [
    written("1"),
    ...refusals.flatMap(({ after, refusal }): ReadonlyArray<Step> => [
      { _tag: "claim", after, id: undefined, limit: 1, hold: 1000 },
      { _tag: "begin", after: 0, which: 0, window: day },
      { _tag: "release", after: 0, which: 0, wait: 0, refusal, hadNoEffect: false }
    ])
  ])

const parked: fc.Arbitrary<ReadonlyArray<Step>> = fc
  .record(
    {
      _tag: fc.constant("redrive" as const),
      after: fc.constantFrom(10, 1000, day),
      id: fc.constant("1"),
      window,
      hadNoEffect: fc.boolean(),
      canSend: fc.boolean()
    },
    { noNullPrototype: true }
  )
  .map((redrive) => [
    written("1"),
    { _tag: "claim", after: 0, id: undefined, limit: 1, hold: 1000 },
    { _tag: "begin", after: 0, which: 0, window: day },
    { _tag: "park", after: 0, which: 0, reason: "window" },
    redrive
  ])

const written = (id: string): Step => ({
  _tag: "write",
  after: 0,
  id,
  digest: "digest-1",
  body: "1.key.body",
  expiresIn: undefined,
  hold: undefined
})

const stepsOf = (id: fc.Arbitrary<string>) =>
  fc.array(stepOf(id), { maxLength: 20, size: "max" }).map((steps) => [written("1"), ...steps])

export const histories: fc.Arbitrary<ReadonlyArray<Step>> = fc.oneof(
  stepsOf(fc.constant("1")),
  stepsOf(fc.constantFrom("1", "1", "2", "01", "__proto__", "R1", "r1")),
  fc
    .tuple(fc.oneof(refused, parked), fc.array(stepOf(fc.constant("1")), { maxLength: 4 }))
    .map((parts) => parts.flat())
)
