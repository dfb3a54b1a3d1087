/**
 * How the service answers about refunds.
 *
 * **Details**
 *
 * All refunds of a payment together are never more than the payment. One counts from its create on,
 * whether it has come to its end or not, and counts no more once it has ended FAILED or CANCELLED.
 *
 * A refund that succeeds, in full or in part, moves its payment from SUCCEED to REFUNDED: that is the
 * one status the spec has for it, and a payment in it can be refunded further.
 */
import * as Amount from "@pawl/core/Amount"
import type { RefundInfo, RefundRequest } from "@pawl/core/Refund"
import type { Status } from "@pawl/core/Status"
import { RequestId, TransactionId } from "@pawl/core/Transaction"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { AskedMetadata, Mid, present, scenarioOf, told } from "./Asked.ts"
import type { Book, Transaction } from "./Book.ts"
import { type Handlers, invalid, reader } from "./Contract.ts"
import type { Requests } from "./Requests.ts"

/** Makes the handlers of the endpoints of refunds. */
export const make = (
  book: Book,
  requests: Requests
): Pick<Handlers, "createRefund" | "readRefund" | "readRefundStatus"> => {
  book.whenMoved(
    Effect.fnUntraced(function* ({ transaction: { kind, paymentId, status } }) {
      if (kind !== "refund" || paymentId === undefined || status !== "SUCCEED") return
      const payment = yield* book.transaction(paymentId)
      if (payment?.status === "SUCCEED") yield* book.move(paymentId, "REFUNDED")
    })
  )

  /** Returns the payment, if so much of it can be given back. */
  const refundable = Effect.fnUntraced(function* ({ amount, mid, transactionId }: RefundRequest) {
    const payment = yield* book.transaction(transactionId)
    if (payment?.kind !== "card-payment" || !paid.includes(payment.status)) {
      return yield* invalid([
        { field: "transactionId", message: "Expected a card payment in SUCCEED or REFUNDED" }
      ])
    }
    if (payment.mid !== mid) {
      return yield* invalid([{ field: "mid", message: "Expected the mid of the payment" }])
    }
    const others = (yield* book.transactions).filter(
      (refund) => refund.paymentId === transactionId && counts(refund)
    )
    if (!isWithin(payment.amount, [amount, ...others.map((refund) => refund.amount)])) {
      return yield* invalid([
        { field: "amount", message: "Expected no more than what is left of the payment" }
      ])
    }
    return payment
  })

  const refund = Effect.fnUntraced(function* (payload: RefundRequest) {
    const { amount, callbackUrl, metadata, requestId } = payload
    const { cardMask, currency, mid, transactionId } = yield* refundable(payload)
    const opened = yield* book.open({
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
      ...told(opened),
      paymentType: "CARD"
    }
  })

  return {
    createRefund: Effect.fnUntraced(function* ({ payload }) {
      yield* read(payload)
      return yield* requests.once("createRefund", payload.requestId, refund(payload))
    }),
    readRefund: ({ params }) => Effect.map(book.find("refund", params.id), info),
    readRefundStatus: ({ params }) =>
      Effect.map(book.find("refund", params.id), ({ status }) => status)
  }
}

const read = reader(Schema.Struct({ mid: Mid, metadata: AskedMetadata }))

const paid: ReadonlyArray<Status> = ["SUCCEED", "REFUNDED"]

const counts = ({ isOver, status }: Transaction): boolean =>
  !isOver || (status !== "FAILED" && status !== "CANCELLED")

/** A sum too long to be an amount is more than any. */
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
    ...told(refund),
    totalAmount: amount,
    createdAt: createdTime,
    ...present({ callbackUrl })
  }
}
