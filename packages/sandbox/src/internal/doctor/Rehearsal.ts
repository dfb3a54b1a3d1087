/**
 * Pays, pays out and refunds at a gateway that behaves like a service, with the real client and
 * receiver, in memory and in virtual time.
 */
import * as Profile from "@pawl/core/Profile"
import type { RequestInput, RequestKind } from "@pawl/core/RequestSender"
import * as Courier from "@pawl/testkit/Courier"
import type { Behaviour } from "@pawl/testkit/internal/Behaviour"
import * as Merchant from "@pawl/testkit/Merchant"
import * as VirtualClock from "@pawl/testkit/VirtualClock"
import { Requests } from "@pawl/webhook/Requests"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as References from "effect/References"
import * as Result from "effect/Result"
import type { Check } from "../../Doctor.ts"

const money = { amount: "1.10", currency: "EUR" }
const apm = { accountId: "4711", ...money, apmPayload: { paymentMethod: "WALLET" } }
const number = "4242424242424242"
const card = { number, expMonth: "12", expYear: "2035", cvv: "123", cardHolderName: "Ada Lovelace" }

/**
 * The time of each part. Every time limit of a call is shorter, and a callback that is repeated,
 * after 2 minutes, is not right.
 */
const time = Duration.seconds(110)

export const run = (
  behaviour: Behaviour,
  switches: Profile.Options
): Effect.Effect<ReadonlyArray<Check>> => {
  const told = new Map<string, string>()
  const merchant = Merchant.layer({
    seed: 1,
    // The gateway has the switches of the service, not those of the profile.
    behaviour: { ...behaviour, switches: { ...Profile.defaults, ...behaviour.switches } },
    handle: ({ requestId, to }) => Effect.sync(() => told.set(requestId ?? "", to))
  }).pipe(Layer.provide(Profile.layer(switches)))
  return Effect.gen(function* () {
    const { advance } = yield* VirtualClock.VirtualClock
    const { send } = yield* Requests
    const { deliveries } = yield* Courier.Courier

    /** Returns the id, or why the transaction did not end right. */
    const make = Effect.fnUntraced(function* <K extends RequestKind>(
      kind: K,
      input: RequestInput<K>
    ): Effect.fn.Return<Result.Result<string, string>> {
      const sending = yield* Effect.forkChild(
        Effect.result(send(kind, { ...input, requestId: `rehearsal-${kind}` }))
      )
      yield* advance(time)
      const sent = yield* Fiber.join(sending)
      if (Result.isFailure(sent)) return Result.fail(sent.failure.message)
      const response = sent.success
      const id =
        "refundId" in response
          ? response.refundId
          : "transactionId" in response
            ? (response.transactionId ?? "")
            : ""
      const refused = (yield* deliveries).find(
        ({ answer, transactionId }) => transactionId === id && answer !== 200
      )
      if (refused !== undefined) return Result.fail(`its callback was answered ${refused.answer}`)
      const to = told.get(`rehearsal-${kind}`)
      return to === "SUCCEED"
        ? Result.succeed(id)
        : Result.fail(`its handler received ${to ?? "nothing"}`)
    })
    const check = (subject: string, made: Result.Result<string, string>): Check => ({
      subject,
      problem: Result.isFailure(made) ? made.failure : undefined
    })

    const payment = yield* make("card-payment", { mid: "4711", ...money, card })
    return [
      check("APM payment", yield* make("apm-payment", apm)),
      check("APM payout", yield* make("apm-payout", apm)),
      check("card payment", payment),
      check("card payout", yield* make("card-payout", { mid: "4711", ...money, card })),
      check(
        "refund",
        Result.isFailure(payment)
          ? Result.fail("there is no payment to refund")
          : yield* make("refund", {
              mid: "4711",
              amount: money.amount,
              reason: "customer_request",
              transactionId: payment.success
            })
      )
    ]
  }).pipe(
    Effect.provide(Layer.provideMerge(merchant, VirtualClock.layer())),
    Effect.provideService(References.MinimumLogLevel, "None"),
    Effect.orDie
  )
}
