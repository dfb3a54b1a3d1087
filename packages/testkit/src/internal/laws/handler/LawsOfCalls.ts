/** The parts of the laws of a handler, and those that hold for each kind of transaction. */
import { isStatus, type Status } from "@pawl/core/Status"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import * as Generators from "../../../Generators.ts"
import * as Laws from "../../../Laws.ts"
import * as Histories from "./Histories.ts"
import * as Model from "./Model.ts"

export type Steps = ReadonlyArray<Model.Step>

const { again, compare, parts, start } = Model
const { calls } = Histories

export const statuses = 'spec.md, "Transaction statuses"'
const events = 'spec.md, "Events"'

export const law = (
  text: Laws.LawText,
  histories: fc.Arbitrary<Steps>,
  body: (open: Model.Open, steps: Steps) => Effect.Effect<unknown, unknown>,
  show: (steps: Steps) => string = Model.show
): Laws.Law<Model.Open, Steps> =>
  Laws.propertyEffect(text, { arbitrary: histories, show, body, numRuns: 100 })

export const endsAt = (expected: Model.Books, refunds?: ReadonlyArray<string>) =>
  Effect.fnUntraced(function* (open: Model.Open, steps: Steps) {
    const shop = yield* start(open, refunds)
    yield* shop.play(steps)
    if (shop.kind === "apm-payment" && refunds === parts) return
    yield* compare(yield* shop.books, expected, "after the last call,")
  })

export const keeps = (first: (steps: Steps) => number) =>
  Effect.fnUntraced(function* (open: Model.Open, steps: Steps) {
    const shop = yield* start(open)
    yield* shop.play(steps.slice(0, first(steps)))
    const before = yield* shop.books
    yield* shop.play(steps.slice(first(steps)))
    yield* compare(yield* shop.books, before, "after the last call,")
  })

const last = (steps: Steps): number => steps.length - 1

const isOfOne = (one: Model.Call, two: Model.Call | undefined): boolean =>
  one.transactionId === two?.transactionId && one.kind === two.kind

const isSame = (one: Model.Call, two: Model.Call): boolean =>
  isOfOne(one, two) && one.sequence === two.sequence

export const endsLike = (other: (steps: Steps) => Steps) =>
  Effect.fnUntraced(function* (open: Model.Open, steps: Steps) {
    const [one, two] = [yield* start(open), yield* start(open)]
    const others = other(steps)
    yield* one.play(steps)
    yield* two.play(others)
    const source = `, as the books of the same shop say after\n${Model.show(others)}`
    yield* compare(yield* one.books, yield* two.books, "after the last call,", source)
  })

const changed = (
  steps: Steps,
  fields: (call: Model.Call, at: number) => Partial<Model.Call>
): Steps => steps.map((step, at) => (step === "crash" ? step : { ...step, ...fields(step, at) }))

export const statusOf = (step: Model.Step) => (step === "crash" ? [] : [step.to])

const adding = <A>(
  histories: fc.Arbitrary<ReadonlyArray<Model.Call>>,
  arbitrary: fc.Arbitrary<A>,
  add: (calls: ReadonlyArray<Model.Call>, more: A) => Steps
) => fc.tuple(histories, arbitrary).map(([calls, more]) => add(calls, more))

/** After a call comes one of an unknown status, which takes a number of the transaction. */
const withUnknown = (
  known: ReadonlyArray<Model.Call>,
  at: number,
  to: string
): ReadonlyArray<Model.Call> =>
  known.flatMap((call, place) => {
    if (!isOfOne(call, known[at]) || place < at) return call
    const after = { ...call, sequence: call.sequence + 1 }
    return place > at ? after : [call, { ...after, from: call.to as Status, to }]
  })

