/**
 * Planted bugs: typical mistakes, each of which a simulation must find.
 */
import * as Evidence from "@pawl/core/Evidence"
import type { Switches } from "@pawl/core/Profile"
import { isTerminal, type Status } from "@pawl/core/Status"
import type { Ledger } from "@pawl/webhook/Ledger"
import type { Receiver } from "@pawl/webhook/Receiver"
import type { Leased } from "@pawl/webhook/Row"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Struct from "effect/Struct"

type Store = Ledger["Service"]
type Receive = Receiver["Service"]["receive"]

/**
 * A bug in the merchant's code.
 *
 * - `policy`, `profile`: settings of the receivers.
 * - `ledger`, `receive`: replace the ledger, or the entry point of the receivers.
 * - `requestId`: returns the requestId that is sent, from the right one and the number of earlier attempts.
 * - `repeatsChanges`: a change without a requestId is sent until it succeeds.
 * - `commitsApart`: the effects of the handler commit before the status is marked told.
 * - `releasesRunning`: a receiver that stops releases the rows whose handler runs.
 */
export interface Bug {
  readonly policy?: Evidence.Policy
  readonly profile?: Partial<Switches>
  readonly ledger?: (ledger: Store) => Store
  readonly receive?: (receive: Receive) => Receive
  readonly requestId?: (requestId: string, attempts: number) => string
  readonly repeatsChanges?: boolean
  readonly commitsApart?: boolean
  readonly releasesRunning?: boolean
}

/** The last claim of a callback is the status, without any check of its rank. */
const lastWriteWins = (ledger: Store): Store => {
  const last = new Map<string, Status>()
  const applied = new Map<string, Status>()
  const withLastClaim = (row: Leased): Leased => {
    const claim = last.get(row.transactionId)
    if (claim === undefined) return row
    const told = applied.get(row.transactionId) === claim ? claim : undefined
    return { ...row, evidence: Evidence.confirmed(claim), told }
  }
  return {
    ...ledger,
    accept: (verified, at) =>
      Effect.tap(ledger.accept(verified, at), () =>
        Effect.sync(() => verified.claim && last.set(verified.transactionId, verified.claim))
      ),
    claim: (options) =>
      Effect.map(ledger.claim(options), ({ dueAt, rows }) => ({
        dueAt,
        rows: rows.map(withLastClaim)
      })),
    write: (leased, change) => {
      if (change.told !== undefined) applied.set(leased.transactionId, change.told)
      return Effect.map(ledger.write(leased, change), (row) => row && withLastClaim(row))
    }
  }
}

/** A callback is dropped as a duplicate when an earlier one claimed the same status, confirmed or not. */
const deduplicatedTooEarly = (ledger: Store): Store => {
  const claims = new Set<string>()
  return {
    ...ledger,
    accept: (verified, at) =>
      Effect.suspend(() => {
        const key = `${verified.transactionId} ${verified.claim}`
        if (claims.has(key)) return Effect.succeed({ isNew: false })
        claims.add(key)
        return ledger.accept(verified, at)
      })
  }
}

/** A transition is marked told after the handler failed twice. */
const givesUp = (ledger: Store): Store => ({
  ...ledger,
  write: (leased, change) =>
    ledger.write(leased, (change.attempt ?? 0) > 2 ? { told: change.pendingStatus } : change)
})

/** No reads are made after a terminal status. */
const noWatch = (ledger: Store): Store => ({
  ...ledger,
  write: (leased, change) =>
    ledger.write(
      leased,
      change.release !== undefined && leased.told !== undefined && isTerminal(leased.told)
        ? { ...change, release: { dueAt: undefined } }
        : change
    )
})

/** The leases of a dead process never end. */
const endlessLeases = (ledger: Store): Store => ({
  ...ledger,
  claim: (options) =>
    ledger.claim({ ...options, until: options.at + Duration.toMillis("1000 days") }),
  write: (leased, change) => ledger.write(leased, Struct.omit(change, ["until"]))
})

/** The planted bugs, by description. */
export const bugs: Readonly<Record<string, Bug>> = {
  "the last callback holds, without a rank check": { ledger: lastWriteWins },
  "a claim is told without confirmation": { policy: "never" },
  "no transaction is polled": { profile: { pollGaps: [Duration.days(400)] } },
  "no reads follow a terminal status": { ledger: noWatch },
  "the handler is called only twice": { ledger: givesUp },
  "callbacks are deduplicated before they are confirmed": { ledger: deduplicatedTooEarly },
  "the handler's effects and the told mark commit apart": { commitsApart: true },
  "a receiver that stops releases rows whose handler runs": { releasesRunning: true },
  "the lease of a dead process never ends": { ledger: endlessLeases },
  "the receiver answers 200 before it stores": {
    receive: (receive) => (incoming) =>
      Effect.as(Effect.forkDetach(receive(incoming), { startImmediately: false }), 200)
  },
  "every call has a new requestId": {
    requestId: (requestId, attempts) => (attempts === 0 ? requestId : `${requestId}-${attempts}`)
  },
  "a change is sent until it succeeds": { repeatsChanges: true }
}
