/**
 * Records a receiver of the package at its ports: ledger, handler and journal. Each note is made
 * when the code does the step.
 */
import type { Transition } from "@pawl/core/Handler"
import type * as Journal from "@pawl/webhook/Journal"
import type { Ledger } from "@pawl/webhook/Ledger"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import type { Index } from "./State.ts"
import { labels } from "./Step.ts"
import type { Write } from "./Traces.ts"

type Store = Ledger["Service"]

/** Options of a recorder; `isOpen` until the receiver is killed. */
export interface Options {
  readonly by: Index
  readonly write: Write
  readonly isOpen: () => boolean
  readonly now: () => number
  readonly isUnreadable?: (id: string) => boolean
}

export interface Recorder {
  readonly ledger: (ledger: Store) => Store
  readonly observe: (journal: Journal.Journal["Service"]) => void
  readonly called: (transition: Transition) => void
  readonly committed: (transition: Transition) => void
  readonly ended: () => void
}

export const make = ({ by, isOpen, isUnreadable = () => false, now, write }: Options): Recorder => {
  const observed = Latch.makeUnsafe()
  /** The rows whose kind was unknown when they were claimed. */
  const ofNoKind = new Set<string>()
  const see = (id: string, event: string) => {
    if (isOpen()) write({ _tag: "Seen", id, event })
  }

  const labelOf = (id: string, entry: Journal.Entry): string | undefined => {
    switch (entry._tag) {
      case "Accepted":
        return labels.accepted(entry.claim, entry.isNew)
      case "Read":
        return entry.result === "404" && ofNoKind.has(id)
          ? labels.readElsewhere(by)
          : labels.read(by, entry.result)
      case "Told":
        return labels.told(by, entry.to, {
          ...entry,
          conflict: entry.conflict && [...entry.conflict]
        })
      case "HandlerFailed":
        return labels.failed(by, entry.to)
      case "DeadLettered":
        return entry.reason === "unreadable" && isUnreadable(id)
          ? labels.parkedUnreadable(by)
          : labels.parked(by)
      case "Quarantined":
        return "quarantined"
      case "Alarm":
        return undefined
    }
  }

  const claim: (ledger: Store) => Store["claim"] = (ledger) => (options) =>
    Effect.andThen(observed.await, ledger.claim(options)).pipe(
      Effect.tap(({ rows }) =>
        Effect.sync(() => {
          const { at, until } = options
          for (const { kind, lease, method, transactionId: id } of rows) {
            if (kind === method) ofNoKind.add(id)
            else ofNoKind.delete(id)
            write({ _tag: "Claimed", id, lease, by, at, until, now: now() })
          }
        })
      )
    )

  const change: (ledger: Store) => Store["write"] = (ledger) => (leased, change) => {
    const { lease, transactionId: id } = leased
    const { release, until } = change
    const writeNoted = Effect.suspend(() => {
      if (release !== undefined) write({ _tag: "Releasing", id, lease })
      return ledger.write(leased, change)
    })
    return writeNoted.pipe(
      Effect.tap((row) =>
        Effect.sync(() => {
          if (row === undefined) return
          if (release !== undefined) write({ _tag: "Released", id, lease })
          else if (until !== undefined) write({ _tag: "Renewed", id, lease, until, now: now() })
        })
      ),
      Effect.tapError(() => Effect.sync(() => see(id, labels.storeSilent(by))))
    )
  }

  return {
    ledger: (ledger) => ({
      ...ledger,
      claim: claim(ledger),
      write: change(ledger),
      shift: (options) =>
        Effect.suspend(() => {
          write({ _tag: "Shifted", until: options.until })
          return ledger.shift(options)
        })
    }),
    observe: (journal) => {
      journal.observe((entry) => {
        if (!("transactionId" in entry) || entry.transactionId === undefined) return
        const label = labelOf(entry.transactionId, entry)
        if (label !== undefined) see(entry.transactionId, label)
      })
      observed.openUnsafe()
    },
    called: ({ to, transactionId }) => see(transactionId, labels.called(by, to)),
    committed: ({ to, transactionId }) =>
      write({ _tag: "Seen", id: transactionId, event: labels.committed(by, to) }),
    ended: () => write({ _tag: "Ended", by })
  }
}