/** The laws of every kind of transaction: calls that come twice, late, at once, or are not ours. */
export const lawsOfCalls = (
  histories: typeof Histories.ofPayments
): ReadonlyArray<Laws.Law<Model.Open, Steps>> => [
  law(
    {
      name: "a status that only a read found counts like that of a callback",
      section: "docs/decisions/0021",
      explanation:
        "Without a callback that claims the status, `signed` and `callback` are null. The amount is in the order or in the refund that the shop asked for."
    },
    histories.all.map((calls) => changed(calls, () => ({ byCallback: false }))),
    endsLike((steps) => changed(steps, () => ({ byCallback: true })))
  ),
  law(
    {
      name: "a status counts at a later attempt too",
      section: "docs/decisions/0021",
      explanation:
        "The first attempt may have failed or crashed before it did anything. So `attempt` does not tell whether the work was done."
    },
    histories.all.map((calls) => calls.map(again)),
    endsLike((steps) => changed(steps, () => ({ attempt: 1 })))
  ),
  law(
    {
      name: "a repeat changes nothing, also after a crash",
      section: events,
      explanation:
        "A call is made at least once: the process may crash between the call and the note that it was made. A new process does not have what the old one had in memory."
    },
    adding(histories.all, fc.boolean(), (calls, isCrash) => {
      const repeated = calls.slice(-1).map(again)
      return [...calls, ...(isCrash ? ["crash" as const] : []), ...repeated]
    }),
    keeps(last)
  ),
  law(
    {
      name: "two calls of one transition at the same time have the effect of one",
      section: events,
      explanation:
        "A process that stands still for 30 seconds loses its lease, and another one makes the call again while the first goes on. Look and write in one statement, or lock the row first."
    },
    histories.all,
    Effect.fnUntraced(function* (open, steps) {
      const [one, two] = [yield* start(open), yield* start(open)]
      yield* one.play(steps)
      yield* two.play(steps.slice(0, -1))
      const end = steps.slice(-1).filter((step) => step !== "crash")
      yield* two.together(end.flatMap((call) => [call, again(call)]))
      yield* compare(yield* two.books, yield* one.books, "after both calls,")
    }),
    (steps) =>
      `${Model.show(steps)}\n   and at the same time another process receives it, attempt 2`
  ),
  law(
    {
      name: "a call that ends after a later one changes nothing",
      section: events,
      explanation:
        "A call that outlived its lease may end after the next one, and may be the first that does its work. A status of a lower rank than the stored one is old, and so is a lower `sequence` of the same rank. Look and write in one statement."
    },
    adding(histories.all, fc.tuple(fc.nat(), fc.boolean()), (all, [nat, isFirst]) => {
      const conflict = all.findIndex((call) => call.conflict !== null)
      // Only the `sequence` says that the first of two ends is old.
      const isEnd = conflict > 0 && nat % 2 === 0
      const calls = isEnd ? all.slice(0, conflict + 1) : all
      const at = isEnd ? conflict - 1 : nat % calls.length
      const [late, ...others] = calls.slice(at)
      const isOld = others.some((each) => isOfOne(each, late))
      return [
        ...(isFirst && isOld ? calls.toSpliced(at, 1) : calls),
        ...calls.slice(at, at + 1).map(again)
      ]
    }),
    Effect.fnUntraced(function* (open, steps) {
      yield* keeps(last)(open, steps)
      const [before, late] = steps.slice(-2).filter((step) => step !== "crash")
      if (late === undefined || before === undefined || isSame(before, late)) return
      const [one, two] = [yield* start(open), yield* start(open)]
      yield* one.play(steps)
      yield* two.play(steps.slice(0, -2))
      yield* two.together([before, late])
      const when = "after the last two calls at the same time,"
      yield* compare(yield* two.books, yield* one.books, when)
    })
  ),
  law(
    {
      name: "after an older backup was restored, a status counts by its rank, and once",
      section: "docs/decisions/0021",
      explanation:
        "The store has forgotten the last statuses: the handler receives them again, with another `id` and a `sequence` from 1. Compare the ranks first, and the numbers of one rank."
    },
    histories.restored,
    endsLike((steps) => calls([...new Set(steps.flatMap(statusOf))], histories.fields))
  ),
  law(
    {
      name: "`to` decides, and not `from`",
      section: "docs/decisions/0021",
      explanation:
        "After a crash between a call and its record, the next status comes with the old `from`."
    },
    histories.one.map((calls): Steps => {
      const [before, last] = calls.slice(-2)
      if (before === undefined || last === undefined) return calls
      return [...calls.slice(0, -1), "crash", { ...last, from: before.from }]
    }),
    endsLike((steps) => {
      const calls = steps.filter((step) => step !== "crash")
      return changed(calls, (_, at) => ({ from: (calls[at - 1]?.to ?? null) as Status | null }))
    })
  ),
  law(
    {
      name: "an unknown status changes nothing and does not throw",
      section: "docs/decisions/0008",
      explanation:
        "The service may add statuses, and a later version of pawl may tell them. A branch for everything else takes goods back from customers who paid. The statuses that follow count as before."
    },
    adding(
      histories.all,
      fc.tuple(fc.nat(), fc.constantFrom(...Generators.unknownStatuses)),
      (known, [at, to]) => withUnknown(known, at % known.length, to)
    ),
    endsLike((steps) => steps.filter((step) => step === "crash" || isStatus(step.to)))
  ),
  law(
    {
      name: "a transaction of another order changes nothing and does not throw",
      section: "docs/decisions/0020",
      explanation:
        "A payout, a payment made elsewhere, or an order that was deleted: `requestId` is null or one that the shop does not have. A handler that throws is called again for 24 hours."
    },
    adding(
      histories.all,
      fc.tuple(Generators.histories(), fc.constantFrom(null, "order-of-nobody")),
      (known, [{ kind, statuses }, requestId]) => [
        ...known,
        ...calls(statuses, { kind, requestId, transactionId: "900001" }).slice(-1)
      ]
    ),
    keeps(last)
  )
]
