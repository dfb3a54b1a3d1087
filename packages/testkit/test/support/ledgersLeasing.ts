import { perLane, type Leased, type Row } from "@pawl/webhook/internal/rule/Row"
import * as Effect from "effect/Effect"
import * as Struct from "effect/Struct"
import { keyOf, seeing, watching, type ChangeLedger } from "./ledgerBugs.ts"
import { bugsOf } from "@pawl/test-support/Bugs"

export const leasing = bugsOf<ChangeLedger>({
  "a row is due": {
    "a claim that leases rows does not return when the next row is due": (ledger) => ({
      claim: (asked) =>
        Effect.map(ledger.claim(asked), (claimed) =>
          claimed.rows.length > 0 ? { ...claimed, dueAt: undefined } : claimed
        )
    }),
    "a claim leases at least one row": (ledger) => ({
      claim: (asked) => ledger.claim(asked.limit === 0 ? { ...asked, limit: 1 } : asked)
    }),
    "a claim leases rows of lanes that were not asked for": (ledger) => ({
      claim: (asked) =>
        ledger.claim({ ...asked, limit: Math.max(...Object.values(perLane(asked.limit))) })
    }),
    "a released row waits in the lane of repeats": (ledger) => ({
      write: (leased, change) =>
        ledger.write(
          leased,
          change.release === undefined
            ? change
            : { ...change, release: { dueAt: change.release.dueAt } }
        )
    }),
    "the backlog counts rows that are not due yet": (ledger) => ({
      backlog: () => ledger.backlog(9e15)
    }),
    "a lease cannot be renewed": (ledger) => ({
      write: (leased, change) => ledger.write(leased, Struct.omit(change, ["until"]))
    }),
    "a claimed row counts as handled": (ledger) => ({
      claim: (asked) =>
        Effect.map(ledger.claim({ ...asked, until: 9e15 }), ({ dueAt, rows }) => ({
          rows,
          dueAt: dueAt === 9e15 ? undefined : dueAt
        }))
    }),
    "a clock that is set back leaves rows due in the future": () => ({ shift: () => Effect.void })
  },
  "one worker has": {
    "a write is made without the lease": (ledger) => {
      const { leases, port } = watching(ledger)
      return {
        ...port,
        write: Effect.fnUntraced(function* (leased, change) {
          const written = yield* port.write(leased, change)
          const held = leases.get(keyOf(leased))
          if (written !== undefined || held === undefined || held.lease === leased.lease)
            return written
          return yield* port.write(held, change)
        })
      }
    },
    "all leases have the same id": (ledger) => {
      const { leases, port } = watching(ledger)
      const flagged = (row: Leased): Leased => ({ ...row, lease: 1 })
      return {
        ...port,
        claim: (asked) =>
          Effect.map(port.claim(asked), ({ dueAt, rows }) => ({ dueAt, rows: rows.map(flagged) })),
        write: (leased, change) => {
          const lease = leases.get(keyOf(leased))?.lease ?? 0
          return Effect.map(port.write({ ...leased, lease }, change), (row) => row && flagged(row))
        }
      }
    }
  },
  "evidence is joined": {
    "the read that arrives last replaces a newer one": (ledger) => {
      const last = new Map<string, Row["read"]>()
      return {
        write: (leased, change) => {
          const key = keyOf(leased)
          if (change.read !== undefined) last.set(key, change.read)
          return Effect.map(
            ledger.write(leased, change),
            (row) => row && { ...row, read: last.get(key) ?? row.read }
          )
        }
      }
    }
  },
  "a new status": {
    "a write undoes the ladder that a new status restarted": (ledger) => {
      const ladders = new Map<string, Pick<Row, "polls" | "pollAt">>()
      return {
        ...seeing((row) => ({ ...row, ...ladders.get(row.transactionId) }))(ledger),
        accept: (verified, at) =>
          Effect.tap(ledger.accept(verified, at), ({ isNew }) =>
            Effect.sync(() => isNew && ladders.delete(verified.transactionId))
          ),
        write: (leased, change) =>
          Effect.tap(ledger.write(leased, change), (written) =>
            Effect.sync(() => {
              const { pollAt, polls = leased.polls } = change
              if (written !== undefined && pollAt !== undefined)
                ladders.set(leased.transactionId, { polls, pollAt })
            })
          )
      }
    }
  },
  "of the first reads": {
    "all first reads are made oldest first": (ledger) => ({
      claim: (asked) => ledger.claim({ ...asked, newest: 0 })
    }),
    "all first reads are made newest first": (ledger) => ({
      claim: (asked) => ledger.claim({ ...asked, newest: asked.newest && perLane(asked.limit).ask })
    })
  },
  "planned reads": {
    "planned reads stay planned after an outage": () => ({ bringForward: () => Effect.undefined }),
    "all planned reads are made at once after an outage": (ledger) => ({
      bringForward: (page) => ledger.bringForward({ ...page, rate: 1_000_000 })
    })
  },
  "the reads that are reserved": {
    "each process has a read budget of its own": (ledger) => ({
      reserveReads: (wanted, at) => ledger.reserveReads({ ...wanted, limit: 3 * wanted.limit }, at)
    }),
    "reads of the watch are reserved while claims wait": (ledger) => ({
      reserveReads: ({ limit, reads }, at) =>
        ledger.reserveReads(
          { limit, reads: { ask: reads.ask + reads.watch, repeat: reads.repeat, watch: 0 } },
          at
        )
    }),
    "a 429 only pauses reads, and lowers no rate": (ledger) => {
      let pausedUntil = 0
      return {
        lowerReads: ({ retryAfter = 0 }, at) =>
          Effect.sync(() => {
            pausedUntil = at + retryAfter
          }),
        reserveReads: (wanted, at) =>
          at < pausedUntil
            ? Effect.succeed({ at, times: [], retryAt: pausedUntil, rate: 0 })
            : ledger.reserveReads(wanted, at)
      }
    }
  },
  "the last time": {
    "a worker that was alive before the clock was set back is remembered": (ledger) => ({
      noteAlive: Effect.fnUntraced(function* (at) {
        const last = yield* ledger.lastAliveAt
        yield* ledger.noteAlive(Math.max(at, last ?? at))
      })
    })
  },
  "awaitWork completes": {
    "a waiting worker is woken without work": () => ({ awaitWork: Effect.void })
  }
})
