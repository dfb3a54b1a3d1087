/**
 * Ledgers that take callbacks and registrations in with a bug.
 */
import * as Evidence from "@pawl/core/Evidence"
import type { Status } from "@pawl/core/Status"
import type { Row, StoredCallback } from "@pawl/webhook/Row"
import * as Effect from "effect/Effect"
import { keyOf, putOff, seeing, watching, type PlantedBug } from "./ledgerBugs.ts"

/** The planted bugs. */
export const accepting: ReadonlyArray<PlantedBug> = [
  [
    "which secret verified a callback is forgotten",
    "callbacks are counted",
    seeing((row) => ({ ...row, secret: undefined }))
  ],
  [
    "only a transaction's first callback is new",
    "evidence is joined",
    (ledger) => ({
      ...ledger,
      accept: Effect.fnUntraced(function* (verified, at) {
        const before = yield* ledger.get(verified.method, verified.transactionId)
        const { isNew } = yield* ledger.accept(verified, at)
        return { isNew: isNew && before === undefined }
      })
    })
  ],
  [
    "evidence is overwritten: last write wins",
    "evidence is joined",
    (ledger) => {
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
    }
  ],
  [
    "evidence is kept in 16 bits",
    "evidence is joined",
    seeing((row) => ({ ...row, evidence: row.evidence & 0xffff }))
  ],
  [
    "a kind that nobody thought of is not registered",
    "each operation has one row",
    (ledger) => ({
      ...ledger,
      register: (operation, at) =>
        operation.kind === "apm-payout" ? Effect.void : ledger.register(operation, at)
    })
  ],
  [
    "a body is copied by assignment, and `__proto__` lost",
    "callbacks are counted",
    seeing((row) => {
      const copy = ({ at, body, signed }: StoredCallback) => {
        const { metadata, ...rest } = body
        return {
          at,
          signed,
          body: { ...rest, ...(metadata && { metadata: Object.assign({}, metadata) }) }
        }
      }
      const copies = Object.entries(row.newestCallbacks).map(([status, each]) => [
        status,
        copy(each)
      ])
      return { ...row, newestCallbacks: Object.fromEntries(copies) as Row["newestCallbacks"] }
    })
  ],
  [
    "a repeat starts the ladder anew, and moves the poll",
    "a new status",
    (ledger) => {
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
    }
  ],
  [
    "a repeat of a claim makes nothing due",
    "work is due",
    (ledger) => ({
      ...ledger,
      accept: Effect.fnUntraced(function* (verified, at) {
        const before = yield* ledger.backlog(at)
        const accepted = yield* ledger.accept(verified, at)
        const { due } = yield* ledger.backlog(at)
        if (!accepted.isNew && due > before.due) yield* putOff(ledger, verified, at, undefined)
        return accepted
      })
    })
  ],
  [
    "each new status puts the work off",
    "work is due",
    (ledger) => ({
      ...ledger,
      accept: Effect.fnUntraced(function* (verified, at) {
        const before = yield* ledger.get(verified.method, verified.transactionId)
        const accepted = yield* ledger.accept(verified, at)
        if (before !== undefined && verified.claim !== undefined && accepted.isNew)
          yield* putOff(ledger, verified, at, at)
        return accepted
      })
    })
  ],
  [
    "what a column of text cannot hold is dropped",
    "quarantine keeps",
    (ledger) => ({
      ...ledger,
      quarantined: Effect.map(ledger.quarantined, (all) =>
        all.filter(({ body }) => !JSON.stringify(body).includes("\\u0000"))
      )
    })
  ],
  [
    "an id is a number",
    "each operation has",
    (ledger) => ({
      ...ledger,
      get: (method, id) => ledger.get(method, /^[\de]+$/u.test(id) ? String(Number(id)) : id)
    })
  ],
  [
    "a row is shown from its first callback on",
    "each operation has",
    seeing((row) => (row.callbacks === 0 ? undefined : row))
  ],
  [
    "a row is as old as its registration",
    "each operation has",
    (ledger) => {
      const registered = new Map<string, number>()
      return {
        ...seeing((row) => ({
          ...row,
          createdAt: registered.get(row.transactionId) ?? row.createdAt
        }))(ledger),
        register: (operation, at) => {
          registered.set(operation.transactionId, at)
          return ledger.register(operation, at)
        }
      }
    }
  ],
  [
    "times are kept in 32 bits",
    "each operation has",
    seeing((row) => ({ ...row, createdAt: row.createdAt | 0 }))
  ],
  [
    "what is registered during a lease is lost",
    "each operation has",
    (ledger) => {
      const { isLeased, port } = watching(ledger)
      return {
        ...port,
        register: (operation, at) =>
          isLeased(operation.transactionId) ? Effect.void : ledger.register(operation, at)
      }
    }
  ],
  [
    "the terms of the newest token are taken",
    "the terms",
    (ledger) => {
      const newest = new Map<string, Row["ordered"]>()
      return {
        ...seeing((row) => ({
          ...row,
          ordered: newest.get(keyOf({ ...row, scope: row.kind })) ?? row.ordered
        }))(ledger),
        accept: (verified, at) => {
          newest.set(keyOf({ ...verified, scope: verified.kind }), verified.ordered)
          return ledger.accept(verified, at)
        }
      }
    }
  ]
]
