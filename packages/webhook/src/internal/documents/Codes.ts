/** The characters for words in documents, which never change. */
import type { Kind, Method } from "@pawl/core/Kind"
import type { RequestKind } from "@pawl/core/RequestSender"
import { type Status, statuses as all, table } from "@pawl/core/Status"
import type { Lane, DeadLetter } from "../rule/Row.ts"
import type { Outcome, ParkReason } from "../rule/RequestRow.ts"
import { codes } from "./Fields.ts"

/**
 * The code of a status is the number of its bit of evidence, from 0 (NEW) to 8 (CHARGEBACK), in
 * base 36.
 */
export const statuses = codes<Status>(
  Object.fromEntries(all.map((status) => [status, table[status].claimed.toString(36)])) as Record<
    Status,
    string
  >
)

export const kinds = codes<Kind>({
  apm: "a",
  card: "c",
  "apm-payment": "p",
  "apm-payout": "o",
  "card-payment": "q",
  "card-payout": "u",
  refund: "r"
})

export const methods = codes<Method>({ apm: "a", card: "c" })

export const lanes = codes<Lane>({ tell: "t", ask: "a", retry: "y", repeat: "r", watch: "w" })

export const deadLetters = codes<DeadLetter["reason"]>({
  "handler-failed": "h",
  "unknown-transaction": "u",
  "amount-mismatch": "d",
  unreadable: "x"
})

export const requestKinds = codes<RequestKind>({
  "apm-payment": "p",
  "apm-payout": "o",
  "card-payment": "q",
  "card-charge": "h",
  "card-payout": "u",
  refund: "r",
  subscription: "s",
  "payment-intent": "i"
})

export const outcomes = codes<Outcome["_tag"]>({
  Answered: "a",
  Refused: "r",
  Found: "f",
  NotSent: "n"
})

export const notSent = codes<Extract<Outcome, { readonly _tag: "NotSent" }>["reason"]>({
  cancelled: "c",
  expired: "e",
  "no-effect": "n"
})

export const parkReasons = codes<ParkReason>({
  refused: "r",
  window: "w",
  "card-data": "c",
  "rebuilt-differently": "b",
  "no-key": "k",
  unreadable: "x"
})
