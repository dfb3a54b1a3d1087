/** Parts of ledgers with planted bugs, which wrap the ledger in memory. */
import { StoreUnavailable } from "@pawl/core/CallbackError"
import { methodOf } from "@pawl/core/Kind"
import type { Ledger } from "@pawl/webhook/Ledger"
import { type Key, type Leased, type Row, perLane } from "@pawl/webhook/internal/rule/Row"
import * as Effect from "effect/Effect"
import * as Evidence from "@pawl/core/Evidence"
import type { Signed } from "@pawl/core/Callback"
import type { Status } from "@pawl/core/Status"
import { RegisteredDifferently } from "@pawl/webhook/internal/rule/Order"
import * as StoredRow from "@pawl/webhook/internal/rule/StoredRow"
import * as Struct from "effect/Struct"
import { bugsOf } from "@pawl/test-support/Bugs"
import { keyOf, watching } from "@pawl/test-support/Leases"

type Port = Ledger["Service"]
type ChangeLedger = (ledger: Port) => Partial<Port>

const seeing =
  (change: (row: Row) => Row | undefined) =>
  (ledger: Port): Pick<Port, "get"> => ({
    get: (...key) => Effect.map(ledger.get(...key), (row) => row && change(row))
  })

/** Sets when a row without a lease is due, and leaves the rows before it unchanged. */
const putOff = (
  ledger: Port,
  key: Key,
  at: number,
  dueAt: number | undefined
): Effect.Effect<void, StoreUnavailable> =>
  Effect.gen(function* () {
    const since = yield* nextDue(ledger)
    const { rows } = yield* ledger.claim({ at, until: at + 1, limit: 1 })
    for (const row of rows) {
      const isTarget = row.method === key.method && row.transactionId === key.transactionId
      if (!isTarget) yield* putOff(ledger, key, at, dueAt)
      yield* ledger.write(row, { release: { dueAt: isTarget ? dueAt : since } })
    }
  })

const nextDue = (ledger: Port) =>
  Effect.map(ledger.claim({ at: -1, until: -1, limit: 1 }), ({ dueAt }) => dueAt)

