import type { CreateError } from "@pawl/core/PaymentsError"
import * as Hmac from "@pawl/core/Hmac"
import { TransactionId } from "@pawl/core/Transaction"
import { ApmPayments } from "@pawl/http/ApmPayments"
import * as PawlConfig from "@pawl/http/PawlConfig"
import * as PawlPortable from "@pawl/http/PawlPortable"
import { Refunds } from "@pawl/http/Refunds"
import * as StatusPoller from "@pawl/http/StatusPoller"
import { Subscriptions } from "@pawl/http/Subscriptions"
import * as Transport from "@pawl/http/Transport"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import { clockOf } from "../IdleClock.ts"
import type { Client, Outcome, Service } from "./Model.ts"

export const make = (service: Service): Client => {
  const { baseUrl, fetch, merchantKey, merchantSecret, now, sleep } = service
  const clock = clockOf(now, (duration) =>
    Effect.promise((signal) => sleep(Duration.toMillis(duration), signal))
  )
  const client = PawlPortable.layer.pipe(
    Layer.provide([
      Transport.layerFetch((input, init) =>
        fetch(input instanceof Request ? input.url : input.toString(), init)
      ),
      PawlConfig.layer({ baseUrl, merchantKey, merchantSecret: Redacted.make(merchantSecret) }),
      Hmac.layer
    ]),
    Layer.provideMerge(
      Layer.mergeAll(
        Layer.succeed(Clock.Clock, clock),
        Layer.succeed(References.MinimumLogLevel, "None")
      )
    )
  )
  const { runPromise } = ManagedRuntime.make(client)
  return {
    create: (order) =>
      ApmPayments.use(({ create }) => create(order)).pipe(
        Effect.match({
          onSuccess: ({ transactionId }): Outcome => ({ outcome: "accepted", transactionId }),
          onFailure: toOutcome
        }),
        runPromise
      ),
    status: (id) => runPromise(ApmPayments.use(({ status }) => status(id))),
    follow: (id) =>
      runPromise(
        Effect.map(
          StatusPoller.follow({ kind: "apm-payment", id: TransactionId.make(id) }),
          ({ status }) => status
        )
      ),
    refund: (refund) => runPromise(Refunds.use(({ create }) => create(refund))),
    change: (id) => runPromise(Subscriptions.use(({ pause }) => pause(id))),
    cancel: (id) => runPromise(Subscriptions.use(({ cancel }) => cancel(id)))
  }
}

const toOutcome = (error: CreateError): Outcome =>
  error._tag === "Declined"
    ? { outcome: "declined", transactionId: String(error.transactionId) }
    : { outcome: error._tag === "OutcomeUnknown" ? "unknown" : "refused" }
