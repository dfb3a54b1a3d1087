/**
 * The intents of the service, and what becomes of them on their pages.
 *
 * **Details**
 *
 * | state | what the customer can do |
 * |---|---|
 * | `open` | pay or cancel |
 * | `declined` | pay once more or cancel |
 * | `challenged` | approve or decline at the challenge |
 * | `underway` | wait: the transaction moves by itself |
 * | `paid`, `cancelled` | nothing more |
 *
 * Each try is a transaction of its own, and the state is what the last of them says; so no intent is
 * ever paid twice, whatever is sent. A customer who leaves changes nothing.
 *
 * How a payment begins, the customer decides: by the card, by the buttons. What follows a success, such
 * as a refund, and how callbacks travel, is in the metadata of the intent (`Scenario`); see
 * `docs/decisions/0040-an-intent-is-where-its-last-transaction-says.md`.
 */
import type { Currency } from "@pawl/core/Amount"
import type { PaymentIntentRequest } from "@pawl/core/PaymentIntent"
import type { Metadata } from "@pawl/core/Transaction"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import { GatewayConfig } from "../../GatewayConfig.ts"
import type { Scenario } from "../../Scenario.ts"
import { present, scenarioOf } from "./Asked.ts"
import { type Book, now, type Transaction } from "./Book.ts"
import * as Chance from "../Chance.ts"
import { type Intent, isOpen, type Listed, listing, stateOf } from "./Intent.ts"
import { type Pages, returnUrlsOf } from "./Pages.ts"
import { type Fault, type Form, type Means, readAmount, readMeans } from "../pages/PayForm.ts"
import type { Requests } from "./Requests.ts"
import { Shelves } from "./Shelves.ts"

/**
 * Holds intents, and does what customers do on pages. An identifier that is unknown is answered with
 * `undefined`.
 *
 * - `submit` takes a form of an intent's page, and says what is wrong with it. A form that was sent
 *   before, or comes too late, does nothing.
 * - `challenge` opens the challenge of a transaction, whoever made it: from then on nothing but `decide`
 *   moves it.
 */
export interface Checkout {
  readonly create: (request: PaymentIntentRequest) => Effect.Effect<Intent>
  readonly intents: Effect.Effect<ReadonlyArray<Listed>>
  readonly intent: (intentId: string) => Effect.Effect<Intent | undefined>
  readonly submit: (intentId: string, form: Form) => Effect.Effect<Submitted | undefined>
  readonly challenge: (transactionId: string) => Effect.Effect<Transaction | undefined>
  readonly decide: (
    transactionId: string,
    isApproved: boolean
  ) => Effect.Effect<Transaction | undefined>
  readonly reset: Effect.Effect<void>
}

/** An intent after a form, and what was wrong with that. */
export interface Submitted {
  readonly intent: Intent
  readonly faults: ReadonlyArray<Fault>
}

/** The declineCode of a customer who declines a challenge. */
export const declinedChallenge = 59

