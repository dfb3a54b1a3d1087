/**
 * The endpoints of subscriptions: path, request, response and errors of each (`spec.md`, "Recurring
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
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import { errors } from "./internal/ErrorBody.ts"
import { PathId } from "./internal/PathId.ts"

/**
 * Creates a subscription with a card token.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const createSubscription = HttpApiEndpoint.post(
  "createSubscription",
  "/api/v1/payments/card/recurring",
  { payload: SubscriptionRequest, success: SubscriptionResponse, error: errors }
).annotate(OpenApi.Summary, "Creates a subscription with a card token")

/**
 * Reads a subscription.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const readSubscription = HttpApiEndpoint.get(
  "readSubscription",
  "/api/v1/payments/card/recurring/:subscriptionId",
  { params: { subscriptionId: PathId }, success: Subscription, error: errors }
).annotate(OpenApi.Summary, "Reads a subscription")

/**
 * Changes the fields of a subscription that are in the body.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const updateSubscription = HttpApiEndpoint.put(
  "updateSubscription",
  "/api/v1/payments/card/recurring/:subscriptionId",
  {
    params: { subscriptionId: PathId },
    payload: SubscriptionUpdate,
    success: Subscription,
    error: errors
  }
).annotate(OpenApi.Summary, "Changes the fields of a subscription that are in the body")

/**
 * Cancels a subscription at once. The response is 204 without a body.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const cancelSubscription = HttpApiEndpoint.delete(
  "cancelSubscription",
  "/api/v1/payments/card/recurring/:subscriptionId",
  { params: { subscriptionId: PathId }, success: HttpApiSchema.NoContent, error: errors }
).annotate(OpenApi.Summary, "Cancels a subscription at once")
