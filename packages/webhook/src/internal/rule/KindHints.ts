/**
 * Unsigned hints at the kind of a transaction whose callbacks name only their method: the body's
 * type, its `refundId` and the path of the URL. They only choose the endpoint that is asked first.
 */
import type { Body } from "@pawl/core/Callback"
import { isKnown, type Kind, type KnownKind, kindsOf, type Method } from "@pawl/core/Kind"

export interface KindHints {
  readonly namesPayout: boolean
  readonly namesRefund: boolean
}

/**
 * How long a payment may be invisible at its status endpoint, in milliseconds. Until then kinds
 * that no callback names are not asked: a payout or refund may have the payment's number.
 */
export const invisibleTime = 60_000

/** Matches a type such as `CARD_PAYOUT`, or a segment of a path such as `payouts`. */
const payout = /(?:^|\/)(?:(?:apm|card)[-_]?)?payouts?(?:\/|$)/i
const refund = /(?:^|\/)(?:(?:apm|card)[-_]?)?refunds?(?:\/|$)/i

/**
 * Returns the hints of a callback; with the `refundId` of another refund, its id is that of the
 * payment.
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
 * Returns the kinds that a read asks for: those that callbacks name, then payments. `age` is the
 * milliseconds since the first callback.
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
