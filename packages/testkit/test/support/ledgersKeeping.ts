import { StoreUnavailable } from "@pawl/core/CallbackError"
import * as Effect from "effect/Effect"
import * as Struct from "effect/Struct"
import { seeing, type ChangeLedger } from "./ledgerBugs.ts"
import type { PlantedBug } from "@pawl/test-support/PlantedBugs"

export const keeping: ReadonlyArray<PlantedBug<ChangeLedger>> = [
  [
    "a registered refund is not found by its refundId",
    "an id that is not signed",
    (ledger) => ({
      accept: (verified, at) => ledger.accept({ ...verified, refundId: undefined }, at)
    })
  ],
  [
    "a join loses the told status of one row",
    "the told status",
    (ledger) => ({
      write: (leased, change) =>
        ledger.write(leased, change.kind === undefined ? change : Struct.omit(change, ["told"]))
    })
  ],
  [
    "a redrive of nothing returns true",
    "a parked row",
    (ledger) => ({ redrive: (...call) => Effect.as(ledger.redrive(...call), true) })
  ],
  [
    "a page of dead letters leaves out those with the time of the last one before it",
    "a parked row",
    (ledger) => ({
      deadLetters: ({ after, ...page }) =>
        ledger.deadLetters({ ...page, after: after && { ...after, transactionId: "\uffff" } })
    })
  ],
  [
    "a redrive of all makes every row due at once",
    "redriveAll redrives",
    (ledger) => ({ redriveAll: (options) => ledger.redriveAll({ ...options, rate: Infinity }) })
  ],
  [
    "a redrive of one row redrives every row of its id",
    "a parked row",
    (ledger) => ({
      redrive: ({ method, transactionId }, at) => ledger.redrive({ method, transactionId }, at)
    })
  ],
  [
    "a write is made twice",
    "one worker has",
    (ledger) => ({
      write: (leased, change) => ledger.write(leased, Struct.omit(change, ["ifSequence"]))
    })
  ],
  [
    "a clean-up also deletes a body that came exactly at its limit (<= for <)",
    "deleteBodies deletes",
    (ledger) => ({
      deleteBodies: ({ before, limit }) => ledger.deleteBodies({ before: before + 1, limit })
    })
  ],
  [
    "a clean-up ignores its limit",
    "deleteBodies deletes",
    (ledger) => ({ deleteBodies: ({ before }) => ledger.deleteBodies({ before, limit: 1000 }) })
  ],
  [
    "a deletion of old transactions takes new ones with it",
    "deleteOld deletes",
    (ledger) => ({ deleteOld: ({ limit }) => ledger.deleteOld({ before: Infinity, limit }) })
  ],
  [
    "a full quarantine refuses a body",
    "quarantine keeps",
    (ledger) => ({
      accept: (verified, at) =>
        Effect.flatMap(ledger.accept(verified, at), (accepted) =>
          accepted.reached === "quarantine"
            ? Effect.fail(new StoreUnavailable({}))
            : Effect.succeed(accepted)
        )
    })
  ],
  [
    "accept returns before its commit",
    "an operation has one row",
    (ledger) => ({
      accept: (verified, at) =>
        Effect.as(Effect.forkDetach(Effect.ignore(ledger.accept(verified, at))), { isNew: true })
    })
  ],
  [
    "the told status is lost with the third transition",
    "the told status",
    seeing((row) => (row.sequence === 3 ? { ...row, told: undefined } : row))
  ],
  [
    "the person who redrives is forgotten",
    "the facts of a row",
    (ledger) => ({ redrive: (key, at) => ledger.redrive(key, at) })
  ],
  [
    "the place of a page is that of its last row",
    "pages have",
    (ledger) => ({
      page: (options) =>
        Effect.map(ledger.page(options), ({ rows }) => ({ rows, last: rows.at(-1) }))
    })
  ]
]
