/**
 * Finds card data (PAN and CVV) in the body of a request.
 *
 * **Details**
 *
 * Besides the card of a payout (`spec.md`, "PayoutCardDetails") it is found by the usual names of
 * its fields, at any depth, and by texts that can be a card number. A card token is no card data.
 */
import * as Redacted from "effect/Redacted"
import { hasCheckDigit } from "../Card.ts"
import type { RequestKind } from "../RequestSender.ts"

/** Tells whether a decoded body has, or may have, card data. */
export const isIn = (kind: RequestKind, body: unknown): boolean =>
  kind === "card-payout" ||
  hasCardField(body) ||
  ((kind === "card-payment" || kind === "card-charge") &&
    isObject(body) &&
    Object.entries(body).some(([name, value]) => !documented.has(name) && hasCardNumber(value)))

const securityCode =
  /^(?:card)?(?:(?:cvv|cvc|cvn|csc)2?(?:code)?|(?:security|verification)(?:code|value|number))$/u

const card =
  /^(?:(?:payment|credit|debit|bank)?card(?:number|no|num|pan|data|details)?|pan|primaryaccountnumber|track[12]?(?:data)?)$/u

const without =
  (...names: ReadonlyArray<RegExp>) =>
  (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(without(...names))
    if (!isObject(value)) return value
    return Object.fromEntries(
      Object.entries(value)
        .filter(([name]) => !names.some((each) => each.test(plainName(name))))
        .map(([name, member]) => [name, without(...names)(member)])
    )
  }

export const withoutSecurityCode = /* @__PURE__ */ without(securityCode)

/** Returns a decoded JSON value without the fields of a card. */
export const withoutCard = /* @__PURE__ */ without(card, securityCode)

/** The documented fields, none of which has card data (`spec.md`, "Conventions"). */
const documented = new Set([
  "requestId",
  "metadata",
  "mid",
  "amount",
  "currency",
  "cardToken",
  "callbackUrl"
])

const hasCardField = (value: unknown): boolean =>
  isObject(value) &&
  Object.entries(value).some(([name, member]) => {
    const plain = plainName(name)
    return (
      ((card.test(plain) || securityCode.test(plain)) && member !== null) || hasCardField(member)
    )
  })

/** Whether a value has 12 to 19 digits with the check digit of a card number. */
const hasCardNumber = (value: unknown): boolean => {
  if (isObject(value)) return Object.values(value).some(hasCardNumber)
  if (typeof value !== "string" && typeof value !== "number") return false
  const digits = String(value).replace(/[\s-]/gu, "")
  return /^[0-9]{12,19}$/u.test(digits) && hasCheckDigit(Redacted.make(digits))
}

/** Returns one name for `card_number`, `cardNumber` and `CARD-NUMBER`. */
const plainName = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/gu, "")

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null
