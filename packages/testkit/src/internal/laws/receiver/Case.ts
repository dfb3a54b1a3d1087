import type { Status } from "@pawl/core/Status"
import type { Method } from "@pawl/core/Kind"
import type * as fc from "fast-check"
import type * as Faults from "../../../Faults.ts"
import type { Delivery } from "../../generators/Deliveries.ts"
import * as CallbackRequests from "../../generators/CallbackRequests.ts"
import * as CallbackRequest from "./CallbackRequest.ts"

export type CaseKind = "card-payment" | "apm-payment" | "refund"

/**
 * One step of a case. `index` is the transaction, by its position in `kinds`.
 *
 * - `ChangeStatus`: the service gives the transaction a status.
 * - `FailRead`: the next read of the transaction fails.
 * - `Deliver`: a callback arrives. With `names` its refundId is the id of another transaction.
 * - `Send`: a request arrives that belongs to no transaction of the service.
 */
export type CaseStep =
  | { readonly _tag: "ChangeStatus"; readonly index: number; readonly status: Status }
  | { readonly _tag: "FailRead"; readonly index: number; readonly fault: Faults.Kind }
  | {
      readonly _tag: "Deliver"
      readonly index: number
      readonly delivery: Delivery
      readonly names?: number
    }
  | { readonly _tag: "Send"; readonly request: CallbackRequest.CallbackRequest }

/**
 * Steps in order; with a `scheduler`, callbacks arrive after all other steps, concurrently and in
 * the scheduler's order. The refunds among `kinds` belong to one payment.
 */
export interface ReceiverCase {
  readonly kinds: ReadonlyArray<CaseKind>
  readonly steps: ReadonlyArray<CaseStep>
  readonly scheduler?: fc.Scheduler | undefined
}

export const genuine = (status: Status): Delivery => ({
  at: 0,
  status,
  amount: "text",
  forged: undefined
})

export const changeTo = (status: Status, index = 0): CaseStep => ({
  _tag: "ChangeStatus",
  index,
  status
})

export const deliver = (status: Status, index = 0): CaseStep => ({
  _tag: "Deliver",
  index,
  delivery: genuine(status)
})

export const methodOf: Readonly<Record<CaseKind, Method>> = {
  "card-payment": "card",
  "apm-payment": "apm",
  refund: "card"
}

export const amountOf: Readonly<Record<CaseKind, string>> = {
  "card-payment": "10.00",
  "apm-payment": "10.00",
  refund: "4.00"
}

/**
 * Makes the request of a delivery of a transaction; `idOf` returns the id of each transaction of
 * the case.
 */
export const requestOf = (
  kind: CaseKind,
  idOf: (index: number) => string,
  { delivery, index, names = index }: Extract<CaseStep, { readonly _tag: "Deliver" }>
): CallbackRequest.CallbackRequest => {
  const transactionId = idOf(index)
  const method = methodOf[kind]
  const account = CallbackRequest.accountOf[method]
  return CallbackRequest.fromContent(
    noteOf(delivery),
    CallbackRequests.fromDelivery(
      {
        method,
        signed: { account, amount: amountOf[kind], currency: "EUR", transactionId },
        unsigned: kind === "refund" ? { refundId: idOf(names) } : {}
      },
      delivery
    )
  )
}

const noteOf = ({ forged, status }: Delivery): string =>
  forged === undefined ? `${status} arrives` : `${status} arrives, forged (${forged})`

const nameOf = ({ names }: Extract<CaseStep, { readonly _tag: "Deliver" }>): string =>
  names === undefined ? "" : `, with the refundId of transaction ${names + 1}`

export const describe = (step: CaseStep, { kinds }: ReceiverCase): string => {
  if (step._tag === "Send") return `${step.request.note} arrives`
  const name = `${kinds[step.index]}${kinds.length > 1 ? ` ${step.index + 1}` : ""}`
  switch (step._tag) {
    case "ChangeStatus":
      return `${name}: the service changes to ${step.status}`
    case "FailRead":
      return `${name}: the next read fails (${step.fault})`
    case "Deliver":
      return `${name}: ${noteOf(step.delivery)}${nameOf(step)}`
  }
}

export const show = (value: ReceiverCase): string =>
  [
    ...(value.scheduler === undefined ? [] : ["concurrently:"]),
    ...value.steps.map((step, at) => `${at + 1}. ${describe(step, value)}`)
  ].join("\n")
