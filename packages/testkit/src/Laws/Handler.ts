/**
 * The laws of a merchant's handler: the function that books money and gives goods on each
 * transition.
 *
 * **Details**
 *
 * They check any handler whose shop can read its own books. The histories are those that `Handler`
 * of `@pawl/core` allows: calls are repeated, the process crashes between a call and the note of
 * it, statuses are passed over, a call that outlived its lease ends after a later one, and the
 * service confirms several final statuses. The handler is not called for a chargeback that was won;
 * an alarm asks a person.
 *
 * **Gotchas**
 *
 * A shop opens empty in every history: over a database of its own, such as `:memory:`.
 *
 * **Example** (A shop that keeps the last status)
 *
 * ```ts
 * import * as Laws from "@pawl/testkit/Laws"
 * import * as Handler from "@pawl/testkit/Laws/Handler"
 *
 * const shop: Handler.Open = () => {
 *   const order = { status: "PLACED" }
 *   return {
 *     start: () => ({ kind, to }) => void (kind === "card-payment" && (order.status = to)),
 *     read: () => ({ stock: order.status === "SUCCEED" ? 1 : 0 })
 *   }
 * }
 *
 * const broken = await Promise.allSettled(Handler.laws.map((law) => Laws.run(law, shop)))
 * broken.filter(({ status }) => status === "rejected").length // => 4
 * ```
 *
 * @since 0.1.0
 */
import type { Status } from "@pawl/core/Status"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import * as Generators from "../Generators.ts"
import * as Histories from "../internal/laws/handler/Histories.ts"
import * as Model from "../internal/laws/handler/Model.ts"
import * as Laws from "../Laws.ts"

export type { Books, Handle, Open, Order, Shop, Step } from "../internal/laws/handler/Model.ts"

type Steps = ReadonlyArray<Model.Step>

const { amount, compare, parts, start } = Model
const { calls, paid } = Histories

const statuses = 'spec.md, "Transaction statuses"'
const events = 'spec.md, "Events"'

const law = (
  text: Laws.LawText,
  histories: fc.Arbitrary<Steps>,
  body: (open: Model.Open, steps: Steps) => Effect.Effect<unknown, unknown>
): Laws.Law<Model.Open, Steps> =>
  Laws.propertyEffect(text, { arbitrary: histories, show: Model.show, body, numRuns: 100 })

const endsAt = (expected: Model.Books, refunds?: ReadonlyArray<string>) =>
  Effect.fnUntraced(function* (open: Model.Open, steps: Steps) {
    const shop = yield* start(open, refunds)
    yield* shop.play(steps)
    if (shop.kind === "apm-payment" && refunds === parts) return
    yield* compare(yield* shop.books, expected, "after the last call,")
  })

const keeps = (first: (steps: Steps) => number) =>
  Effect.fnUntraced(function* (open: Model.Open, steps: Steps) {
    const shop = yield* start(open)
    yield* shop.play(steps.slice(0, first(steps)))
    const before = yield* shop.books
    yield* shop.play(steps.slice(first(steps)))
    yield* compare(yield* shop.books, before, "after the last call,")
  })

const last = (steps: Steps): number => steps.length - 1

const endsLike = (other: (steps: Steps) => Steps) =>
  Effect.fnUntraced(function* (open: Model.Open, steps: Steps) {
    const [one, two] = [yield* start(open), yield* start(open)]
    yield* one.play(steps)
    yield* two.play(other(steps))
    yield* compare(yield* one.books, yield* two.books, "after the last call,")
  })

const changed = (
  steps: Steps,
  fields: (call: Model.Call, at: number) => Partial<Model.Call>
): Steps => steps.map((step, at) => (step === "crash" ? step : { ...step, ...fields(step, at) }))

/** As a number it is equal to `9007199254740992`. */
const another = { transactionId: "9007199254740993" }

const statusOf = (step: Model.Step) => (step === "crash" ? [] : [step.to])

const again = (call: Model.Call): Model.Call => ({ ...call, attempt: call.attempt + 1 })

const adding = <A>(
  arbitrary: fc.Arbitrary<A>,
  add: (calls: ReadonlyArray<Model.Call>, more: A) => Steps
) => fc.tuple(Histories.sales, arbitrary).map(([calls, more]) => add(calls, more))

