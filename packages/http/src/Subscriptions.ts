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
 * Service that creates, reads, changes and cancels subscriptions (`spec.md`, "Recurring subscriptions").
 *
 * **Gotchas**
 *
 * A change has no requestId, so `update`, `setStatus`, `pause` and `resume` are retried only if the request surely
 * had no effect: it never left, or the service refused it with 429. After `Unreachable` or `ServiceFailed` the change
 * may have taken effect; `get` shows whether it did.
 *
 * @category services
 * @since 0.1.0
 */
export class Subscriptions extends Context.Service<
  Subscriptions,
  {
    /**
     * Creates a subscription with the card token of `CardPayments.tokenize` (`spec.md`, "Recurring
     * subscriptions").
     *
     * The service makes the first charge at once unless `skipFirstCharge` is true. `plan.amount` is decimal
     * text with at most two decimals, `plan.currency` an ISO 4217 code. The method makes a requestId
     * (UUIDv7) when the input has none. Fails with `Declined` when the first charge ends FAILED, with
     * `ValidationFailed` when the input is invalid, with `OutcomeUnknown` when the subscription may or may
     * not exist, and with the errors of every call.
     */
    readonly create: (
      input: SubscriptionInput,
      options?: CreateOptions
    ) => Effect.Effect<SubscriptionResponse, CreateError<SubscriptionResponse>>
    /**
     * Reads a subscription. `subscriptionId` is the one of the create. Fails with `NotFound` when the service does
     * not know the id (`spec.md`, "Subscription resource").
     */
    readonly get: (
      subscriptionId: string,
      options?: CallOptions
    ) => Effect.Effect<Subscription, ReadError>
    /**
     * Changes the given fields of the plan, or the status, or both, and returns the changed subscription
     * (`spec.md`, "Recurring subscriptions"). Fields that are left out stay unchanged. Fails with
     * `ValidationFailed` when a field is invalid, and with the errors of every read.
     */
    readonly update: (
      subscriptionId: string,
      changes: SubscriptionUpdateInput,
      options?: CallOptions
    ) => Effect.Effect<Subscription, ReadError>
    /**
     * Sets any of the five statuses by PUT and returns the changed subscription (`spec.md`, "Subscription
     * statuses"). The specification shows what ACTIVE, PAUSED and CANCELED do; the effect of PENDING and TRIALING
     * is not documented. `pause`, `resume` and `cancel` are the usual changes.
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
     * Cancels a subscription at once by DELETE; no charge follows (`spec.md`, "Recurring subscriptions"). The request
     * is retried after a failure that leaves its effect unknown, and a 404 to such a retry counts as success.
     */
    readonly cancel: (
      subscriptionId: string,
      options?: CallOptions
    ) => Effect.Effect<void, ReadError>
  }
>()("@pawl/http/Subscriptions") {}
