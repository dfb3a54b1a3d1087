/**
 * Gives a card payment back, in full or in part.
 *
 * A refund has an id and an end of its own, the `refundId`; its payment is REFUNDED once one of its
 * refunds has succeeded. The service sees to it that no more is given back than was paid.
 *
 * `examples/test/refund.test.ts` runs it.
 */
import { Refunds } from "@pawl/http/Refunds"
import { StatusPoller } from "@pawl/http/StatusPoller"
import * as Effect from "effect/Effect"

/** What a customer sent back; its own id is the requestId, so it is refunded once. */
export interface Return {
  readonly id: string
  readonly transactionId: string
  readonly amount: string
  readonly metadata?: Readonly<Record<string, string>>
}

/** Says what to tell the customer. */
export const refund = Effect.fn("refund")(
  function* ({ id, ...returned }: Return) {
    const refunds = yield* Refunds
    const poller = yield* StatusPoller
    const { refundId, transactionStatus } = yield* refunds.create({
      requestId: id,
      mid: "shop-1",
      reason: "customer_request",
      ...returned
    })
    const { status } = yield* poller.follow({
      kind: "refund",
      id: refundId,
      status: transactionStatus
    })
    return status === "SUCCEED" ? `${returned.amount} given back` : `It ended ${status}`
  },
  Effect.catchTags({
    Declined: ({ declineCode }) =>
      Effect.succeed(`The card takes no refund (code ${declineCode ?? "none"})`),
    ValidationFailed: ({ message }) => Effect.succeed(message)
  })
)
