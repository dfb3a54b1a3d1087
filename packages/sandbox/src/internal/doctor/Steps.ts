/**
 * The steps of a run, with the most requests and amounts of each.
 *
 * A step may be left out, so the plan is an upper limit. An amount is the units of the run and a
 * fraction: `1.10`, whose zero shows how amounts are written.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { auth, candidates, mistakes, payment, payout, repeat, status } from "./ApmSteps.ts"
import { cardPayment, hostedPage, cardPayout, refund, subscription } from "./CardSteps.ts"
import type { DoctorFailed, Probe } from "./Probe.ts"

/**
 * Step of a run. `requests`, `paidIn` and `paidOut` are the most requests, payments and payouts.
 */
export interface Step {
  readonly name: string
  readonly does: string
  readonly requests: number
  readonly paidIn: number
  readonly paidOut: number
  readonly run: (probe: Probe) => Effect.Effect<void, DoctorFailed>
}

const callbacks = Effect.fnUntraced(function* (probe: Probe) {
  const { callbackUrl, pause, wait } = probe.settings
  if (callbackUrl === undefined) return
  const isOver = () => {
    const { callbacks, waited } = probe.recording()
    const ofPayout = callbacks.filter(({ answer }) => answer === 500)
    const times = Map.groupBy(ofPayout, ({ body }) => body)
    return (
      waited >= Duration.toMillis(wait) ||
      Array.from(times.values()).some(({ length }) => length > 5)
    )
  }
  while (!isOver()) {
    const gap = Duration.min(wait, Duration.minutes(1))
    yield* pause(gap)
    probe.update({ waited: probe.recording().waited + Duration.toMillis(gap) })
  }
})

export const steps: ReadonlyArray<Step> = [
  step("auth", "takes an access token", 1, auth),
  step(
    "mistakes",
    "sends an invalid payment, a wrong method, content type and token, and reads an unknown payment",
    5,
    mistakes
  ),
  step(
    "payment",
    "makes an APM payment, with each way to compute its checksum until one is accepted",
    1 + candidates("|").length,
    payment,
    { paidIn: 1 }
  ),
  step("status", "reads its status at once, and again while it is 404", 6, status),
  step("repeat", "sends its requestId again with another amount", 1, repeat, { paidIn: 1 }),
  step("payout", "makes APM payouts with a checksum, a wrong one and none", 6, payout, {
    paidOut: 4
  }),
  step("hosted page", "makes a page on which nobody pays", 2, hostedPage),
  step(
    "card payment",
    "pays by card, and reads the status until it is SUCCEED; pays with a card that is declined",
    8,
    cardPayment,
    { paidIn: 2 }
  ),
  step("refund", "refunds that payment, and reads the refund", 4, refund),
  step("card payout", "pays out three decimals, and reads the rounded amount", 4, cardPayout, {
    paidOut: 2
  }),
  step(
    "subscription",
    "tokenizes a card, makes two subscriptions and cancels them",
    13,
    subscription,
    {
      paidIn: 1
    }
  ),
  step(
    "callbacks",
    "waits for callbacks: refuses one, holds one, fails those of a payout",
    0,
    callbacks
  )
]

function step(
  name: string,
  does: string,
  requests: number,
  run: Step["run"],
  { paidIn = 0, paidOut = 0 }: { readonly paidIn?: number; readonly paidOut?: number } = {}
): Step {
  return { name, does, requests, paidIn, paidOut, run }
}
