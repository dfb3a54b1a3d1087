/**
 * Every schema of an object in a request, response or callback, by name.
 */
import * as ApmPayload from "@pawl/core/ApmPayload"
import * as ApmPayment from "@pawl/core/ApmPayment"
import * as ApmPayout from "@pawl/core/ApmPayout"
import * as Billing from "@pawl/core/Billing"
import * as CallbackBody from "@pawl/core/internal/CallbackBody"
import * as Card from "@pawl/core/Card"
import * as CardPayment from "@pawl/core/CardPayment"
import * as CardPayout from "@pawl/core/CardPayout"
import * as Device from "@pawl/core/Device"
import * as Order from "@pawl/core/Order"
import * as PaymentIntent from "@pawl/core/PaymentIntent"
import * as Refund from "@pawl/core/Refund"
import * as Subscription from "@pawl/core/Subscription"
import * as SubscriptionPlan from "@pawl/core/SubscriptionPlan"
import * as Schema from "effect/Schema"

const modules = [
  ApmPayload,
  ApmPayment,
  ApmPayout,
  Billing,
  CallbackBody,
  Card,
  CardPayment,
  CardPayout,
  Device,
  Order,
  PaymentIntent,
  Refund,
  Subscription,
  SubscriptionPlan
]

type Codec = Schema.Codec<Record<string, unknown>, Record<string, unknown>>

const isObject = (value: unknown): value is Codec =>
  Schema.isSchema(value) && value.ast._tag === "Objects"

export const nouns: ReadonlyArray<readonly [name: string, schema: Codec]> = modules.flatMap(
  (module) =>
    Object.entries(module).flatMap(([name, value]: [string, unknown]) =>
      isObject(value) ? [[name, value] as const] : []
    )
)
