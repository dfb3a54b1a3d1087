import { StoreUnavailable } from "@pawl/core/CallbackError"
import * as Effect from "effect/Effect"
import * as Struct from "effect/Struct"
import { seeing, type ChangeLedger } from "./ledgerBugs.ts"
import { bugsOf } from "@pawl/test-support/Bugs"

export const keeping = bugsOf<ChangeLedger>({
  "an id that is not signed": {
    "a registered refund is not found by its refundId": (ledger) => ({
      accept: (verified, at) => ledger.accept({ ...verified, refundId: undefined }, at)
    })
  },
  "the told status": {
    "a join loses the told status of one row": (ledger) => ({
      write: (leased, change) =>
        ledger.write(leased, change.kind === undefined ? change : Struct.omit(change, ["told"]))
    }),
    "the told status is lost with the third transition": seeing((row) =>
      row.sequence === 3 ? { ...row, told: undefined } : row
    )
  },
  "a parked row": {
    "a redrive of nothing returns true": (ledger) => ({
      redrive: (...call) => Effect.as(ledger.redrive(...call), true)
    }),
    "a page of dead letters leaves out those with the time of the last one before it": (
      ledger
    ) => ({
      deadLetters: ({ after, ...page }) =>
        ledger.deadLetters({ ...page, after: after && { ...after, transactionId: "\uffff" } })
    }),
    "a redrive of one row redrives every row of its id": (ledger) => ({
      redrive: ({ method, transactionId }, at) => ledger.redrive({ method, transactionId }, at)
    })
  },
  "redriveAll redrives": {
    "a redrive of all makes every row due at once": (ledger) => ({
      redriveAll: (options) => ledger.redriveAll({ ...options, rate: Infinity })
    })
  },
  "one worker has": {
    "a write is made twice": (ledger) => ({
      write: (leased, change) => ledger.write(leased, Struct.omit(change, ["ifSequence"]))
    })
  },
  "deleteBodies deletes": {
    "a clean-up also deletes a body that came exactly at its limit (<= for <)": (ledger) => ({
      deleteBodies: ({ before, limit }) => ledger.deleteBodies({ before: before + 1, limit })
    }),
    "a clean-up ignores its limit": (ledger) => ({
      deleteBodies: ({ before }) => ledger.deleteBodies({ before, limit: 1000 })
    })
  },
  "deleteOld deletes": {
    "a deletion of old transactions takes new ones with it": (ledger) => ({
      deleteOld: ({ limit }) => ledger.deleteOld({ before: Infinity, limit })
    })
  },
  "quarantine keeps": {
    "a full quarantine refuses a body": (ledger) => ({
      accept: (verified, at) =>
        Effect.flatMap(ledger.accept(verified, at), (accepted) =>
          accepted.reached === "quarantine"
            ? Effect.fail(new StoreUnavailable({}))
            : Effect.succeed(accepted)
        )
    })
  },
  "an operation has one row": {
    "accept returns before its commit": (ledger) => ({
      accept: (verified, at) =>
        Effect.as(Effect.forkDetach(Effect.ignore(ledger.accept(verified, at))), { isNew: true })
    })
  },
  "the facts of a row": {
    "the person who redrives is forgotten": (ledger) => ({
      redrive: (key, at) => ledger.redrive(key, at)
    })
  },
  "pages have": {
    "the place of a page is that of its last row": (ledger) => ({
      page: (options) =>
        Effect.map(ledger.page(options), ({ rows }) => ({ rows, last: rows.at(-1) }))
    })
  }
})
