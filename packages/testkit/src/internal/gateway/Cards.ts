/**
 * The test cards, and the tokens of cards. Only test cards are accepted, so that no real card
 * number enters a sandbox, and only their mask is stored.
 */
import { mask } from "@pawl/core/Card"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { invalid, type ErrorResponse } from "./Contract.ts"
import { StateStore } from "../state/StateStore.ts"

export interface Card {
  readonly cardMask: string
  readonly story: string
}

export const stories: Readonly<Record<string, string>> = {
  "4242424242424242": "succeed",
  "5555555555554444": "succeed",
  "4000000000000002": "decline:5",
  "4000000000003220": "challenge"
}

const numbers = Object.keys(stories).map((number) => number.replace(/(?<=.)(?=(?:.{4})+$)/gu, " "))

const isTest = Schema.makeFilter(
  (number: Redacted.Redacted) =>
    Object.hasOwn(stories, Redacted.value(number)) ||
    `Expected the number of a test card: ${numbers.join(", ")}`
)

export const TestNumber = Schema.Redacted(Schema.String).check(isTest)

export const TestNumberFromText = Schema.RedactedFromValue(Schema.String).check(isTest)

export const fromNumber = (number: Redacted.Redacted): Card => ({
  cardMask: mask(number),
  story: stories[Redacted.value(number)] ?? "succeed"
})

export interface Vault {
  readonly store: (card: Card) => Effect.Effect<Redacted.Redacted>
  readonly find: (token: Redacted.Redacted) => Effect.Effect<Card, ErrorResponse>
  readonly reset: Effect.Effect<void>
}

/** Tokens are numbered like transactions, so that a stored one never names another card. */
export const make = Effect.fnUntraced(function* (
  nextToken: Effect.Effect<string>
): Effect.fn.Return<Vault> {
  const cards = (yield* StateStore).open<Card>("card")
  return {
    store: (card) =>
      Effect.map(nextToken, (number) => {
        const token = `card-token-${number}`
        cards.set(token, card)
        return Redacted.make(token, { label: "cardToken" })
      }),
    find: (token) =>
      Effect.suspend(() => {
        const card = cards.get(Redacted.value(token))
        return card === undefined ? Effect.fail(unknown) : Effect.succeed(card)
      }),
    reset: Effect.sync(() => cards.clear())
  }
})

const unknown = invalid([{ field: "cardToken", message: "Expected a cardToken of this service" }])
