/**
 * Bugs to plant, each of the kind that is written: a simulation is to find every one of them.
 *
 * @since 0.1.0
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
 * What is wrong with the merchant's code; nothing, without any of it.
 *
 * - `policy`, `profile`: settings of the receivers.
 * - `ledger`, `receive`: put something else in the place of what is there.
 * - `requestId`: what a call is sent with, by what it is to be and the calls before.
 * - `insists`: a change is sent until it succeeds.
 * - `commitsApart`: what the handler does commits before it is marked told.
 *
 * @category models
 * @since 0.1.0
 */
export interface Bug {
  readonly policy?: Evidence.Policy
  readonly profile?: Partial<Switches>
  readonly ledger?: (ledger: Store) => Store
  readonly receive?: (receive: Receive) => Receive
  readonly requestId?: (requestId: string, tries: number) => string
  readonly insists?: boolean
  readonly commitsApart?: boolean
}

/** What holds is what a callback claimed last, whatever held before. */
const lastWriteWins = (ledger: Store): Store => {
  const last = new Map<string, Status>()
  const applied = new Map<string, Status>()
  const seen = (row: Leased): Leased => {
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
    claim: (wanted) =>
      Effect.map(ledger.claim(wanted), ({ dueAt, rows }) => ({ dueAt, rows: rows.map(seen) })),
    write: (leased, change) => {
      if (change.told !== undefined) applied.set(leased.transactionId, change.told)
      return Effect.map(ledger.write(leased, change), (row) => row && seen(row))
    }
  }
}

/** A callback is the same as one before it when it claims the same, be that true or not. */
const deduplicatedTooEarly = (ledger: Store): Store => {
  const seen = new Set<string>()
  return {
    ...ledger,
    accept: (verified, at) =>
      Effect.suspend(() => {
        const key = `${verified.transactionId} ${verified.claim}`
        if (seen.has(key)) return Effect.succeed({ isNew: false })
        seen.add(key)
        return ledger.accept(verified, at)
      })
  }
}

/** A handler that failed twice is not called a third time, and nobody is told. */
const givesUp = (ledger: Store): Store => ({
  ...ledger,
  write: (leased, change) =>
    ledger.write(leased, (change.attempt ?? 0) > 2 ? { told: change.pendingStatus } : change)
})

/** Nothing is looked for after the end. */
const neverLooksBack = (ledger: Store): Store => ({
  ...ledger,
  write: (leased, change) =>
    ledger.write(
      leased,
      change.release !== undefined && leased.told !== undefined && isTerminal(leased.told)
        ? { ...change, release: { dueAt: undefined } }
        : change
    )
})

/** What a dead process leased stays with it. */
const leasesForEver = (ledger: Store): Store => ({
  ...ledger,
  claim: (wanted) => ledger.claim({ ...wanted, until: wanted.at + Duration.toMillis("1000 days") }),
  write: (leased, change) => ledger.write(leased, Struct.omit(change, ["until"]))
})

/**
 * The bugs, by what is wrong.
 *
 * @category constants
 * @since 0.1.0
 */
export const bugs: Readonly<Record<string, Bug>> = {
  "no rank check: the last callback holds": { ledger: lastWriteWins },
  "what a callback claims is believed": { policy: "never" },
  "nothing is polled": { profile: { pollGaps: [Duration.days(400)] } },
  "nothing is looked for after the end": { ledger: neverLooksBack },
  "the handler is tried twice": { ledger: givesUp },
  "callbacks are deduplicated before they are confirmed": { ledger: deduplicatedTooEarly },
  "what the handler did and that it was told are written apart": { commitsApart: true },
  "the lease of a dead process never ends": { ledger: leasesForEver },
  "200 is answered before anything is stored": {
    receive: (receive) => (incoming) =>
      Effect.as(Effect.forkDetach(receive(incoming), { startImmediately: false }), 200)
  },
  "a new requestId for every call": {
    requestId: (requestId, tries) => (tries === 0 ? requestId : `${requestId}-${tries}`)
  },
  "a change is sent until it succeeds": { insists: true }
}
