/** Every schema of an object in a request, response or callback, by name. */
import * as ApmPayload from "@pawl/core/ApmPayload"
import * as ApmPayment from "@pawl/core/ApmPayment"
import * as ApmPayout from "@pawl/core/ApmPayout"
import * as CallbackBody from "@pawl/core/internal/CallbackBody"
import * as JsonNumber from "@pawl/core/internal/JsonNumber"
import * as RequestBodies from "@pawl/core/internal/RequestBodies"
import * as SharedFields from "@pawl/core/internal/SharedFields"
import * as Card from "@pawl/core/Card"
import * as CardPayment from "@pawl/core/CardPayment"
import * as CardPayout from "@pawl/core/CardPayout"
import * as PaymentIntent from "@pawl/core/PaymentIntent"
import * as Refund from "@pawl/core/Refund"
import * as Subscription from "@pawl/core/Subscription"
import * as Schema from "effect/Schema"

const modules = [
  ApmPayload,
  ApmPayment,
  ApmPayout,
  CallbackBody,
  Card,
  CardPayment,
  CardPayout,
  JsonNumber,
  PaymentIntent,
  Refund,
  RequestBodies,
  SharedFields,
  Subscription
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
