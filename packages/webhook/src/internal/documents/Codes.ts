/**
 * The characters that stand for words in documents. Stores have them, so a line never changes; new words get new characters.
 */
import type { Kind, Method } from "@pawl/core/Kind"
import type { RequestKind } from "@pawl/core/RequestSender"
import type { Status } from "@pawl/core/Status"
import type { Lane, DeadLetter } from "../rule/Row.ts"
import type { Outcome, ParkReason } from "../rule/RequestRow.ts"
import { codes } from "./Fields.ts"

export const statuses = codes<Status>({
  NEW: "0",
  PENDING: "1",
  PROCESSING: "2",
  CUSTOMER_VERIFICATION: "3",
  SUCCEED: "4",
  FAILED: "5",
  CANCELLED: "6",
  REFUNDED: "7",
  CHARGEBACK: "8"
})

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