/** Makes the checkout of the intents on the shelf. */
export const make = Effect.fnUntraced(function* (
  book: Book,
  requests: Requests,
  pages: Pages
): Effect.fn.Return<Checkout, never, GatewayConfig> {
  const config = yield* GatewayConfig
  const listed = listing(pages)
  const intents = (yield* Shelves).open<Intent>("intent", listed)

  const settle = (intent: Intent, transaction: Transaction): Intent => {
    const settled = {
      ...intent,
      state: stateOf(transaction),
      declineCode: transaction.declineCode
    }
    intents.set(intent.intentId, settled)
    return settled
  }

  book.whenMoved(({ transaction }) =>
    Effect.sync(() => {
      const intent = intents.get(transaction.intentId ?? "")
      if (intent?.tries.at(-1) === transaction.transactionId) settle(intent, transaction)
    })
  )

  const begin = Effect.fnUntraced(function* (
    intent: Intent,
    amount: string,
    kind: "apm" | "card",
    scenario: Scenario,
    means?: Means
  ) {
    const { intentId, request } = intent
    const { billingDetails, callbackUrl, metadata, mid, order, requestId } = request
    const opened = yield* book.open({
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
      ...(means === undefined ? {} : meansOf(means))
    })
    if (opened.status === "CUSTOMER_VERIFICATION") yield* book.halt(opened.transactionId)
    return settle({ ...intent, tries: [...intent.tries, opened.transactionId] }, opened)
  })

  const pay = Effect.fnUntraced(function* (intent: Intent, amount: string, form: Form) {
    const { metadata, mid, type } = intent.request
    const means = yield* readMeans(form, type, mid)
    const story = means._tag === "Card" ? means.card.story : "succeed"
    const scenario = yield* begun(metadata, story)
    const kind = means._tag === "Card" ? "card" : "apm"
    return yield* begin(intent, amount, kind, scenario, means)
  })

  const cancel = Effect.fnUntraced(function* (intent: Intent) {
    const { manner } = yield* scenarioOf(intent.request.metadata)
    const scenario: Scenario = {
      statuses: ["NEW", "CANCELLED"],
      answered: 2,
      declineCode: undefined,
      manner
    }
    return yield* begin(intent, intent.amount ?? "0", "card", scenario)
  })

  const act = (intent: Intent, form: Form): Effect.Effect<Intent, ReadonlyArray<Fault>> => {
    if (!isOpen(intent.state) || form["try"] !== String(intent.tries.length)) {
      return Effect.succeed(intent)
    }
    if (form["act"] === "cancel") return cancel(intent)
    if (intent.amount !== undefined) return pay(intent, intent.amount, form)
    return Effect.map(readAmount(form), (amount) => {
      const priced = { ...intent, amount }
      intents.set(intent.intentId, priced)
      return priced
    })
  }

  const waiting = Effect.fnUntraced(function* (transactionId: string) {
    const transaction = yield* book.transaction(transactionId)
    return transaction?.status === "CUSTOMER_VERIFICATION"
  })

  const chance = (intentId: string) =>
    Chance.make(`the page of ${intentId}`).pipe(
      Effect.flatMap((random) => Effect.provideService(Random.nextBoolean, Random.Random, random)),
      Effect.provideService(GatewayConfig, config)
    )

  return {
    create: Effect.fnUntraced(function* (request) {
      const intentId = yield* book.nextId
      const intent: Intent = {
        intentId,
        state: "open",
        request,
        amount: request.amount,
        currency: request.currency ?? defaultCurrency,
        tries: [],
        isEarly: yield* chance(intentId),
        createdTime: yield* now
      }
      intents.set(intentId, intent)
      return intent
    }),
    intents: Effect.sync(() => Array.from(intents.values(), listed)),
    intent: (intentId) => Effect.sync(() => intents.get(intentId)),
    submit: (intentId, form) =>
      requests.turn(
        Effect.suspend(() => {
          const intent = intents.get(intentId)
          return intent === undefined
            ? Effect.undefined
            : act(intent, form).pipe(
                Effect.map((intent): Submitted => ({ intent, faults: [] })),
                Effect.catch((faults) => Effect.succeed({ intent, faults }))
              )
        })
      ),
    challenge: (transactionId) =>
      requests.turn(
        Effect.gen(function* () {
          if (yield* waiting(transactionId)) yield* book.halt(transactionId)
          return yield* book.transaction(transactionId)
        })
      ),
    decide: (transactionId, isApproved) =>
      requests.turn(
        Effect.gen(function* () {
          if (yield* waiting(transactionId)) {
            yield* book.halt(transactionId)
            yield* isApproved
              ? book.move(transactionId, "SUCCEED")
              : book.move(transactionId, "FAILED", declinedChallenge)
          }
          return yield* book.transaction(transactionId)
        })
      ),
    reset: Effect.sync(() => intents.clear())
  }
})

/** What the metadata asks for counts once the card has neither been declined nor challenged. */
const begun = Effect.fnUntraced(function* (metadata: Metadata | undefined, story: string) {
  const asked = yield* scenarioOf(metadata)
  if (story === "succeed" && asked.statuses.includes("PROCESSING")) return asked
  return { ...(yield* scenarioOf(undefined, story)), manner: asked.manner }
})

const meansOf = (means: Means) =>
  means._tag === "Card"
    ? { cardMask: means.card.cardMask, cardHolder: means.holder }
    : {
        apmType: means.method,
        apmPayload: {
          paymentMethod: means.method,
          ...present({ account: means.account })
        }
      }

const defaultCurrency = "EUR" as Currency
