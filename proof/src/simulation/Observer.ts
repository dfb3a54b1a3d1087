import type { Transition } from "@pawl/core/Handler"
import type { Transaction } from "@pawl/testkit/Gateway"
import type { Journal } from "@pawl/webhook/Journal"
import type { Ledger } from "@pawl/webhook/Ledger"
import type { StatusCode } from "@pawl/webhook/Receiver"
import type { Parked, Registration } from "@pawl/webhook/internal/rule/Row"
import type { Post } from "./Network.ts"

export type ReceiverName = "receiver 1" | "receiver 2"

export interface Lookups {
  readonly now: () => number
  readonly transaction: (transactionId: string) => Transaction | undefined
  readonly transactions: () => ReadonlyArray<Transaction>
}

/** Observes an instance of a receiver. `ledger` wraps its store; `observe` is called before it works. */
export interface Instance {
  readonly ledger: (ledger: Ledger["Service"]) => Ledger["Service"]
  readonly observe: (journal: Journal["Service"]) => void
  readonly called: (transition: Transition) => void
  readonly committed: (transition: Transition) => void
  readonly ended: () => void
}

export interface Observer {
  readonly begin: (lookups: Lookups) => void
  readonly started: (name: ReceiverName, isDead: () => boolean) => Instance
  readonly registered: (registration: Registration) => void
  readonly delivering: (post: Post) => (status: StatusCode | undefined) => void
  readonly redriven: (parked: Parked) => void
}
