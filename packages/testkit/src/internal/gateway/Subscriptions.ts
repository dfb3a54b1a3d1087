/**
 * Handlers of subscriptions.
 *
 * A PUT merges the plan member by member, and the merged plan must be valid.
 */
import { isTerminal } from "@pawl/core/Status"
import {
  type Subscription,
  type SubscriptionResponse,
  subscriptionStatuses
} from "@pawl/core/Subscription"
import { TransactionId } from "@pawl/core/Transaction"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { ScenarioMetadata, withoutUndefined, statusFields } from "./RequestRules.ts"
import type { Transaction } from "./Transaction.ts"
import type { Vault } from "./Cards.ts"
import type { SubscriptionBilling, SubscriptionState } from "./SubscriptionBilling.ts"
import { type Handlers, invalid, notFound, reader } from "./Contract.ts"
import type { Behaviour } from "../Behaviour.ts"
import type { PageUrls } from "./PageUrls.ts"
import { PlanSchedule, PlanScheduleUpdate } from "./Plan.ts"
import type { Writes } from "./Writes.ts"

export const make = (
  billing: SubscriptionBilling,
  writes: Writes,
  vault: Vault,
  pageUrls: PageUrls,
  {
    canceledDelete,
    canceledPut,
    putStatus
  }: Pick<Behaviour, "canceledDelete" | "canceledPut" | "putStatus">
): Pick<
  Handlers,
  "createSubscription" | "readSubscription" | "updateSubscription" | "cancelSubscription"
> => {
  const read = (subscription: SubscriptionState) =>
    Effect.map(billing.charges(subscription.id), (charges) => describe(subscription, charges))

  return {
    createSubscription: Effect.fnUntraced(function* ({ payload }) {
      const { plan } = yield* readCreate(payload)
      const create = Effect.gen(function* () {
        const card = yield* vault.find(payload.cardToken)
        const [subscription, charge] = yield* billing.create({
          request: payload,
          plan: { ...payload.plan, ...plan },
          card
        })
        return { ...response(subscription, charge), ...(charge && pageUrls.ofChallenge(charge)) }
      })
      return yield* writes.once("createSubscription", payload.requestId, create)
    }),
    readSubscription: ({ params }) => Effect.flatMap(billing.find(params.subscriptionId), read),
    updateSubscription: Effect.fnUntraced(function* ({ params, payload }) {
      const { status } = yield* readUpdate(payload)
      const update = Effect.gen(function* () {
        const subscription = yield* billing.find(params.subscriptionId)
        if (putStatus === "documented" && (status === "PENDING" || status === "TRIALING")) {
          return yield* invalid([{ field: "status", message: `A PUT does not set ${status}` }])
        }
        if (subscription.status === "CANCELED" && canceledPut === "refused") {
          return yield* invalid([
            { field: "status", message: "A CANCELED subscription cannot be changed" }
          ])
        }
        const merged = { ...subscription.plan, ...payload.plan }
        const { plan } = yield* readPlan({ plan: merged })
        const changed = { plan: { ...merged, ...plan }, status: status ?? subscription.status }
        return yield* read(yield* billing.change(subscription, changed))
      })
      return yield* writes.exclusive(update)
    }),
    cancelSubscription: ({ params }) =>
      writes.exclusive(
        Effect.flatMap(billing.find(params.subscriptionId), (subscription) =>
          canceledDelete === "refused" && subscription.status === "CANCELED"
            ? Effect.fail(notFound)
            : Effect.asVoid(billing.change(subscription, { status: "CANCELED" }))
        )
      )
  }
}

const readCreate = reader(Schema.Struct({ plan: PlanSchedule, metadata: ScenarioMetadata }))
const readPlan = reader(Schema.Struct({ plan: PlanSchedule }))
const readUpdate = reader(
  Schema.Struct({
    plan: Schema.optionalKey(PlanScheduleUpdate),
    status: Schema.optionalKey(Schema.Literals(subscriptionStatuses))
  })
)

const dateOf = (at: number | undefined): string | null =>
  at === undefined ? null : DateTime.formatIso(DateTime.makeUnsafe(at))

const response = (
  subscription: SubscriptionState,
  charge: Transaction | undefined
): SubscriptionResponse => ({
  subscriptionId: TransactionId.make(subscription.id),
  nextChargeDate: dateOf(subscription.due),
  ...(charge === undefined
    ? withoutUndefined({ metadata: subscription.request.metadata })
    : { transactionId: TransactionId.make(charge.transactionId), ...statusFields(charge) })
})

const describe = (
  subscription: SubscriptionState,
  charges: ReadonlyArray<Transaction>
): Subscription => {
  const { createdAt, due, id, plan, request, status } = subscription
  const last = charges.at(-1)
  return {
    subscriptionId: TransactionId.make(id),
    status,
    nextChargeDate: dateOf(due),
    createdAt,
    plan,
    ...withoutUndefined({ billingDetails: request.billingDetails, metadata: request.metadata }),
    failureCount: failuresIn(charges),
    lastChargeDate: last?.createdTime ?? null,
    lastChargeStatus: last?.status ?? null
  }
}

const failuresIn = (charges: ReadonlyArray<Transaction>): number => {
  const ended = charges.filter(({ isOver, status }) => isOver && isTerminal(status))
  const paid = ended.findLastIndex(({ status }) => status !== "FAILED" && status !== "CANCELLED")
  return ended.length - 1 - paid
}
