/**
 * Shows a handler that starts a durable workflow of Effect for a confirmed payment: ship, and ask for a review later.
 *
 * The id of an execution is made of its `idempotencyKey`, so a transition that is delivered twice
 * starts one. The handler only starts it, because a call is interrupted after 5 minutes.
 *
 * `WorkflowEngine.layerMemory` is for tests. In production the engine is `ClusterWorkflowEngine` with a SQL database.
 */
import * as Handler from "@pawl/core/Handler"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Activity from "effect/workflow/Activity"
import * as DurableClock from "effect/workflow/DurableClock"
import * as Workflow from "effect/workflow/Workflow"

/** Service that ships orders and writes to customers. */
export class Shop extends Context.Service<
  Shop,
  {
    readonly ship: (orderId: string) => Effect.Effect<void>
    readonly askForReview: (orderId: string) => Effect.Effect<void>
  }
>()("examples/workflow/Shop") {}

/** The workflow of an order that is paid. A payment has one execution: one of the other kind may have its number. */
export const Fulfilment = Workflow.make("Fulfilment", {
  payload: { kind: Schema.String, transactionId: Schema.String, orderId: Schema.String },
  idempotencyKey: ({ kind, transactionId }) => `${kind} ${transactionId}`
})

/** Layer that runs the steps of the workflow. After a restart, steps that have ended are not run again. */
export const steps = Fulfilment.toLayer(
  Effect.fnUntraced(function* ({ orderId }) {
    const shop = yield* Shop
    yield* Activity.make({ name: "ship", execute: shop.ship(orderId) })
    yield* DurableClock.sleep({ name: "until it was used", duration: "14 days" })
    yield* Activity.make({ name: "askForReview", execute: shop.askForReview(orderId) })
  })
)

export const handler = Handler.layer(({ confirmed, kind, requestId, to, transactionId }) => {
  const orderId = requestId ?? transactionId
  if (kind !== "card-payment" && kind !== "apm-payment") return Effect.void
  if (to === "SUCCEED" && confirmed)
    return Fulfilment.execute({ kind, transactionId, orderId }, { discard: true })
  return to === "REFUNDED" || to === "CHARGEBACK"
    ? Effect.logWarning(`${to}: call order ${orderId} back`)
    : Effect.void
})
