/**
 * An observer of a simulation. Its functions are called at the moment at which something happens, and change nothing.
 */
import type { Transition } from "@pawl/core/Handler"
import type { Transaction } from "@pawl/testkit/Gateway"
import type { Journal } from "@pawl/webhook/Journal"
import type { Ledger } from "@pawl/webhook/Ledger"
import type { StatusCode } from "@pawl/webhook/Receiver"
import type { Parked, Registration } from "@pawl/webhook/internal/rule/Row"
import type { Post } from "./Network.ts"

/** The name of a receiver. */
export type ReceiverName = "receiver 1" | "receiver 2"

/** The facts that an observer may look up: the true time, the transactions of the service, and whether a row cannot be read now. */
export interface Lookups {
  readonly now: () => number
  readonly transaction: (transactionId: string) => Transaction | undefined
  readonly transactions: () => ReadonlyArray<Transaction>
  readonly isUnreadable: (transactionId: string) => boolean
}

/**
 * Observes one instance of a receiver. `ledger` wraps its connection to the store, and `journal` is called before it works.
 */
export interface Instance {
  readonly ledger: (ledger: Ledger["Service"]) => Ledger["Service"]
  readonly journal: (journal: Journal["Service"]) => void
  readonly ended: () => void
}

/**
 * Observes a simulation.
 *
 * - `begin`: the simulation begins.
 * - `started`: an instance of a receiver starts.
 * - `called`, `committed`: the handler was called, and its effects were committed.
 * - `registered`: the store has a registration.
 * - `delivering`: a post reaches a receiver. The result is called with the response.
 * - `redriven`: a dead letter was redriven.
 */
export interface Observer {
  readonly begin: (lookups: Lookups) => void
  readonly started: (name: ReceiverName, isDead: () => boolean) => Instance
  readonly called: (name: ReceiverName, transition: Transition) => void
  readonly committed: (name: ReceiverName, transition: Transition) => void
  readonly registered: (registration: Registration) => void
  readonly delivering: (post: Post) => (status: StatusCode | undefined) => void
  readonly redriven: (parked: Parked) => void
}

const ignore = () => {}

/** An observer that does nothing. */
export const none: Observer = {
  begin: ignore,
  started: () => ({ ledger: (ledger) => ledger, journal: ignore, ended: ignore }),
  called: ignore,
  committed: ignore,
  registered: ignore,
  delivering: () => ignore,
  redriven: ignore
}
