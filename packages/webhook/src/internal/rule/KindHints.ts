/**
 * Unsigned hints at the kind of a transaction, which only choose the endpoint that is asked first.
 */
import type { Body } from "@pawl/core/Callback"
import { isKnown, type Kind, type KnownKind, kindsOf, type Method } from "@pawl/core/Kind"

export interface KindHints {
  readonly namesPayout: boolean
  readonly namesRefund: boolean
}

/**
 * How long a payment may be invisible at its status endpoint, in milliseconds. Until then kinds
 * that no callback names are not asked.
 */
export const invisibleTime = 60_000

/** Matches `CARD_PAYOUT`, or a segment of a path such as `payouts`. */
const payout = /(?:^|\/)(?:(?:apm|card)[-_]?)?payouts?(?:\/|$)/i
const refund = /(?:^|\/)(?:(?:apm|card)[-_]?)?refunds?(?:\/|$)/i

/** With the `refundId` of another refund, the id is that of the payment. */
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

/** Returns the kinds that a read asks for: those that callbacks name, then payments. */
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
