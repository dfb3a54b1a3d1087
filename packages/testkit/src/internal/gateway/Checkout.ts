/**
 * Payment intents, and the actions of customers on their pages.
 *
 * | state | actions of the customer |
 * |---|---|
 * | `open` | pay or cancel |
 * | `declined` | pay again or cancel |
 * | `challenged` | approve or decline the challenge |
 * | `underway` | none: the transaction moves by itself |
 * | `paid`, `cancelled`, `expired` | none |
 *
 * Each attempt is a transaction, and the last one sets the state of the intent. The customer
 * decides how a payment begins, the metadata of the intent the rest (`Scenario`); see
 * `docs/decisions/0029-sandbox-answers.md`.
 */
import type { Currency } from "@pawl/core/Amount"
import type { PaymentIntentRequest } from "@pawl/core/internal/RequestBodies"
import type { Metadata } from "@pawl/core/Transaction"
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import { GatewayConfig } from "../GatewayConfig.ts"
import type { Scenario } from "../../Scenario.ts"
import { scenarioOf } from "./RequestRules.ts"
import type { Transaction } from "./Transaction.ts"
import type { Transactions } from "./Transactions.ts"
import * as SeededRandom from "../SeededRandom.ts"
import { type Intent, isOpen, stateOf } from "./Intent.ts"
import {
  type ApmTransaction,
  type Decision,
  hasPage,
  isUndecided,
  methodKind,
  pacesToPay,
  responseData
} from "./MethodPage.ts"
import { returnUrlsOf } from "./PageUrls.ts"
import {
  type FormError,
  type Form,
  type PaymentMeans,
  readAmount,
  readPaymentMeans
} from "./PayForm.ts"
import type { Writes } from "./Writes.ts"
import { StateStore } from "../state/StateStore.ts"

/**
 * The intents, and the actions of customers on their pages. A test uses it as the customer, without
 * a browser. An unknown identifier gives `undefined`.
 */
export interface Checkout {
  /** Creates an intent. */
  readonly create: (request: PaymentIntentRequest) => Effect.Effect<Intent>
  /** All intents. */
  readonly intents: Effect.Effect<ReadonlyArray<Intent>>
  /** Returns one intent. */
  readonly intent: (intentId: string) => Effect.Effect<Intent | undefined>
  /**
   * Takes a form of an intent's page. A form that was submitted before, or is too late, changes
   * nothing.
   */
  readonly submit: (intentId: string, form: Form) => Effect.Effect<Submitted | undefined>
  /** Returns an APM transaction that has a page of its method. */
  readonly method: (transactionId: string) => Effect.Effect<ApmTransaction | undefined>
  /**
   * Presses a button on the page of a payment method. Changes nothing once the customer has decided
   * or the transaction has ended.
   */
  readonly confirm: (transactionId: string, decision: Decision) => Effect.Effect<void>
  /** Opens the challenge of any transaction: from then on only `decide` moves it. */
  readonly challenge: (transactionId: string) => Effect.Effect<Transaction | undefined>
  /** Approves or declines a challenge. */
  readonly decide: (
    transactionId: string,
    isApproved: boolean
  ) => Effect.Effect<Transaction | undefined>
  /** Removes all intents. */
  readonly reset: Effect.Effect<void>
}

export interface Submitted {
  /** The intent after the form. */
  readonly intent: Intent
  /** The errors of the form, one for each wrong field. */
  readonly errors: ReadonlyArray<FormError>
}

/** The declineCode of a payment that the customer declined. */
const declinedByCustomer = 59

