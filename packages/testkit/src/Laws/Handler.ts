/**
 * The laws of a merchant's handler: the function that books money and gives goods on each
 * transition.
 *
 * **Details**
 *
 * The histories are those that `Handler` of `@pawl/core` allows: calls are repeated, the process
 * crashes between a call and the note of it, statuses are passed over, a call that outlived its
 * lease ends after a later one, and the service confirms several final statuses.
 *
 * **Gotchas**
 *
 * A shop opens empty in every history, over its own database. No call is cut off half-way, so no
 * law shows that the writes of a call belong in one transaction. Two calls at the same time take
 * turns only where one of them waits. Under a `TestClock` a handler that sleeps does not end: use
 * `it.live`.
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
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import * as Histories from "../internal/laws/handler/Histories.ts"
import {
  endsAt,
  endsLike,
  keeps,
  law,
  lawsOfCalls,
  statuses,
  statusOf,
  type Steps
} from "../internal/laws/handler/LawsOfCalls.ts"
import * as Model from "../internal/laws/handler/Model.ts"
import type * as Laws from "../Laws.ts"

export type { Books, Handle, Open, Order, Shop, Step } from "../internal/laws/handler/Model.ts"

const { amount, compare, parts, start } = Model
const { calls, paid } = Histories

const inConflict = (name: string, ends: string, fields?: Histories.Fields) =>
  law(
    {
      name,
      section: "docs/decisions/0001",
      explanation: `The service may confirm ${ends}. Each is a transition with an \`id\` of its own, and \`conflict\` names both. A person decides, or the last status does.`
    },
    fc
      .array(fc.constantFrom("SUCCEED", "FAILED", "CANCELLED"), { minLength: 2, maxLength: 5 })
      .map((ends) =>
        calls(
          ends.filter((end, at) => end !== ends[at - 1]),
          fields
        )
      ),
    Effect.fnUntraced(function* (open, steps) {
      const shop = yield* start(open)
      for (const step of steps) {
        yield* shop.play([step])
        const books = yield* shop.books
        const { money = 0, stock = 0 } = books
        const within = {
          money: Math.max(0, Math.min(Number(money), Number(amount))),
          stock: Math.max(0, Math.min(stock, 1))
        }
        yield* compare(books, within, "after a call,")
      }
    })
  )

/** As a number it is equal to `9007199254740992`. */
const another = { transactionId: "9007199254740993" }

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
        fc.constantFrom<Array<ReadonlyArray<string>>>([], ["FAILED"], ["CANCELLED"])
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
      .tuple(
        fc.oneof({ withCrossShrink: true }, fc.constant([]), Histories.beginnings),
        fc.constantFrom("SUCCEED", "REFUNDED", "CHARGEBACK")
      )
      .map((statuses) => calls(statuses.flat())),
    endsLike((steps) => calls([...new Set([...paid, ...steps.slice(-1).flatMap(statusOf)])]))
  ),
  ...lawsOfCalls(Histories.ofPayments),
  law(
    {
      name: "CHARGEBACK takes the money and the goods back",
      section: statuses,
      explanation:
        "The bank of the customer takes the whole amount, sometimes months after SUCCEED. After REFUNDED the goods are back already."
    },
    fc.subarray(["REFUNDED"]).map((refunded) => calls([...paid, ...refunded, "CHARGEBACK"])),
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
        "REFUNDED comes once, at the first refund, without an amount. Each refund is a transaction with the kind `refund`, and may have the number of the payment."
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
  inConflict(
    "in a conflict the goods are given once at most, and no money is counted twice",
    "SUCCEED, then FAILED, then SUCCEED"
  )
]

const isBack = (to: string) => ["FAILED", "CANCELLED", "REFUNDED", "CHARGEBACK"].includes(to)

/**
 * The laws of a handler of payouts. The order is the payout, whose amount the shop has debited; its
 * `money` is the part of it that came back.
 *
 * @category laws
 * @since 0.1.0
 */
export const payoutLaws: ReadonlyArray<Laws.Law<Model.Open, Steps>> = [
  law(
    {
      name: "the amount of a payout comes back at FAILED, CANCELLED, REFUNDED and CHARGEBACK, and neither before nor at SUCCEED",
      section: "docs/decisions/0083",
      explanation:
        "An open payout may still be made, so its amount stays debited. REFUNDED and CHARGEBACK come after SUCCEED: the money was sent back."
    },
    Histories.honestPayouts,
    (open, steps) =>
      endsAt({ money: steps.slice(-1).flatMap(statusOf).some(isBack) ? amount : 0 })(open, steps)
  ),
  ...lawsOfCalls(Histories.ofPayouts),
  inConflict(
    "in a conflict no more comes back than the amount of the payout",
    "FAILED, then SUCCEED, then FAILED",
    Histories.payout
  )
]
