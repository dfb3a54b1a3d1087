/**
 * Pays, and waits for the end: the status is read at the recommended gaps, and at once when a callback
 * comes. Whichever of the two brings the news, what ends the waiting is the service's own word.
 *
 * `examples/test/follow.test.ts` runs it with callbacks, and without any.
 */
import { Handler, type Transition } from "@pawl/core/Handler"
import { ApmPayments } from "@pawl/http/ApmPayments"
import { StatusPoller } from "@pawl/http/StatusPoller"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PubSub from "effect/PubSub"
import * as Stream from "effect/Stream"

/** What the receiver is told, for whoever waits for it. */
export class Callbacks extends Context.Service<Callbacks, PubSub.PubSub<Transition>>()(
  "examples/Callbacks"
) {
  static readonly layer = Layer.effect(Callbacks, PubSub.unbounded<Transition>())
}

/** The handler of the receiver: it passes on what it is told. */
export const handler = Layer.effect(
  Handler,
  Effect.map(Callbacks, (callbacks) => ({
    handle: (transition) => PubSub.publish(callbacks, transition)
  }))
)

export const payToTheEnd = Effect.fn("payToTheEnd")(function* (
  requestId: string,
  metadata: Readonly<Record<string, string>> = {}
) {
  const payments = yield* ApmPayments
  const poller = yield* StatusPoller
  // Before the create, so that no callback is missed.
  const callbacks = yield* PubSub.subscribe(yield* Callbacks)
  const { transactionId, transactionStatus } = yield* payments.create({
    requestId,
    accountId: "4711",
    amount: "10.00",
    currency: "EUR",
    apmPayload: { paymentMethod: "WALLET" },
    callbackUrl: "https://shop.example/callback",
    metadata
  })
  const hints = Stream.fromSubscription(callbacks).pipe(
    Stream.filter((transition) => transition.transactionId === transactionId),
    Stream.map(({ to }) => to)
  )
  return yield* poller.follow({
    kind: "apm-payment",
    id: transactionId,
    status: transactionStatus,
    hints
  })
}, Effect.scoped)
