/**
 * What happens around a receiver in one case: the service moves, callbacks come, a read fails.
 *
 * @since 0.1.0
 */
import type { Status } from "@pawl/core/Status"
import type { Method } from "@pawl/core/Kind"
import type * as fc from "fast-check"
import type { Kind as Fault } from "../../../Faults.ts"
import type { Delivery } from "../../../Generators/Deliveries.ts"
import * as CallbackRequests from "../../../Generators/CallbackRequests.ts"
import * as Letter from "./Letter.ts"

/**
 * The kinds of transactions that cases are about.
 *
 * @category models
 * @since 0.1.0
 */
export type Kind = "card-payment" | "apm-payment" | "refund"

/**
 * One thing that happens. `which` is the transaction it happens to, by its place in `kinds`.
 *
 * - `Moves`: the service gives it a status, which reads answer from then on.
 * - `Fails`: the next read of it fails.
 * - `Comes`: a callback of it arrives.
 * - `Sends`: something else arrives, of no transaction the service knows.
 *
 * @category models
 * @since 0.1.0
 */
export type Step =
  | { readonly _tag: "Moves"; readonly which: number; readonly status: Status }
  | { readonly _tag: "Fails"; readonly which: number; readonly fault: Fault }
  | { readonly _tag: "Comes"; readonly which: number; readonly delivery: Delivery }
  | { readonly _tag: "Sends"; readonly letter: Letter.Letter }

/**
 * What happens, one after the other; where there is a `scheduler`, callbacks come when all else happened, in
 * an order of its choice, and none waits for the answer of another. The refunds among `kinds` are of one
 * payment.
 *
 * @category models
 * @since 0.1.0
 */
export interface Case {
  readonly kinds: ReadonlyArray<Kind>
  readonly steps: ReadonlyArray<Step>
  readonly scheduler?: fc.Scheduler | undefined
}

/**
 * The method of each kind.
 *
 * @category constants
 * @since 0.1.0
 */
export const methodOf: Readonly<Record<Kind, Method>> = {
  "card-payment": "card",
  "apm-payment": "apm",
  refund: "card"
}

/**
 * What each kind is ordered with.
 *
 * @category constants
 * @since 0.1.0
 */
export const amountOf: Readonly<Record<Kind, string>> = {
  "card-payment": "10.00",
  "apm-payment": "10.00",
  refund: "4.00"
}

/**
 * Returns the letter of a callback, of the transaction with an id.
 *
 * @category getters
 * @since 0.1.0
 */
export const letterOf = (kind: Kind, transactionId: string, delivery: Delivery): Letter.Letter => {
  const method = methodOf[kind]
  const account = Letter.account[method]
  return Letter.of(
    noteOf(delivery),
    CallbackRequests.fromDelivery(
      {
        method,
        signed: { account, amount: amountOf[kind], currency: "EUR", transactionId },
        unsigned: kind === "refund" ? { refundId: transactionId } : {}
      },
      delivery
    )
  )
}

const noteOf = ({ forged, status }: Delivery): string =>
  forged === undefined ? `${status} comes` : `${status} comes, forged (${forged})`

/**
 * Says what a step is, in a few words.
 *
 * @category conversions
 * @since 0.1.0
 */
export const describe = (step: Step, { kinds }: Case): string => {
  if (step._tag === "Sends") return `${step.letter.note} comes`
  const name = `${kinds[step.which]}${kinds.length > 1 ? ` ${step.which + 1}` : ""}`
  switch (step._tag) {
    case "Moves":
      return `${name}: the service says ${step.status}`
    case "Fails":
      return `${name}: the next read of it fails (${step.fault})`
    case "Comes":
      return `${name}: ${noteOf(step.delivery)}`
  }
}

/**
 * Lays a case out for reading, a step a line.
 *
 * @category conversions
 * @since 0.1.0
 */
export const show = (given: Case): string =>
  [
    ...(given.scheduler === undefined ? [] : ["at once, none waiting for the answer of another:"]),
    ...given.steps.map((step, at) => `${at + 1}. ${describe(step, given)}`)
  ].join("\n")
