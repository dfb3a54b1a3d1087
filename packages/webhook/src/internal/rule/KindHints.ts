/**
 * The kind of a transaction whose callbacks name only their method: what a callback says of it, and which status endpoints are asked.
 *
 * **Details**
 *
 * A callback of a payout has the fields of a payment's. Its body may say its type, or its `refundId`, and the merchant may give
 * payouts and refunds a path of their own in the `callbackUrl`. No checksum covers any of these, so they choose which endpoint is
 * asked first, and nothing else.
 *
 * A payment may be invisible at its status endpoint at first, and a payout or refund may have its number. So for 60 seconds the
 * endpoint of a kind that no callback names is not asked.
 */
import type { Body } from "@pawl/core/Callback"
import { isKnown, type Kind, type KnownKind, kindsOf, type Method } from "@pawl/core/Kind"

/** Type of the hints of a row's callbacks at its kind. */
export interface KindHints {
  readonly namesPayout: boolean
  readonly namesRefund: boolean
}

/** A payment may be invisible at its status endpoint for this time after its first callback, in milliseconds. */
export const invisibleTime = 60_000

/** Matches a type such as `CARD_PAYOUT`, or a segment of a path such as `payouts`. */
const payout = /(?:^|\/)(?:(?:apm|card)[-_]?)?payouts?(?:\/|$)/i
const refund = /(?:^|\/)(?:(?:apm|card)[-_]?)?refunds?(?:\/|$)/i

/**
 * Returns what a callback says of its kind. With the `refundId` of another refund it says nothing of a refund, because its id is then
 * that of the payment.
 */
export const ofCallback = ({
  body: { refundId, transactionType, type },
  method,
  path,
  transactionId
}: {
  readonly body: Body
  readonly method: Method
  readonly path: string | undefined
  readonly transactionId: string
}): KindHints => {
  const words = [type, transactionType, path].filter((each) => typeof each === "string").join("/")
  const isOwn = refundId === transactionId || refundId === Number(transactionId)
  return {
    namesPayout: payout.test(words),
    namesRefund: method === "card" && (isOwn || ((refundId ?? null) === null && refund.test(words)))
  }
}

/**
 * Returns the kinds that a read asks for, until the service knows the id: the kinds that callbacks name, then payments. `age` is the
 * time since the first callback in milliseconds. After 60 seconds the last one is the method: the endpoints of all its kinds.
 */
export const asked = (
  { kind, ...hints }: KindHints & { readonly kind: Kind },
  age: number
): readonly [Kind, ...ReadonlyArray<Kind>] => {
  if (isKnown(kind)) return [kind]
  const [payment, ...others] = kindsOf[kind]
  const last = age < invisibleTime ? payment : kind
  const [first, ...named] = others.filter((each) => isNamed(each, hints))
  return first === undefined ? [last] : [first, ...named, last]
}

const isNamed = (kind: KnownKind, { namesPayout, namesRefund }: KindHints): boolean =>
  kind === "refund" ? namesRefund : namesPayout
