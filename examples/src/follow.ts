/**
 * Shows how to pay and wait for the final status. The status is read at the recommended gaps, and at once
 * after each callback. Only a status that the service confirms ends the wait.
 *
 * `examples/test/follow.test.ts` runs it with callbacks and without.
 */
import { Handler, type Transition } from "@pawl/core/Handler"
import { ApmPayments } from "@pawl/http/ApmPayments"
import * as StatusPoller from "@pawl/http/StatusPoller"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PubSub from "effect/PubSub"
import * as Stream from "effect/Stream"

/** The transitions that the receiver tells, for all fibers that wait for one. */
export class Transitions extends Context.Service<Transitions, PubSub.PubSub<Transition>>()(
  "examples/Transitions"
) {
  static readonly layer = Layer.effect(Transitions, PubSub.unbounded<Transition>())
}

/** The handler of the receiver. It publishes each transition. */
export const handler = Layer.effect(
  Handler,
  Effect.map(Transitions, (transitions) => ({
    handle: (transition) => PubSub.publish(transitions, transition)
  }))
)

export const payToTheEnd = Effect.fn("payToTheEnd")(function* (
  requestId: string,
  metadata: Readonly<Record<string, string>> = {}
) {
  const payments = yield* ApmPayments
  // Subscribed before the create, so that no transition is missed.
  const transitions = yield* PubSub.subscribe(yield* Transitions)
  const { transactionId, transactionStatus } = yield* payments.create({
    requestId,
    accountId: "4711",
    amount: "10.00",
    currency: "EUR",
    apmPayload: { paymentMethod: "WALLET" },
    callbackUrl: "https://shop.example/callback",
    metadata
  })
  const hints = Stream.fromSubscription(transitions).pipe(
    Stream.filter((transition) => transition.transactionId === transactionId),
    Stream.map(({ to }) => to)
  )
  return yield* StatusPoller.follow({
    kind: "apm-payment",
    id: transactionId,
    status: transactionStatus,
    hints
  })
}, Effect.scoped)