/**
 * The laws of a handler, each with 100 histories by default.
 *
 * @category laws
 * @since 0.1.0
 */
export const laws: ReadonlyArray<Laws.Law<Model.Open, Steps>> = [
  law(
    {
      name: "SUCCEED of a payment books its amount and gives the goods once",
      section: statuses,
      explanation: "SUCCEED is the status at which the customer has paid."
    },
    fc.constant(calls(paid)),
    endsAt({ money: amount, stock: 1 })
  ),
  law(
    {
      name: "an order that is not paid has neither money nor goods",
      section: statuses,
      explanation:
        "Only SUCCEED says that the customer has paid. FAILED and CANCELLED may follow every other status."
    },
    fc
      .tuple(
        Histories.beginnings,
        fc.constantFrom<Array<ReadonlyArray<Status>>>([], ["FAILED"], ["CANCELLED"])
      )
      .map(([open, end]) => calls([...open, ...end])),
    endsAt({ money: 0, stock: 0 })
  ),
  law(
    {
      name: "statuses that were passed over are not needed",
      section: statuses,
      explanation:
        "Callbacks are lost, and a read finds the newest status alone: SUCCEED, REFUNDED or CHARGEBACK may be the first that the handler receives."
    },
    fc
      .tuple(Histories.beginnings, fc.constantFrom("SUCCEED", "REFUNDED", "CHARGEBACK"))
      .map((statuses) => calls(statuses.flat())),
    endsLike((steps) => calls([...new Set([...paid, ...steps.slice(-1).flatMap(statusOf)])]))
  ),
  law(
    {
      name: "a status that only a read found counts like that of a callback",
      section: "docs/decisions/0021",
      explanation:
        "Without a callback that claims the status, `signed` and `callback` are null. The amount is in the order or in the refund that the shop asked for."
    },
    Histories.sales.map((calls) => changed(calls, () => ({ byCallback: false }))),
    endsLike((steps) => changed(steps, () => ({ byCallback: true })))
  ),
  law(
    {
      name: "a repeat changes nothing, also after a crash",
      section: events,
      explanation:
        "A call is made at least once: the process may crash between the call and the note that it was made. A new process does not have what the old one had in memory."
    },
    adding(fc.boolean(), (calls, isCrash) => {
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
        "A process that stands still for 30 seconds loses its lease, and another one makes the call again while the first goes on. Look and write in one statement, or in one transaction."
    },
    Histories.sales,
    Effect.fnUntraced(function* (open, steps) {
      const [one, two] = [yield* start(open), yield* start(open)]
      yield* one.play(steps)
      yield* two.play(steps.slice(0, -1))
      const end = steps.slice(-1).filter((step) => step !== "crash")
      yield* two.together(end.flatMap((call) => [call, again(call)]))
      yield* compare(yield* two.books, yield* one.books, "after both calls,")
    })
  ),
  law(
    {
      name: "a call that ends after a later one changes nothing",
      section: events,
      explanation:
        "A call that outlived its lease may end after the next one. A status of a lower rank than the stored one is old, and so is a lower `sequence` of the same rank."
    },
    adding(fc.nat(), (calls, at) => [
      ...calls,
      ...calls
        .slice(at % calls.length)
        .slice(0, 1)
        .map(again)
    ]),
    keeps(last)
  ),
  law(
    {
      name: "after an older backup was restored, a status counts by its rank, and once",
      section: "docs/decisions/0021",
      explanation:
        "The store has forgotten the last statuses: the handler receives them again, with another `id` and a `sequence` from 1. Compare the ranks first, and the numbers of one rank."
    },
    Histories.restored,
    endsLike((steps) => calls([...new Set(steps.flatMap(statusOf))]))
  ),
  law(
    {
      name: "`to` decides, and not `from`",
      section: "docs/decisions/0021",
      explanation:
        "After a crash between a call and its record, the next status comes with the old `from`."
    },
    Histories.payments.map((calls): Steps => {
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
      name: "CHARGEBACK takes the money and the goods back",
      section: statuses,
      explanation:
        "The bank of the customer takes the whole amount, sometimes months after SUCCEED."
    },
    fc.constant(calls([...paid, "CHARGEBACK"])),
    endsAt({ money: 0, stock: 0 })
  ),
  law(
    {
      name: "a refund of the whole amount takes the money and the goods back",
      section: statuses,
      explanation:
        "The payment becomes REFUNDED, and the refund, which has the kind `refund`, becomes SUCCEED, in any order."
    },
    Histories.refunded([amount]),
    endsAt({ money: 0, stock: 0 }, [amount])
  ),
  law(
    {
      name: "refunds of parts take their amounts",
      section: "docs/decisions/0005",
      explanation:
        "REFUNDED comes once, at the first refund, without an amount. Each refund is a transaction with the kind `refund`."
    },
    Histories.refunded(parts),
    endsAt({ money: "8.19" }, parts)
  ),
  law(
    {
      name: "a refund that has not succeeded changes nothing",
      section: "docs/decisions/0005",
      explanation: "A refund has a status of its own, and may end FAILED or CANCELLED."
    },
    Histories.unfinishedRefund.map((refund) => [...calls(paid), ...refund]),
    keeps(() => paid.length)
  ),
  law(
    {
      name: "each payment of an order counts by itself",
      section: "docs/decisions/0012",
      explanation:
        "A customer whose first payment failed pays again, so an order has several transactions, each with a `sequence` of its own. The failure of one does not undo the success of the other. An id is text: as numbers these two are equal."
    },
    Histories.merged(
      fc.constant(calls(paid, another)),
      fc
        .tuple(
          Histories.beginnings,
          fc.constantFrom(["FAILED"], ["CANCELLED"], ["SUCCEED", "CHARGEBACK"])
        )
        .map((statuses) => calls(statuses.flat(), { transactionId: "9007199254740992" }))
    ),
    endsLike(() => calls(paid, another))
  ),
  law(
    {
      name: "an order that is paid twice gives its goods once",
      section: "docs/decisions/0012",
      explanation:
        "A customer with two open pages pays on both. The goods belong to the order, and not to the transaction; the second payment is the customer's money."
    },
    fc.constant([...calls(paid.slice(-2)), ...calls(paid.slice(-2), another)]),
    endsAt({ stock: 1 })
  ),
  law(
    {
      name: "in a conflict the goods are given once at most, and no money is counted twice",
      section: "docs/decisions/0001",
      explanation:
        "The service may confirm SUCCEED, then FAILED, then SUCCEED. Each is a transition with an `id` of its own, and `conflict` names both. A person decides, or the last status does."
    },
    fc
      .array(fc.constantFrom<Array<Status>>("SUCCEED", "FAILED", "CANCELLED"), {
        minLength: 2,
        maxLength: 5
      })
      .map((ends) => calls(ends.filter((end, at) => end !== ends[at - 1]))),
    Effect.fnUntraced(function* (open, steps) {
      const shop = yield* start(open)
      for (const step of steps) {
        yield* shop.play([step])
        const { money = 0, stock = 0 } = yield* shop.books
        const most = { money: Math.min(Number(money), Number(amount)), stock: Math.min(stock, 1) }
        yield* compare({ money, stock }, most, "after a call,")
      }
    })
  ),
  law(
    {
      name: "an unknown status changes nothing and does not throw",
      section: "docs/decisions/0008",
      explanation:
        "The service may add statuses, and a later version of pawl may tell them. A branch for everything else takes goods back from customers who paid."
    },
    adding(fc.constantFrom(...Generators.unknownStatuses), (known, to) => [
      ...known,
      ...calls([...known.map(({ to }) => to), to]).slice(-1)
    ]),
    keeps(last)
  ),
  law(
    {
      name: "a transaction of another order changes nothing and does not throw",
      section: "docs/decisions/0020",
      explanation:
        "A payout, a payment made elsewhere, or an order that was deleted: `requestId` is null or one that the shop does not have. A handler that throws is called again for 24 hours."
    },
    adding(
      fc.tuple(Generators.histories(), fc.constantFrom(null, "order-of-nobody")),
      (known, [{ kind, statuses }, requestId]) => [
        ...known,
        ...calls(statuses, { kind, requestId, transactionId: "900001" }).slice(-1)
      ]
    ),
    keeps(last)
  )
]
