/**
 * Ledgers that keep and find what they have with a bug.
 */
import * as Evidence from "@pawl/core/Evidence"
import type { Key } from "@pawl/webhook/Row"
import * as Effect from "effect/Effect"
import * as Struct from "effect/Struct"
import { inGroups, seeing, type PlantedBug } from "./ledgerBugs.ts"

/** The planted bugs. */
export const keeping: ReadonlyArray<PlantedBug> = [
  [
    "what a refund's callback claims is shown of its payment",
    "evidence is joined",
    (ledger) => {
      const claimed = new Map<string, Evidence.Evidence>()
      return {
        ...seeing((row) =>
          row.kind === "card-payment"
            ? {
                ...row,
                evidence: Evidence.join(row.evidence, claimed.get(row.transactionId) ?? 0)
              }
            : row
        )(ledger),
        accept: (verified, at) => {
          const { claim, kind, transactionId } = verified
          if (kind === "refund" && claim !== undefined)
            claimed.set(transactionId, Evidence.claimed(claim))
          return ledger.accept(verified, at)
        }
      }
    }
  ],
  [
    "a refund is what its transactionId says",
    "each operation has",
    (ledger) => ({
      ...ledger,
      accept: (verified, at) =>
        ledger.accept({ ...verified, transactionId: verified.signed.transactionId }, at)
    })
  ],
  [
    "what was claimed of a row that is joined is forgotten",
    "evidence is joined",
    (ledger) => {
      const lost = new Map<string, Evidence.Evidence>()
      const lostOf = ({ transactionId }: Key) => lost.get(transactionId) ?? Evidence.none
      return {
        ...seeing((row) => ({ ...row, evidence: row.evidence & ~lostOf(row) }))(ledger),
        write: (leased, change) =>
          Effect.gen(function* () {
            const other = yield* ledger.get(leased.method, leased.transactionId)
            const written = yield* ledger.write(leased, change)
            if (written === undefined && other !== undefined && change.kind === other.kind) {
              lost.set(leased.transactionId, leased.evidence & ~other.evidence)
            }
            return written
          })
      }
    }
  ],
  [
    "what was told of a row that is joined is forgotten",
    "what the handler",
    (ledger) => ({
      ...ledger,
      write: (leased, change) =>
        ledger.write(leased, change.kind === undefined ? change : Struct.omit(change, ["told"]))
    })
  ],
  [
    "every re-drive is said to be one",
    "what is parked",
    (ledger) => ({ ...ledger, redrive: (...call) => Effect.as(ledger.redrive(...call), true) })
  ],
  [
    "a re-drive of one row takes every row of its id",
    "what is parked",
    (ledger) => ({
      ...ledger,
      redrive: ({ method, transactionId }, at) => ledger.redrive({ method, transactionId }, at)
    })
  ],
  [
    "a write is made again",
    "a row is one",
    (ledger) => ({
      ...ledger,
      write: (leased, change) => ledger.write(leased, Struct.omit(change, ["ifSequence"]))
    })
  ],
  [
    "a clean-up takes what is just old enough, too (<= for <)",
    "callbacks are counted",
    (ledger) => ({
      ...ledger,
      forget: ({ before, limit }) => ledger.forget({ before: before + 1, limit })
    })
  ],
  [
    "a clean-up takes everything at once",
    "forget takes",
    (ledger) => ({ ...ledger, forget: ({ before }) => ledger.forget({ before, limit: 1000 }) })
  ],
  [
    "what finds no room is dropped behind a 200",
    "quarantine keeps",
    (ledger) => ({
      ...ledger,
      accept: (verified, at) =>
        Effect.catchTag(ledger.accept(verified, at), "StoreUnavailable", () =>
          Effect.succeed({ isNew: true })
        )
    })
  ],
  [
    "a callback that fails takes its group along",
    "quarantine keeps",
    (ledger) => ({ ...ledger, accept: inGroups(ledger) })
  ],
  [
    "the answer comes before the commit",
    "each operation has",
    (ledger) => ({
      ...ledger,
      accept: (verified, at) =>
        Effect.as(Effect.forkDetach(Effect.ignore(ledger.accept(verified, at))), { isNew: true })
    })
  ],
  [
    "what was told is forgotten with the third transition",
    "what the handler",
    seeing((row) => (row.sequence === 3 ? { ...row, told: undefined } : row))
  ]
]
