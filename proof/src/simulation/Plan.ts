/**
 * Plan of a simulation: plain lists of events, drawn before the run, so that they can be saved and shrunk.
 * `PlanGenerator` draws it.
 */
import * as Faults from "@pawl/testkit/Faults"

/**
 * A plan. Times are in milliseconds from the start.
 *
 * - `quietAt`: the time at which the last fault has ended.
 * - `skews`: how far the clock of each process is ahead of the service's clock.
 * - `outages`: when no receiver runs. Without any, the receivers do not watch for them.
 */
export interface Plan {
  readonly seed: number
  readonly quietAt: number
  readonly skews: Readonly<Record<Process, number>>
  readonly operations: ReadonlyArray<Operation>
  readonly faults: ReadonlyArray<Fault>
  readonly forgeries: ReadonlyArray<Forgery>
  readonly outages?: ReadonlyArray<Outage>
}

/** The processes of the merchant. The service is a process too; its clock is right. */
export const processes = ["client", "receiver 1", "receiver 2"] as const

/** The name of a process of the merchant. */
export type Process = (typeof processes)[number]

/**
 * One operation of the merchant, and the events that follow it.
 *
 * - `scenario`: the statuses it has at the service, and how its callbacks are delivered.
 * - `steps`: later calls of the merchant and moves by the service, each at a time after the create.
 * - `handlerActions`: what the handler does, call by call; it accepts every later call.
 * - `isUnreadable`: whether a stored field of its rows cannot be read, until it is repaired in the quiet time.
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

/** A fault that lasts for `duration`. `jump` is the error of a clock, in milliseconds. */
export type Fault = {
  readonly [Target in keyof typeof faultKinds]: {
    readonly at: number
    readonly duration: number
    readonly target: Target
    readonly kind: (typeof faultKinds)[Target][number]
    readonly jump: number
  }
}[keyof typeof faultKinds]

/** A time in which both receivers are down, in milliseconds. */
export interface Outage {
  readonly at: number
  readonly duration: number
}

/** A changed copy of a callback, made from the post that came `postsAgo` posts earlier. */
export interface Forgery {
  readonly at: number
  readonly kind: (typeof forgeries)[number]
  readonly status: (typeof forgedStatuses)[number]
  readonly postsAgo: number
}

/** The kinds of operations. */
export const kinds = [
  "apm-payment",
  "apm-payout",
  "card-payment",
  "card-payout",
  "subscription"
] as const
const steps = ["refund", "REFUNDED", "CHARGEBACK", "SUCCEED", "pause", "cancel"] as const
/** The actions of the handler in a call. A repeated entry is drawn more often. */
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
/** The statuses that a forger claims. */
export const forgedStatuses = [
  "SUCCEED",
  "FAILED",
  "CANCELLED",
  "REFUNDED",
  "CHARGEBACK",
  "PENDING"
] as const

/**
 * The changes of a forger to a callback: claims another status, changes a field that the checksum covers, removes the
 * checksum, gives `paymentMethod` twice in the query, or removes the merchant's token from the URL.
 */
export const forgeries = ["status", "status", "amount", "checksum", "query", "token"] as const

const linkFaults = [...Faults.kinds, "hang"] as const

/** The kinds of faults of each target. A repeated entry is drawn more often. */
export const faultKinds = {
  client: [...linkFaults, "crash", "jump"],
  "receiver 1": [...linkFaults, "crash", "restart", "restart", "jump", "jump"],
  "receiver 2": [...linkFaults, "crash", "restart", "restart", "jump", "jump"],
  service: ["crash"],
  callback: ["lost", "unanswered", "late", "twice", "held"],
  store: ["refused", "unanswered", "slow", "slow"]
} as const

/** A day, in milliseconds. */
export const day = 24 * 60 * 60 * 1000
