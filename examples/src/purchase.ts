/**
 * Shows a durable workflow of Effect that pays, and continues when the payment has ended.
 *
 * An activity runs at least once: after a crash it runs again if its result was not stored. `Requests` makes the payment
 * happen once, because each run has the same requestId. The handler ends the wait, so the workflow reads no status.
 *
 * `WorkflowEngine.layerMemory` is for tests. In production the engine is `ClusterWorkflowEngine` with a SQL database.
 */
import type { Transition } from "@pawl/core/Handler"
import { isTerminal, statuses } from "@pawl/core/Status"
import { Requests } from "@pawl/webhook/Requests"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Activity from "effect/workflow/Activity"
import * as DurableDeferred from "effect/workflow/DurableDeferred"
import * as Workflow from "effect/workflow/Workflow"

/** The workflow of an order. It returns the status in which its payment ended. An order has one execution. */
export const Purchase = Workflow.make("Purchase", {
  payload: { orderId: Schema.String },
  success: Schema.Literals(statuses),
  idempotencyKey: ({ orderId }) => orderId
})

const Ended = DurableDeferred.make("Ended", { success: Schema.Literals(statuses) })

const pay = Effect.fn("pay")(function* (orderId: string) {
  const { enqueue } = yield* Requests
  yield* enqueue("apm-payment", {
    requestId: orderId,
    accountId: "4711",
    amount: "10.00",
    currency: "EUR",
    apmPayload: { paymentMethod: "WALLET" }
  })
})

export const steps = Purchase.toLayer(
  Effect.fnUntraced(function* ({ orderId }) {
    const execute = pay(orderId).pipe(
      Effect.retry({
        while: ({ _tag }) => _tag === "StoreUnavailable",
        schedule: Schedule.spaced("1 second")
      }),
      Effect.orDie
    )
    yield* Activity.make({ name: "pay", execute })
    return yield* DurableDeferred.await(Ended)
  })
)

/** Handles a transition. The first final status ends the wait. */
export const handle = Effect.fn("handle")(function* ({ confirmed, requestId, to }: Transition) {
  if (!confirmed || !isTerminal(to) || requestId === null) return
  const payload = { orderId: requestId }
  const token = yield* DurableDeferred.tokenFromPayload(Ended, { workflow: Purchase, payload })
  yield* DurableDeferred.succeed(Ended, { token, value: to })
})