export const make = Effect.fnUntraced(function* (
  transactions: Transactions,
  writes: Writes
): Effect.fn.Return<Checkout, never, GatewayConfig> {
  const config = yield* GatewayConfig
  const intents = (yield* StateStore).open<Intent>("intent")

  const update = (intent: Intent, transaction: Transaction): Intent => {
    const updated = {
      ...intent,
      state: stateOf(transaction),
      declineCode: transaction.declineCode
    }
    intents.set(intent.intentId, updated)
    return updated
  }

  transactions.onMove(({ transaction }) =>
    Effect.sync(() => {
      const intent = intents.get(transaction.intentId ?? "")
      if (intent?.attempts.at(-1) === transaction.transactionId) update(intent, transaction)
    })
  )

  const begin = Effect.fnUntraced(function* (
    intent: Intent,
    amount: string,
    kind: "apm" | "card",
    scenario: Scenario,
    means?: PaymentMeans
  ) {
    const { intentId, request } = intent
    const { billingDetails, callbackUrl, metadata, mid, order, requestId } = request
    const opened = yield* transactions.open({
      kind: `${kind}-${request.type === "PAYOUT" ? "payout" : "payment"}`,
      requestId,
      amount,
      currency: intent.currency,
      metadata,
      callbackUrl,
      order,
      intentId,
      returnUrls: returnUrlsOf(request),
      scenario,
      ...(kind === "card" ? { mid } : { accountId: mid, billingDetails }),
      ...(means === undefined ? {} : fieldsOf(means))
    })
    if (opened.status === "CUSTOMER_VERIFICATION") yield* transactions.halt(opened.transactionId)
    return update({ ...intent, attempts: [...intent.attempts, opened.transactionId] }, opened)
  })

  const pay = Effect.fnUntraced(function* (intent: Intent, amount: string, form: Form) {
    const { metadata, type } = intent.request
    const means = yield* readPaymentMeans(form, type)
    const story = means._tag === "Card" ? means.card.story : "succeed"
    const scenario = yield* chosenScenario(metadata, story)
    const kind = means._tag === "Card" ? "card" : "apm"
    return yield* begin(intent, amount, kind, scenario, means)
  })

  const cancel = Effect.fnUntraced(function* (intent: Intent) {
    const { suffixes } = yield* scenarioOf(intent.request.metadata)
    const scenario: Scenario = {
      statuses: ["NEW", "CANCELLED"],
      atCreate: 2,
      declineCode: undefined,
      suffixes
    }
    return yield* begin(intent, intent.amount ?? "0", "card", scenario)
  })

  const act = (intent: Intent, form: Form): Effect.Effect<Intent, ReadonlyArray<FormError>> => {
    if (!isOpen(intent.state) || form["attempts"] !== String(intent.attempts.length)) {
      return Effect.succeed(intent)
    }
    if (form["act"] === "cancel") return cancel(intent)
    if (intent.amount !== undefined) return pay(intent, intent.amount, form)
    return Effect.map(readAmount(form, intent.currency), (amount) => {
      const priced = { ...intent, amount }
      intents.set(intent.intentId, priced)
      return priced
    })
  }

  const isWaiting = Effect.fnUntraced(function* (transactionId: string) {
    const transaction = yield* transactions.get(transactionId)
    return transaction?.status === "CUSTOMER_VERIFICATION"
  })

  const current = (intent: Intent) =>
    Effect.map(Clock.currentTimeMillis, (now): Intent => {
      if (!isOpen(intent.state) || !(now >= Date.parse(intent.expiresTime))) return intent
      const expired = { ...intent, state: "expired" as const }
      intents.set(intent.intentId, expired)
      return expired
    })

  const find = (intentId: string) =>
    Effect.suspend(() => {
      const intent = intents.get(intentId)
      return intent === undefined ? Effect.undefined : current(intent)
    })

  const responseDataOf = responseData(config.pageUrl)
  const method: Checkout["method"] = (id) =>
    Effect.map(transactions.get(id), (transaction) =>
      transaction && hasPage(transaction)
        ? { transaction, apmResponseData: responseDataOf(transaction) }
        : undefined
    )

  const isEarly = (intentId: string) =>
    SeededRandom.make(`the page of ${intentId}`).pipe(
      Effect.flatMap((random) => Effect.provideService(Random.nextBoolean, Random.Random, random)),
      Effect.provideService(GatewayConfig, config)
    )

  return {
    create: Effect.fnUntraced(function* (request) {
      const intentId = yield* transactions.nextIntentId
      const created = yield* DateTime.now
      const intent: Intent = {
        intentId,
        state: "open",
        request,
        amount: request.amount,
        currency: request.currency ?? defaultCurrency,
        attempts: [],
        isEarly: yield* isEarly(intentId),
        createdTime: DateTime.formatIso(created),
        expiresTime: DateTime.formatIso(DateTime.addDuration(created, config.intentLifetime))
      }
      intents.set(intentId, intent)
      return intent
    }),
    intents: Effect.suspend(() => Effect.forEach([...intents.values()], current)),
    intent: find,
    submit: (intentId, form) =>
      writes.exclusive(
        Effect.flatMap(find(intentId), (intent) =>
          intent === undefined
            ? Effect.undefined
            : act(intent, form).pipe(
                Effect.map((intent): Submitted => ({ intent, errors: [] })),
                Effect.catch((errors) => Effect.succeed({ intent, errors }))
              )
        )
      ),
    method,
    confirm: (transactionId, decision) =>
      writes.exclusive(
        Effect.gen(function* () {
          const { transaction } = (yield* method(transactionId)) ?? {}
          if (transaction === undefined || !isUndecided(transaction)) return
          if (decision === "approve") {
            const paces = pacesToPay[methodKind(transaction)]
            return yield* transactions.approve(transactionId, paces)
          }
          yield* transactions.halt(transactionId)
          yield* decision === "cancel"
            ? transactions.move(transactionId, "CANCELLED")
            : transactions.move(transactionId, "FAILED", declinedByCustomer)
        })
      ),
    challenge: (transactionId) =>
      writes.exclusive(
        Effect.gen(function* () {
          if (yield* isWaiting(transactionId)) yield* transactions.halt(transactionId)
          return yield* transactions.get(transactionId)
        })
      ),
    decide: (transactionId, isApproved) =>
      writes.exclusive(
        Effect.gen(function* () {
          if (yield* isWaiting(transactionId)) {
            yield* transactions.halt(transactionId)
            yield* isApproved
              ? transactions.move(transactionId, "SUCCEED")
              : transactions.move(transactionId, "FAILED", declinedByCustomer)
          }
          return yield* transactions.get(transactionId)
        })
      ),
    reset: Effect.sync(() => intents.clear())
  }
})

/** Chooses the scenario of a payment whose card is neither declined nor challenged. */
const chosenScenario = Effect.fnUntraced(function* (metadata: Metadata | undefined, story: string) {
  const scenario = yield* scenarioOf(metadata)
  if (story === "succeed" && scenario.statuses.includes("PROCESSING")) return scenario
  return { ...(yield* scenarioOf(undefined, story)), suffixes: scenario.suffixes }
})

const fieldsOf = (means: PaymentMeans) =>
  means._tag === "Card"
    ? { cardMask: means.card.cardMask, cardHolder: means.holder }
    : {
        apmType: means.method,
        apmPayload: {
          paymentMethod: means.method,
          ...(means.account !== undefined && { unknownFields: { account: means.account } })
        }
      }

const defaultCurrency = "EUR" as Currency
