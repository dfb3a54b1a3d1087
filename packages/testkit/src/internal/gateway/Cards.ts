/**
 * The cards the service knows, and the tokens that stand for them.
 *
 * **Details**
 *
 * Only test cards are taken, so that no real one is ever typed into a sandbox, and of these no more is
 * kept than the mask. What becomes of what is paid with each, `Scenario` says.
 */
import { mask } from "@pawl/core/Card"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { invalid, type Refusal } from "./Contract.ts"
import { Shelves } from "./Shelves.ts"

/** What is kept of a card: the mask, and the story of what is paid with it. */
export interface Card {
  readonly cardMask: string
  readonly story: string
}

/** The test cards, and the story of what is paid with each. */
export const stories: Readonly<Record<string, string>> = {
  "4242424242424242": "succeed",
  "5555555555554444": "succeed",
  "4000000000000002": "decline:5",
  "4000000000003220": "challenge"
}

/** As they are printed on a card. */
const numbers = Object.keys(stories).map((number) => number.replace(/(?<=.)(?=(?:.{4})+$)/gu, " "))

const isTest = Schema.makeFilter(
  (number: Redacted.Redacted) =>
    Object.hasOwn(stories, Redacted.value(number)) ||
    `Expected the number of a test card: ${numbers.join(", ")}`
)

/** Schema for the number of a test card, redacted already. */
export const TestNumber = Schema.Redacted(Schema.String).check(isTest)

/** Schema for the number of a test card, as it travels. */
export const TestNumberFromText = Schema.RedactedFromValue(Schema.String).check(isTest)

/** Returns what is kept of a test card. */
export const fromNumber = (number: Redacted.Redacted): Card => ({
  cardMask: mask(number),
  story: stories[Redacted.value(number)] ?? "succeed"
})

/** Exchanges cards for tokens. `find` refuses a token that nobody was given. */
export interface Vault {
  readonly keep: (card: Card) => Effect.Effect<Redacted.Redacted>
  readonly find: (token: Redacted.Redacted) => Effect.Effect<Card, Refusal>
  readonly reset: Effect.Effect<void>
}

/** Makes a vault of what is on the shelf. */
export const make: Effect.Effect<Vault> = Effect.map(Shelves, ({ open }) => {
  const cards = open<Card>("card")
  return {
    keep: (card) =>
      Effect.sync(() => {
        const token = `card-token-${cards.size + 1}`
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

const unknown = invalid([{ field: "cardToken", message: "Expected a token of this service" }])
