/** Plan of a simulation: plain lists of events, which can be saved and shrunk. */
import type { Policy } from "@pawl/core/Evidence"
import * as Faults from "@pawl/testkit/Faults"

/**
 * A plan. Times are in milliseconds from the start.
 *
 * - `quietAt`: the end of the last fault.
 * - `skews`: how far each process's clock is ahead of the service's.
 * - `outages`: when no receiver runs. Without any, the receivers do not watch for them.
 * - `policy`: the policy of the receivers, `final` by default.
 */
export interface Plan {
  readonly seed: number
  readonly quietAt: number
  readonly skews: Readonly<Record<Process, number>>
  readonly operations: ReadonlyArray<Operation>
  readonly faults: ReadonlyArray<Fault>
  readonly forgeries: ReadonlyArray<Forgery>
  readonly outages?: ReadonlyArray<Outage>
  readonly policy?: Policy
}

export const processes = ["client", "receiver 1", "receiver 2"] as const

export type Process = (typeof processes)[number]

/**
 * An operation.
 *
 * - `steps`: calls of the merchant and moves by the service, each at a time after the create.
 * - `handlerActions`: the first calls of the handler; it accepts every later one.
 * - `isUnreadable`: a stored field of its rows cannot be read until the quiet time.
 */
export interface Operation {
  readonly id: number
  readonly at: number
  readonly kind: (typeof kinds)[number]
  readonly scenario: string
  readonly steps: ReadonlyArray<{ readonly after: number; readonly event: (typeof steps)[number] }>
  readonly handlerActions: ReadonlyArray<(typeof handlerActions)[number]>
  readonly isUnreadable?: boolean
}

/** A fault; `jump` is a clock's error in milliseconds. */
export type Fault = {
  readonly [Target in keyof typeof faultKinds]: {
    readonly at: number
    readonly duration: number
    readonly target: Target
    readonly kind: (typeof faultKinds)[Target][number]
    readonly jump: number
  }
}[keyof typeof faultKinds]

export interface Outage {
  readonly at: number
  readonly duration: number
}

/** A changed copy of the post that came `postsAgo` posts earlier. */
export interface Forgery {
  readonly at: number
  readonly kind: (typeof forgeries)[number]
  readonly status: (typeof forgedStatuses)[number]
  readonly postsAgo: number
}

export const kinds = [
  "apm-payment",
  "apm-payout",
  "card-payment",
  "card-payout",
  "subscription"
] as const
const steps = ["refund", "REFUNDED", "CHARGEBACK", "SUCCEED", "pause", "cancel"] as const
/** A repeated entry is drawn more often. */
export const handlerActions = [
  "accepts",
  "fails",
  "dies",
  "interrupts itself",
  "is slow",
  "is slow",
  "never ends",
  "fails for days"
] as const
export const forgedStatuses = [
  "SUCCEED",
  "FAILED",
  "CANCELLED",
  "REFUNDED",
  "CHARGEBACK",
  "PENDING"
] as const

/** Changes to a callback; `query` has `paymentMethod` twice. */
export const forgeries = ["status", "status", "amount", "checksum", "query", "token"] as const

const linkFaults = [...Faults.kinds, "hang"] as const

export const faultKinds = {
  client: [...linkFaults, "crash", "jump"],
  "receiver 1": [...linkFaults, "crash", "restart", "restart", "jump", "jump"],
  "receiver 2": [...linkFaults, "crash", "restart", "restart", "jump", "jump"],
  service: ["crash"],
  callback: ["lost", "unanswered", "late", "twice", "held"],
  store: ["refused", "unanswered", "slow", "slow"]
} as const

export const day = 24 * 60 * 60 * 1000
