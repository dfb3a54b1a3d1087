/**
 * Records a receiver of the package at its ports: ledger, handler and journal. Each note is made
 * when the code does the step.
 */
import type * as Journal from "@pawl/webhook/Journal"
import type { Ledger } from "@pawl/webhook/Ledger"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import type { Instance } from "../simulation/Observer.ts"
import type { Index } from "./Checker.ts"
import { type Change, toldText, type Write } from "./Traces.ts"

/** Options of a recorder; `isOpen` until the receiver is killed. */
export interface Options {
  readonly by: Index
  readonly write: Write
  readonly isOpen: () => boolean
  readonly now: () => number
}

export const make = (options: Options): Instance => {
  const { by, isOpen, now, write } = options
  const observed = Latch.makeUnsafe()
  const see = (id: string, event: string) => {
    if (isOpen()) write({ _tag: "Seen", id, event })
  }
  const ofWorker = (event: string) => `worker ${by} ${event}`

  const eventOf = (entry: Journal.Entry): string | undefined => {
    switch (entry._tag) {
      case "Accepted":
        return `accepted ${entry.claim}${entry.isNew ? ", new" : ""}`
      case "Read":
        return ofWorker(`read ${entry.result === "404" ? "no answer" : entry.result}`)
      case "Told":
        return ofWorker(toldText(entry.to, entry))
      case "HandlerFailed":
        return ofWorker(`failed at ${entry.to}`)
      case "DeadLettered":
        return ofWorker(entry.reason === "unreadable" ? "parked, unreadable" : "parked")
      case "Quarantined":
        return "quarantined"
      case "Alarm":
        return undefined
    }
  }

  return {
    ledger: (ledger: Ledger["Service"]) => ({
      ...ledger,
      claim: (options) =>
        Effect.map(Effect.andThen(observed.await, ledger.claim(options)), (claimed) => {
          const { at, until } = options
          for (const { lease, transactionId: id } of claimed.rows)
            write({ _tag: "Claimed", id, lease, by, at, until, now: now() })
          return claimed
        }),
      write: (leased, change) => {
        const { lease, transactionId: id } = leased
        const { release, until } = change
        const note = (to: Change) => write({ _tag: "Changed", id, lease, to })
        return Effect.suspend(() => {
          if (release !== undefined) note({ end: "releasing" })
          return ledger.write(leased, change)
        }).pipe(
          Effect.map((row) => {
            if (row !== undefined && release !== undefined) note({ end: "released" })
            else if (row !== undefined && until !== undefined)
              note({ end: "none", until, now: now() })
            return row
          }),
          Effect.tapError(() => Effect.sync(() => see(id, `the store gave worker ${by} no answer`)))
        )
      },
      // It cuts leases at any time until it returns.
      shift: (options) => {
        const note = Effect.sync(() => write({ _tag: "Shifted", until: options.until }))
        return Effect.ensuring(Effect.andThen(note, ledger.shift(options)), note)
      }
    }),
    observe: (journal) => {
      journal.observe((entry) => {
        if (!("transactionId" in entry) || entry.transactionId === undefined) return
        const event = eventOf(entry)
        if (event !== undefined) see(entry.transactionId, event)
      })
      observed.openUnsafe()
    },
    called: ({ to, transactionId }) => see(transactionId, ofWorker(`called for ${to}`)),
    committed: ({ to, transactionId: id }) =>
      write({ _tag: "Seen", id, event: ofWorker(`committed ${to}`) }),
    ended: () => write({ _tag: "Ended", by })
  }
}
