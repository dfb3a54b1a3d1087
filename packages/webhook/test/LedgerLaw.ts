/**
 * What a law of the ledger is, and what they all begin with.
 */
import type { Status } from "@pawl/core/Status"
import * as Effect from "effect/Effect"
import type { Ledger } from "../src/Ledger.ts"
import type { Leased } from "../src/Row.ts"
import { expect } from "./assertions.ts"
import { card, verified } from "./service.ts"

export const callback = (transactionStatus: Status, changes?: Readonly<Record<string, unknown>>) =>
  verified("card", card({ transactionStatus, ...changes }))

/** Leases everything that is due at a time. */
export const claimAll = (ledger: Ledger["Service"], at: number, until = at + 30_000) =>
  Effect.map(ledger.claim({ at, until, limit: 100 }), ({ rows }) => rows)

/** Leases the one row that is due. */
export const claimOne = (ledger: Ledger["Service"], at: number, until = at + 30_000) =>
  Effect.map(claimAll(ledger, at, until), (rows): Leased => {
    expect(rows.length).toBe(1)
    return rows[0] as Leased
  })

/** What holds of every ledger. `check` has one that is empty. */
export interface Law {
  readonly name: string
  readonly check: (ledger: Ledger["Service"]) => Effect.Effect<void, unknown>
}

export const law = (name: string, check: Law["check"]): Law => ({ name, check })
