/**
 * Ledgers that keep and find what they have with a bug.
 */
import * as Evidence from "@pawl/core/Evidence"
import * as Effect from "effect/Effect"
import * as Struct from "effect/Struct"
import { inGroups, seeing, type Planted } from "./plants.ts"

/** The planted bugs. */
export const keeping: ReadonlyArray<Planted> = [
  [
    "what a refund's callback claims is shown of its payment",
    "a token's callback has a row of its kind",
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
    "a refund's callback is found by the refundId",
    (ledger) => ({
      ...ledger,
      accept: (verified, at) =>
        ledger.accept({ ...verified, transactionId: verified.signed.transactionId }, at)
    })
  ],
  [
    "what was told of a row that is joined is forgotten",
    "a row that turns out to be another's transaction",
    (ledger) => ({
      ...ledger,
      write: (leased, change) =>
        ledger.write(leased, change.kind === undefined ? change : Struct.omit(change, ["told"]))
    })
  ],
  [
    "every re-drive is said to be one",
    "deadLetters lists what is parked",
    (ledger) => ({ ...ledger, redrive: (...call) => Effect.as(ledger.redrive(...call), true) })
  ],
  [
    "a write is made again",
    "a write with `tellsBefore` is done once",
    (ledger) => ({
      ...ledger,
      write: (leased, change) => ledger.write(leased, Struct.omit(change, ["tellsBefore"]))
    })
  ],
  [
    "a clean-up takes what is just old enough, too (<= for <)",
    "forget deletes old bodies and nothing else",
    (ledger) => ({
      ...ledger,
      forget: ({ before, limit }) => ledger.forget({ before: before + 1, limit })
    })
  ],
  [
    "a clean-up takes everything at once",
    "forget keeps a dead letter's bodies",
    (ledger) => ({ ...ledger, forget: ({ before }) => ledger.forget({ before, limit: 1000 }) })
  ],
  [
    "what finds no room is dropped behind a 200",
    "quarantine keeps a body once",
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
    "quarantine keeps a body once",
    (ledger) => ({ ...ledger, accept: inGroups(ledger) })
  ],
  [
    "the answer comes before the commit",
    "accept makes a row of a transaction's first callback",
    (ledger) => ({
      ...ledger,
      accept: (verified, at) =>
        Effect.as(Effect.forkDetach(Effect.ignore(ledger.accept(verified, at))), { isNew: true })
    })
  ],
  [
    "what was told is forgotten with the third transition",
    "any history leaves the rows",
    seeing((row) => (row.tells === 3 ? { ...row, told: undefined } : row))
  ]
]
