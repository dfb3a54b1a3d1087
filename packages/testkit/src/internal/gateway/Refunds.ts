/**
 * Handlers of refunds.
 *
 * The refunds of a payment never add up to more than the payment. One that succeeds, full or
 * partial, moves its payment from SUCCEED to REFUNDED; such a payment can be refunded further.
 */
import * as Amount from "@pawl/core/Amount"
import type { RefundInfo } from "@pawl/core/Refund"
import type { RefundRequest } from "@pawl/core/internal/RequestBodies"
import type { Status } from "@pawl/core/Status"
import { RequestId, TransactionId } from "@pawl/core/Transaction"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { ScenarioMetadata, withoutUndefined, scenarioOf, statusFields } from "./RequestRules.ts"
import type { Transaction } from "./Transaction.ts"
import type { Transactions } from "./Transactions.ts"
import { type Handlers, invalid, notFound, reader } from "./Contract.ts"
import type { Behaviour } from "../Behaviour.ts"
import type { Writes } from "./Writes.ts"

export const make = (
  transactions: Transactions,
  writes: Writes,
  isLenient: boolean,
  { refundId, refundPayment }: Pick<Behaviour, "refundId" | "refundPayment">
): Pick<Handlers, "createRefund" | "readRefund" | "readRefundStatus"> => {
  transactions.onMove(
    Effect.fnUntraced(function* ({ transaction: { kind, paymentId, status } }) {
      if (kind !== "refund" || paymentId === undefined || status !== "SUCCEED") return
      const payment = yield* transactions.get(paymentId)
      if (payment?.status === "SUCCEED") yield* transactions.move(paymentId, "REFUNDED")
    })
  )

  const refundable = Effect.fnUntraced(function* ({ amount, mid, transactionId }: RefundRequest) {
    const payment = yield* transactions.get(transactionId)
    if (payment?.kind !== "card-payment" || !paid.includes(payment.status)) {
      return yield* invalid([
        { field: "transactionId", message: "Expected a card payment in SUCCEED or REFUNDED" }
      ])
    }
    if (payment.mid !== mid) {
      return yield* invalid([{ field: "mid", message: "Expected the mid of the payment" }])
    }
    const others = (yield* transactions.all).filter(
      (refund) => refund.paymentId === transactionId && counts(refund)
    )
    if (!isWithin(payment.amount, [amount, ...others.map((refund) => refund.amount)])) {
      return yield* invalid([
        { field: "amount", message: "Expected at most the amount left of the payment" }
      ])
    }
    return payment
  })

  const find = (id: string) =>
    refundId === "refund"
      ? transactions.find("refund", id)
      : Effect.flatMap(transactions.all, (all) =>
          Effect.mapError(
            Effect.fromNullishOr(all.findLast(({ paymentId }) => paymentId === id)),
            () => notFound
          )
        )

  const refund = Effect.fnUntraced(function* (payload: RefundRequest) {
    const { amount, callbackUrl, metadata, requestId } = payload
    const { cardMask, currency, mid, transactionId } = yield* refundable(payload)
    const opened = yield* transactions.open({
      kind: "refund",
      requestId,
      mid,
      amount,
      currency,
      metadata,
      callbackUrl,
      cardMask,
      paymentId: transactionId,
      scenario: yield* scenarioOf(metadata)
    })
    return {
      refundId: TransactionId.make(opened.transactionId),
      ...statusFields(opened),
      paymentType: "CARD"
    }
  })

  return {
    createRefund: Effect.fnUntraced(function* ({ payload, sent }) {
      // Responses have this id as text and a refund as an integer (`spec.md`, "Conventions").
      const isText = typeof fieldOf(sent, "transactionId") === "string"
      if (!isLenient && isText !== (refundPayment === "text")) {
        return yield* isText ? notInteger : notText
      }
      yield* read(payload)
      return yield* writes.once("createRefund", payload.requestId, refund(payload))
    }),
    readRefund: ({ params }) => Effect.map(find(params.id), info),
    readRefundStatus: ({ params }) => Effect.map(find(params.id), ({ status }) => status)
  }
}

const notInteger = invalid([
  { field: "transactionId", message: "Expected a JSON integer, without quotes" }
])

const notText = invalid([{ field: "transactionId", message: "Expected a text" }])

const fieldOf = (body: unknown, name: string): unknown =>
  Predicate.hasProperty(body, name) ? body[name] : undefined

const read = reader(Schema.Struct({ metadata: ScenarioMetadata }))

const paid: ReadonlyArray<Status> = ["SUCCEED", "REFUNDED"]

const counts = ({ isOver, status }: Transaction): boolean =>
  !isOver || (status !== "FAILED" && status !== "CANCELLED")

/** A sum too long to be an amount exceeds every amount. */
const isWithin = (captured: string, amounts: ReadonlyArray<string>): boolean =>
  Result.gen(function* () {
    let sum = yield* Amount.parse("0")
    for (const amount of amounts) sum = yield* Amount.add(sum, yield* Amount.parse(amount))
    return Amount.compare(sum, yield* Amount.parse(captured)) <= 0
  }).pipe(Result.getOrElse(() => false))

const info = (refund: Transaction): RefundInfo => {
  const { amount, callbackUrl, createdTime, mid = "", paymentId = "", requestId } = refund
  return {
    transactionId: TransactionId.make(paymentId),
    refundId: TransactionId.make(refund.transactionId),
    requestId: RequestId.make(requestId),
    mid,
    ...statusFields(refund),
    totalAmount: amount,
    createdAt: createdTime,
    ...withoutUndefined({ callbackUrl })
  }
}
