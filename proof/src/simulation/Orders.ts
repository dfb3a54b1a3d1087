/**
 * The calls that the shop makes for each operation.
 */
import type { CreateError } from "@pawl/core/PaymentsError"
import { ApmPayments } from "@pawl/http/ApmPayments"
import { ApmPayouts } from "@pawl/http/ApmPayouts"
import { CardPayments } from "@pawl/http/CardPayments"
import { CardPayouts } from "@pawl/http/CardPayouts"
import { Refunds } from "@pawl/http/Refunds"
import { Subscriptions } from "@pawl/http/Subscriptions"
import * as Scenario from "@pawl/testkit/Scenario"
import * as CallbackUrl from "@pawl/webhook/CallbackUrl"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Client from "./Client.ts"
import { day, type Operation } from "./Plan.ts"

export interface Created {
  readonly transactionId?: string | null | undefined
  readonly refundId?: string
  readonly subscriptionId?: string
  readonly transactionStatus?: string | null | undefined
}

export type Call<A = Created> = (requestId: string) => Effect.Effect<A, CreateError<A>>

export const orderedOf = ({ id }: Operation) => ({
  accountId: "4711",
  mid: "4711",
  amount: `${10 + (id % 90)}.00`,
  currency: "EUR"
})

const shop = "https://shop.example/callback"

const urlDate = (at: number): string => DateTime.formatIsoDateUtc(DateTime.makeUnsafe(at))

const urlOf = (operation: Operation, requestId: string) =>
  Effect.gen(function* () {
    if (operation.id % 2 === 0) return shop
    const { make } = yield* CallbackUrl.CallbackUrl
    const kind = operation.kind === "subscription" ? "card-payment" : operation.kind
    return yield* Effect.orDie(make(shop, kind, { ...orderedOf(operation), requestId }))
  })

export const make = Effect.gen(function* () {
  const apmPayments = yield* ApmPayments
  const apmPayouts = yield* ApmPayouts
  const cardPayments = yield* CardPayments
  const cardPayouts = yield* CardPayouts
  const refunds = yield* Refunds
  const subscriptions = yield* Subscriptions
  const context = yield* Effect.context<CallbackUrl.CallbackUrl>()

  const create =
    (operation: Operation, cardToken: string): Call =>
    (requestId) =>
      Effect.gen(function* () {
        const { at, id, kind, scenario } = operation
        const { accountId, amount, currency, mid } = orderedOf(operation)
        const callbackUrl = yield* urlOf(operation, requestId)
        const metadata = { [Scenario.key]: scenario, order: String(id) }
        const request = { requestId, amount, currency, callbackUrl, metadata }
        const apm = { ...request, accountId, apmPayload: { paymentMethod: "WALLET" } }
        switch (kind) {
          case "apm-payment":
            return yield* apmPayments.create(apm)
          case "apm-payout":
            return yield* apmPayouts.create(apm)
          case "card-payment":
            return yield* cardPayments.create({ ...request, mid, card: Client.card })
          case "card-payout":
            return yield* cardPayouts.create({ ...request, mid, card: Client.card })
          case "subscription": {
            const dates = { startDate: urlDate(at + day), endDate: urlDate(at + 60 * day) }
            const plan = { amount, currency, frequency: "WEEKLY" as const, interval: 2, ...dates }
            const urls = { callbackUrl, successRedirectUrl: shop, failureRedirectUrl: shop }
            return yield* subscriptions.create({
              requestId,
              mid,
              cardToken,
              plan,
              metadata,
              ...urls
            })
          }
        }
      }).pipe(Effect.provide(context))

  return {
    create,
    tokenize: (requestId: string) =>
      cardPayments.tokenize({ mid: "4711", card: Client.card, requestId }),
    refund: (operation: Operation, transactionId: string) => (requestId: string) => {
      const { amount, mid } = orderedOf(operation)
      const metadata = { order: String(operation.id) }
      const request = {
        requestId,
        transactionId,
        amount,
        mid,
        metadata,
        reason: "customer_request"
      }
      return refunds.create({ ...request, callbackUrl: shop })
    },
    pause: (id: string) => () => subscriptions.pause(id),
    cancel: (id: string) => () => subscriptions.cancel(id)
  }
})
