/**
 * Subscriptions: recurring payments with a card token.
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
import type { SubscriptionStatus } from "@pawl/core/Subscription"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { CallOptions, CreateOptions } from "./CallOptions.ts"

/**
 * Service that creates, reads, changes and cancels subscriptions.
 *
 * **Gotchas**
 *
 * A change has no idempotency key. `update`, `setStatus`, `pause` and `resume` are retried only if the
 * request surely had no effect. After `Unreachable`, `ServiceFailed` or `UnexpectedResponse` the change may
 * have taken effect; `get` shows it.
 *
 * @category services
 * @since 0.1.0
 */
export class Subscriptions extends Context.Service<
  Subscriptions,
  {
    /**
     * Creates a subscription with a card token, and makes its first charge unless `skipFirstCharge`
     * is true. Fails with `Declined` when the charge is FAILED: the subscription may exist, and
     * charge at its next date, until `cancel` with the `subscriptionId` of the error. Fails with
     * `OutcomeUnknown` when the subscription may exist (`spec.md`, "Recurring subscriptions").
     */
    readonly create: (
      input: SubscriptionInput,
      options?: CreateOptions
    ) => Effect.Effect<SubscriptionResponse, CreateError<SubscriptionResponse>>
    /**
     * Reads a subscription. Fails with `NotFound` when the service does not know it (`spec.md`,
     * "Subscription resource").
     */
    readonly get: (
      subscriptionId: string,
      options?: CallOptions
    ) => Effect.Effect<Subscription, ReadError>
    /**
     * Changes fields of the plan, the status, or both, and returns the changed subscription. An absent
     * field stays unchanged; without any field the client sends nothing, and the call fails with
     * `ValidationFailed` (`spec.md`, "Recurring subscriptions").
     */
    readonly update: (
      subscriptionId: string,
      changes: SubscriptionUpdateInput,
      options?: CallOptions
    ) => Effect.Effect<Subscription, ReadError>
    /**
     * Sets a status and returns the changed subscription. The effect of PENDING and TRIALING is not
     * documented (`spec.md`, "Subscription statuses").
     */
    readonly setStatus: (
      subscriptionId: string,
      status: SubscriptionStatus,
      options?: CallOptions
    ) => Effect.Effect<Subscription, ReadError>
    /**
     * Sets the status PAUSED and returns the changed subscription (`spec.md`, "Subscription statuses").
     */
    readonly pause: (
      subscriptionId: string,
      options?: CallOptions
    ) => Effect.Effect<Subscription, ReadError>
    /**
     * Sets the status ACTIVE and returns the changed subscription (`spec.md`, "Subscription statuses").
     */
    readonly resume: (
      subscriptionId: string,
      options?: CallOptions
    ) => Effect.Effect<Subscription, ReadError>
    /**
     * Cancels a subscription at once; no charge follows. A retry whose first request may have taken effect
     * counts a 404 as success. After an error `get` shows the status (`spec.md`, "Recurring
     * subscriptions").
     */
    readonly cancel: (
      subscriptionId: string,
      options?: CallOptions
    ) => Effect.Effect<void, ReadError>
  }
>()("@pawl/http/Subscriptions") {}
