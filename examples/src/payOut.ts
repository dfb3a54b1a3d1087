/**
 * Shows a payout to a card: creates it and waits for its final status.
 *
 * The id of the withdrawal is the requestId, so repeated calls send the money once.
 *
 * `examples/test/payOut.test.ts` runs it.
 */
import type { CardPayoutInput } from "@pawl/core/CardPayout"
import { CardPayouts } from "@pawl/http/CardPayouts"
import * as StatusPoller from "@pawl/http/StatusPoller"
import * as Effect from "effect/Effect"

/** A withdrawal that a customer requested. */
export interface Withdrawal {
  readonly id: string
  readonly amount: string
  readonly card: CardPayoutInput["card"]
  readonly metadata?: Readonly<Record<string, string>>
}

/** Makes the payout and returns the message for the customer. */
export const payOut = Effect.fn("payOut")(
  function* ({ id, ...withdrawal }: Withdrawal) {
    const payouts = yield* CardPayouts
    const created = yield* payouts.create({ requestId: id, mid: "shop-1", ...withdrawal })
    const { status } = yield* StatusPoller.follow({
      kind: "card-payout",
      id: created.transactionId,
      status: created.transactionStatus
    })
    const { cardMask, totalAmount } = yield* payouts.info(created.transactionId)
    return status === "SUCCEED" ? `${totalAmount} sent to ${cardMask}` : `It ended ${status}`
  },
  Effect.catchTag("Declined", ({ declineCode }) =>
    Effect.succeed(`The card takes no payout (code ${declineCode ?? "none"})`)
  )
)
