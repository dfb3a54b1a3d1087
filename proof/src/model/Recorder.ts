/**
 * Records a receiver of the package at its ports: ledger, handler and journal. Each note is made
 * when the code does the step.
 */
import type { Transition } from "@pawl/core/Handler"
import type * as Journal from "@pawl/webhook/Journal"
import type { Ledger } from "@pawl/webhook/Ledger"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import type { Index } from "./Checker.ts"
import { events, labels, type Note, type Write } from "./Traces.ts"

type Store = Ledger["Service"]

/** Options of a recorder; `isOpen` until the receiver is killed. */
export interface Options {
  readonly by: Index
  readonly write: Write
  readonly isOpen: () => boolean
  readonly now: () => number
  readonly isUnreadable?: (id: string) => boolean
}

export const make = ({ by, isOpen, isUnreadable = () => false, now, write }: Options) => {
  const observed = Latch.makeUnsafe()
  /** The rows whose kind was unknown when they were claimed. */
  const ofNoKind = new Set<string>()
  const see = (id: string, event: string) => {
    if (isOpen()) write({ _tag: "Seen", id, event })
  }

  const eventOf = (id: string, entry: Journal.Entry): string | undefined => {
    switch (entry._tag) {
      case "Accepted":
        return labels.accepted(entry.claim, entry.isNew)
      case "Read":
        return labels.ofWorker(
          by,
          entry.result === "404" && ofNoKind.has(id)
            ? events.readElsewhere
            : events.read(entry.result)
        )
      case "Told":
        return labels.ofWorker(by, events.told(entry.to, entry))
      case "HandlerFailed":
        return labels.ofWorker(by, events.failed(entry.to))
      case "DeadLettered": {
        const cannotBeRead = entry.reason === "unreadable" && isUnreadable(id)
        return labels.ofWorker(by, cannotBeRead ? events.parkedUnreadable : events.parked)
      }
      case "Quarantined":
        return "quarantined"
      case "Alarm":
        return undefined
    }
  }

  const recordLedger = (ledger: Store): Store => ({
    ...ledger,
    claim: (options) =>
      Effect.tap(Effect.andThen(observed.await, ledger.claim(options)), ({ rows }) =>
        Effect.sync(() => {
          const { at, until } = options
          for (const { kind, lease, method, transactionId: id } of rows) {
            if (kind === method) ofNoKind.add(id)
            else ofNoKind.delete(id)
            write({ _tag: "Claimed", id, lease, by, at, until, now: now() })
          }
        })
      ),
    write: (leased, change) => {
      const { lease, transactionId: id } = leased
      const { release, until } = change
      const note = (to: Extract<Note, { _tag: "Changed" }>["to"]) =>
        write({ _tag: "Changed", id, lease, to })
      return Effect.suspend(() => {
        if (release !== undefined) note({ end: "releasing" })
        return ledger.write(leased, change)
      }).pipe(
        Effect.tap((row) =>
          Effect.sync(() => {
            if (row === undefined) return
            if (release !== undefined) note({ end: "released" })
            else if (until !== undefined) note({ end: "none", until, now: now() })
          })
        ),
        Effect.tapError(() => Effect.sync(() => see(id, labels.storeSilent(by))))
      )
    },
    // It cuts leases at any time until it returns.
    shift: (options) => {
      const note = Effect.sync(() => write({ _tag: "Shifted", until: options.until }))
      return Effect.ensuring(Effect.andThen(note, ledger.shift(options)), note)
    }
  })

  return {
    ledger: recordLedger,
    observe: (journal: Journal.Journal["Service"]) => {
      journal.observe((entry) => {
        if (!("transactionId" in entry) || entry.transactionId === undefined) return
        const event = eventOf(entry.transactionId, entry)
        if (event !== undefined) see(entry.transactionId, event)
      })
      observed.openUnsafe()
    },
    called: ({ to, transactionId }: Transition) =>
      see(transactionId, labels.ofWorker(by, events.called(to))),
    committed: ({ to, transactionId: id }: Transition) =>
      write({ _tag: "Seen", id, event: labels.ofWorker(by, events.committed(to)) }),
    ended: () => write({ _tag: "Ended", by })
  }
}
