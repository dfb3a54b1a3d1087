/**
 * Recurring payments on a tokenized card.
 *
 * @since 0.1.0
 */
import type { CreateError, ReadError } from "@pawl/core/PaymentsError"
import type {
  Subscription,
  SubscriptionInput,
  SubscriptionResponse,
  SubscriptionUpdateInput
} from "@pawl/core/Subscription"
import * as Context from "effect/Context"
import type * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Endpoint from "./Endpoint.ts"
import { Caller } from "./Caller.ts"
import * as Methods from "./internal/Methods.ts"
import { failDeclined } from "./internal/Outcome.ts"

/**
 * Service that creates, reads, changes and cancels subscriptions (`spec.md`, "Recurring subscriptions").
 *
 * **Details**
 *
 * `create` makes a requestId when none is given. The first charge is made at once unless
 * `skipFirstCharge` is true; when it ends FAILED, `create` is `Declined`. `update` changes what it names
 * of the plan, `pause` and `resume` the status; each returns the subscription as it is then. `cancel` ends
 * a subscription for good.
 *
 * **Gotchas**
 *
 * A change carries no requestId, so it is sent once: after `Unreachable` or `ServiceFailed` it may have
 * taken effect, and `get` tells. `cancel` is repeated after such a failure, and done when the
 * subscription is no longer known then.
 *
 * @category services
 * @since 0.1.0
 */
export class Subscriptions extends Context.Service<
  Subscriptions,
  {
    readonly create: (
      input: SubscriptionInput
    ) => Effect.Effect<SubscriptionResponse, CreateError<SubscriptionResponse>>
    readonly get: (subscriptionId: string) => Effect.Effect<Subscription, ReadError>
    readonly update: (
      subscriptionId: string,
      changes: SubscriptionUpdateInput
    ) => Effect.Effect<Subscription, ReadError>
    readonly pause: (subscriptionId: string) => Effect.Effect<Subscription, ReadError>
    readonly resume: (subscriptionId: string) => Effect.Effect<Subscription, ReadError>
    readonly cancel: (subscriptionId: string) => Effect.Effect<void, ReadError>
  }
>()("@pawl/http/Subscriptions") {}

/**
 * Layer that provides subscriptions over the calls of the contract.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<Subscriptions, never, Caller | SecureRandom.SecureRandom> =
  Layer.effect(
    Subscriptions,
    Effect.gen(function* () {
      const caller = yield* Caller
      const { create } = yield* Methods.make
      const put = (subscriptionId: string, payload: object) =>
        caller.call(Endpoint.updateSubscription, { params: { subscriptionId }, payload })

      return Subscriptions.of({
        create: create("Subscriptions.create", Endpoint.createSubscription, failDeclined),
        get: Methods.traced("Subscriptions.get")((subscriptionId) =>
          caller.call(Endpoint.readSubscription, { params: { subscriptionId } })
        ),
        update: Methods.traced("Subscriptions.update")(put),
        pause: Methods.traced("Subscriptions.pause")((id) => put(id, { status: "PAUSED" })),
        resume: Methods.traced("Subscriptions.resume")((id) => put(id, { status: "ACTIVE" })),
        cancel: Methods.traced("Subscriptions.cancel")((subscriptionId) =>
          caller.remove(Endpoint.cancelSubscription, { params: { subscriptionId } })
        )
      })
    })
  )