export const ledgers = bugsOf<ChangeLedger>({
  "callbacks are counted": {
    "the secret that verified a callback is lost": seeing((row) => ({ ...row, secret: undefined })),
    "a body is copied by assignment, which loses `__proto__`": (ledger) => ({
      body: (...key) =>
        Effect.map(ledger.body(...key), (bytes) => {
          if (bytes === undefined) return undefined
          const { metadata, ...rest } = JSON.parse(new TextDecoder().decode(bytes))
          const copy = { ...rest, ...(metadata && { metadata: Object.assign({}, metadata) }) }
          return new TextEncoder().encode(JSON.stringify(copy))
        })
    })
  },
  "evidence is joined": {
    "only the first callback of a transaction is new": (ledger) => ({
      accept: Effect.fnUntraced(function* (verified, at) {
        const before = yield* ledger.get(verified.method, verified.transactionId)
        const { isNew } = yield* ledger.accept(verified, at)
        return { isNew: isNew && before === undefined }
      })
    }),
    "evidence is overwritten: the last write wins": (ledger) => {
      const last = new Map<string, Status | undefined>()
      return {
        ...seeing((row) => {
          const claim = last.get(row.transactionId)
          return claim === undefined ? row : { ...row, evidence: Evidence.claimed(claim) }
        })(ledger),
        accept: (verified, at) => {
          last.set(verified.transactionId, verified.claim)
          return ledger.accept(verified, at)
        }
      }
    },
    "evidence is kept in 16 bits": seeing((row) => ({ ...row, evidence: row.evidence & 0xffff })),
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
  "a registration changes": {
    "a token's order counts as that of the registration before it": (ledger) => ({
      register: Effect.fnUntraced(function* (operation, at) {
        const row = yield* ledger.get(methodOf(operation.kind), operation.transactionId)
        const differs =
          row?.ordered?.amount !== undefined &&
          operation.amount !== undefined &&
          Number(row.ordered.amount) !== Number(operation.amount)
        if (row?.registered === true && differs)
          return yield* new RegisteredDifferently({ field: "amount" })
        return yield* ledger.register(operation, at)
      })
    })
  },
  "an operation has one row": {
    "operations of one kind are not registered": (ledger) => ({
      register: (operation, at) =>
        operation.kind === "apm-payout" ? Effect.void : ledger.register(operation, at)
    }),
    "an id is read as a number": (ledger) => ({
      get: (method, id) => ledger.get(method, /^[\de]+$/u.test(id) ? String(Number(id)) : id)
    }),
    "a row is not shown before its first callback": seeing((row) =>
      row.callbacks === 0 ? undefined : row
    ),
    "times are kept in 32 bits": seeing((row) => ({ ...row, createdAt: row.createdAt | 0 })),
    "a registration during a lease is lost": (ledger) => {
      const { leases, port } = watching(ledger)
      return {
        ...port,
        register: (operation, at) =>
          [...leases.values()].some(
            ({ transactionId }) => transactionId === operation.transactionId
          )
            ? Effect.void
            : ledger.register(operation, at)
      }
    },
    "accept returns before its commit": (ledger) => ({
      accept: (verified, at) =>
        Effect.as(Effect.forkDetach(Effect.ignore(ledger.accept(verified, at))), { isNew: true })
    })
  },
  "a new status": {
    "a repeat restarts the ladder and moves the poll": (ledger) => {
      const repeated = new Set<string>()
      return {
        ...seeing((row) =>
          repeated.has(keyOf(row)) ? { ...row, polls: 0, pollAt: undefined } : row
        )(ledger),
        accept: (verified, at) =>
          Effect.tap(ledger.accept(verified, at), ({ isNew }) =>
            Effect.sync(() => {
              if (!isNew) repeated.add(keyOf({ ...verified, scope: verified.kind }))
            })
          ),
        write: (leased, change) => {
          repeated.delete(keyOf(leased))
          return ledger.write(leased, change)
        }
      }
    },
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
  "a row is due": {
    "a repeat of an unconfirmed claim makes nothing due": (ledger) => ({
      accept: Effect.fnUntraced(function* (verified, at) {
        const before = yield* ledger.backlog(at)
        const accepted = yield* ledger.accept(verified, at)
        const { due } = yield* ledger.backlog(at)
        if (!accepted.isNew && due > before.due) yield* putOff(ledger, verified, at, undefined)
        return accepted
      })
    }),
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
  "an id that is not signed": {
    "a refund that is not registered is named by an unsigned refundId": (ledger) => ({
      accept: (verified, at) => ledger.accept(StoredRow.ofNamedRefund(verified), at)
    }),
    "the signed fields of another transaction are kept": (ledger) => {
      const signed = new Map<string, Signed>()
      return {
        ...seeing((row) => {
          const kept = Object.entries(row.newestCallbacks).map(([status, each]) => [
            status,
            { ...each, signed: each.signed ?? signed.get(row.transactionId) }
          ])
          return { ...row, newestCallbacks: Object.fromEntries(kept) as typeof row.newestCallbacks }
        })(ledger),
        accept: (verified, at) => {
          if (verified.refundId !== undefined) signed.set(verified.refundId, verified.signed)
          return ledger.accept(verified, at)
        }
      }
    },
    "a registered refund is not found by its refundId": (ledger) => ({
      accept: (verified, at) => ledger.accept({ ...verified, refundId: undefined }, at)
    })
  },
  "a registration and the first callback": {
    "a callback that looks its row up too early makes another one": (ledger) => ({
      accept: Effect.fnUntraced(function* (verified, at) {
        const { method, transactionId } = verified
        const before = yield* ledger.get(method, transactionId)
        yield* Effect.yieldNow
        const isLate = before === undefined && (yield* ledger.get(method, transactionId))
        return yield* ledger.accept(isLate ? StoredRow.ofNamedRefund(verified) : verified, at)
      })
    })
  },
  "a registration changes nothing": {
    "another order of a known operation is dropped without a word": (ledger) => ({
      register: (...call) =>
        Effect.catchTag(ledger.register(...call), "RegisteredDifferently", () => Effect.void)
    })
  },
  "quarantine keeps": {
    "a body with a NUL character is dropped": (ledger) => ({
      quarantined: Effect.map(ledger.quarantined, (all) =>
        all.filter(({ body }) => !JSON.stringify(body).includes("\\u0000"))
      )
    }),
    "a full quarantine refuses a body": (ledger) => ({
      accept: (verified, at) =>
        Effect.flatMap(ledger.accept(verified, at), (accepted) =>
          accepted.reached === "quarantine"
            ? Effect.fail(new StoreUnavailable({}))
            : Effect.succeed(accepted)
        )
    })
  },
  "the order of the first token": {
    "the newest token replaces the order": (ledger) => {
      const newest = new Map<string, Row["ordered"]>()
      return {
        ...seeing((row) => ({
          ...row,
          ordered:
            (row.isOrderRegistered ? undefined : newest.get(keyOf({ ...row, scope: row.kind }))) ??
            row.ordered
        }))(ledger),
        accept: (verified, at) => {
          newest.set(keyOf({ ...verified, scope: verified.kind }), verified.ordered)
          return ledger.accept(verified, at)
        }
      }
    }
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
    },
    "a write is made twice": (ledger) => ({
      write: (leased, change) => ledger.write(leased, Struct.omit(change, ["ifSequence"]))
    })
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
