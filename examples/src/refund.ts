/**
 * Shows a refund of a card payment, in full or in part: creates it and waits for its final status.
 *
 * A refund has an id (`refundId`) and a status of its own. The payment becomes REFUNDED when one of its
 * refunds succeeds. The service refuses to refund more than was paid.
 *
 * `examples/test/refund.test.ts` runs it.
 */
import { Refunds } from "@pawl/http/Refunds"
import * as StatusPoller from "@pawl/http/StatusPoller"
import * as Effect from "effect/Effect"

/** Goods that a customer returned. The id is the requestId, so repeated calls refund once. */
export interface Return {
  readonly id: string
  readonly transactionId: string
  readonly amount: string
  readonly metadata?: Readonly<Record<string, string>>
}

/** Makes the refund and returns the message for the customer. */
export const refund = Effect.fn("refund")(
  function* ({ id, ...returned }: Return) {
    const refunds = yield* Refunds
    const { refundId, transactionStatus } = yield* refunds.create({
      requestId: id,
      mid: "shop-1",
      reason: "customer_request",
      ...returned
    })
    const { status } = yield* StatusPoller.follow({
      kind: "refund",
      id: refundId,
      status: transactionStatus
    })
    return status === "SUCCEED" ? `${returned.amount} refunded` : `It ended ${status}`
  },
  Effect.catchTags({
    Declined: ({ declineCode }) =>
      Effect.succeed(`The card takes no refund (code ${declineCode ?? "none"})`),
    ValidationFailed: ({ message }) => Effect.succeed(message)
  })
)
