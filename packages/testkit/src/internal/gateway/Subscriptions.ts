/**
 * How the service answers about subscriptions.
 *
 * **Details**
 *
 * `lastChargeStatus` is the status of the last charge's transaction. `failureCount` counts the latest
 * charges that failed in a row. A PUT takes any of the five statuses from any but CANCELED, where it is
 * refused whatever it says; a plan is merged member by member, and has to be one afterwards.
 */
import { isTerminal } from "@pawl/core/Status"
import type { Subscription, SubscriptionResponse } from "@pawl/core/Subscription"
import { remove, subscriptionStatuses } from "@pawl/core/SubscriptionStatus"
import { TransactionId } from "@pawl/core/Transaction"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { AskedMetadata, Mid, present, told } from "./Asked.ts"
import type { Transaction } from "./Book.ts"
import type { Vault } from "./Cards.ts"
import type { Charging, Held } from "./Charging.ts"
import { type Handlers, invalid, reader } from "./Contract.ts"
import type { Pages } from "./Pages.ts"
import { Calendar, CalendarUpdate } from "./Plan.ts"
import type { Requests } from "./Requests.ts"

/** Makes the handlers of the endpoints of subscriptions. */
export const make = (
  charging: Charging,
  requests: Requests,
  vault: Vault,
  pages: Pages
): Pick<
  Handlers,
  "createSubscription" | "readSubscription" | "updateSubscription" | "cancelSubscription"
> => {
  const read = (held: Held) =>
    Effect.map(charging.charges(held.id), (charges) => describe(held, charges))

  return {
    createSubscription: Effect.fnUntraced(function* ({ payload }) {
      const { plan } = yield* readCreate(payload)
      const create = Effect.gen(function* () {
        const card = yield* vault.find(payload.cardToken)
        const [held, charge] = yield* charging.begin({
          request: payload,
          plan: { ...payload.plan, ...plan },
          card
        })
        return { ...response(held, charge), ...(charge && pages.ofChallenge(charge)) }
      })
      return yield* requests.once("createSubscription", payload.requestId, create)
    }),
    readSubscription: ({ params }) => Effect.flatMap(charging.find(params.subscriptionId), read),
    updateSubscription: Effect.fnUntraced(function* ({ params, payload }) {
      const { status } = yield* readUpdate(payload)
      const update = Effect.gen(function* () {
        const held = yield* charging.find(params.subscriptionId)
        if (held.status === "CANCELED") {
          return yield* invalid([{ field: "status", message: "A CANCELED subscription stays so" }])
        }
        const merged = { ...held.plan, ...payload.plan }
        const { plan } = yield* readPlan({ plan: merged })
        const changed = { plan: { ...merged, ...plan }, status: status ?? held.status }
        return yield* read(yield* charging.change(held, changed))
      })
      return yield* requests.turn(update)
    }),
    cancelSubscription: ({ params }) =>
      requests.turn(
        Effect.flatMap(charging.find(params.subscriptionId), (held) =>
          Effect.asVoid(charging.change(held, { status: remove(held.status) }))
        )
      )
  }
}

const readCreate = reader(Schema.Struct({ mid: Mid, plan: Calendar, metadata: AskedMetadata }))
const readPlan = reader(Schema.Struct({ plan: Calendar }))
const readUpdate = reader(
  Schema.Struct({
    plan: Schema.optionalKey(CalendarUpdate),
    status: Schema.optionalKey(Schema.Literals(subscriptionStatuses))
  })
)

const dateOf = (at: number | undefined): string | null =>
  at === undefined ? null : DateTime.formatIso(DateTime.makeUnsafe(at))

const response = (held: Held, charge: Transaction | undefined): SubscriptionResponse => ({
  subscriptionId: TransactionId.make(held.id),
  nextChargeDate: dateOf(held.due),
  ...(charge === undefined
    ? present({ metadata: held.request.metadata })
    : { transactionId: TransactionId.make(charge.transactionId), ...told(charge) })
})

const describe = (held: Held, charges: ReadonlyArray<Transaction>): Subscription => {
  const { createdAt, due, id, plan, request, status } = held
  const last = charges.at(-1)
  return {
    subscriptionId: TransactionId.make(id),
    status,
    nextChargeDate: dateOf(due),
    createdAt,
    plan,
    ...present({ billingDetails: request.billingDetails, metadata: request.metadata }),
    failureCount: failuresIn(charges),
    lastChargeDate: last?.createdTime ?? null,
    lastChargeStatus: last?.status ?? null
  }
}

/** A charge under way is neither a failure nor the end of a row of them. */
const failuresIn = (charges: ReadonlyArray<Transaction>): number => {
  const ended = charges.filter(({ isOver, status }) => isOver && isTerminal(status))
  const paid = ended.findLastIndex(({ status }) => status !== "FAILED" && status !== "CANCELLED")
  return ended.length - 1 - paid
}
