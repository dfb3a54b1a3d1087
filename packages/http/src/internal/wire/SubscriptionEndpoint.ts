/**
 * The endpoints of subscriptions: method, path, request and response of each (`spec.md`, "Recurring
 * subscriptions").
 *
 * @since 0.1.0
 */
import {
  Subscription,
  SubscriptionRequest,
  SubscriptionResponse,
  SubscriptionUpdate
} from "@pawl/core/Subscription"
import * as Schema from "effect/Schema"
import { PathId } from "./PathId.ts"

/** Schema for the path of every endpoint of one subscription. */
const BySubscriptionId = Schema.Struct({ subscriptionId: PathId })

/**
 * Creates a subscription with a card token.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const createSubscription = {
  identifier: "createSubscription",
  method: "POST",
  path: "/api/v1/payments/card/recurring",
  payload: SubscriptionRequest,
  success: SubscriptionResponse
} as const

/**
 * Reads a subscription.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const readSubscription = {
  identifier: "readSubscription",
  method: "GET",
  path: "/api/v1/payments/card/recurring/:subscriptionId",
  params: BySubscriptionId,
  success: Subscription
} as const

/**
 * Changes the fields of a subscription that are in the body.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const updateSubscription = {
  identifier: "updateSubscription",
  method: "PUT",
  path: "/api/v1/payments/card/recurring/:subscriptionId",
  params: BySubscriptionId,
  payload: SubscriptionUpdate,
  success: Subscription
} as const

/**
 * Cancels a subscription at once. The response is 204 without a body.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const cancelSubscription = {
  identifier: "cancelSubscription",
  method: "DELETE",
  path: "/api/v1/payments/card/recurring/:subscriptionId",
  params: BySubscriptionId
} as const
