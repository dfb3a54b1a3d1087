import type { KnownKind } from "@pawl/core/Kind"
import type { RequestKind } from "@pawl/core/RequestSender"
import { isStatus } from "@pawl/core/Status"
import type { CreateRequest, Ordered, Registration } from "../rule/Row.ts"
import type { Operation } from "../verify/Token.ts"

const transactionKinds: Readonly<Record<RequestKind, KnownKind | undefined>> = {
  "apm-payment": "apm-payment",
  "apm-payout": "apm-payout",
  "card-payment": "card-payment",
  "card-charge": "card-payment",
  "card-payout": "card-payout",
  refund: "refund",
  subscription: "card-payment",
  "payment-intent": undefined
}

export const operationOf = (kind: RequestKind, input: object): Operation => {
  const isPayout = "type" in input && input.type === "PAYOUT"
  return transactionKinds[kind] ?? (isPayout ? "payout" : "payment")
}

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" ? value : undefined

export const fieldsOf = (body: object): CreateRequest => {
  const fields: Readonly<Record<string, unknown>> = { ...body }
  return {
    requestId: textOf(fields["requestId"]),
    accountId: textOf(fields["accountId"]),
    mid: textOf(fields["mid"]),
    amount: textOf(fields["amount"]),
    currency: textOf(fields["currency"])
  }
}

export const registrationOf = (
  kind: RequestKind,
  ordered: Ordered | undefined,
  response: object
): Registration | undefined => {
  const transactionKind = transactionKinds[kind]
  const fields: Readonly<Record<string, unknown>> = { ...response }
  const id = fields[kind === "refund" ? "refundId" : "transactionId"]
  if (transactionKind === undefined || typeof id !== "string") return undefined
  const status = fields["transactionStatus"]
  return {
    ...ordered,
    kind: transactionKind,
    transactionId: id,
    ...(isStatus(status) && { status })
  }
}
