/**
 * Ledgers that take callbacks and registrations in with a bug.
 */
import * as Evidence from "@pawl/core/Evidence"
import type { Status } from "@pawl/core/Status"
import type { Row } from "@pawl/webhook/Row"
import * as Effect from "effect/Effect"
import { keyOf, nextDue, putOff, seeing, watching, type Planted } from "./plants.ts"

/** The planted bugs. */
export const accepting: ReadonlyArray<Planted> = [
  [
    "which secret verified a callback is forgotten",
    "accept makes a row of a transaction's first callback",
    seeing((row) => ({ ...row, secret: undefined }))
  ],
  [
    "only a transaction's first callback is new",
    "accept keeps the evidence of a repeat",
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
    "write keeps all of an accept that came during the lease",
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
    "a body is copied by assignment, and `__proto__` lost",
    "accept keeps the newest callback of each status",
    seeing((row) => {
      const copy = ({ signed, unsigned }: Required<Row["newest"]>[Status]) => {
        const { metadata, ...rest } = unsigned
        return {
          signed,
          unsigned: { ...rest, ...(metadata && { metadata: Object.assign({}, metadata) }) }
        }
      }
      const newest = Object.entries(row.newest).map(([status, heard]) => [status, copy(heard)])
      return { ...row, newest: Object.fromEntries(newest) as Row["newest"] }
    })
  ],
  [
    "a repeat starts the ladder anew, and moves the poll",
    "accept starts the poll ladder anew",
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
    "accept makes a row due for new evidence",
    (ledger) => ({
      ...ledger,
      accept: Effect.fnUntraced(function* (verified, at) {
        const dueAt = yield* nextDue(ledger)
        const accepted = yield* ledger.accept(verified, at)
        if (!accepted.isNew) yield* putOff(ledger, at, dueAt)
        return accepted
      })
    })
  ],
  [
    "each new status puts the work off",
    "accept never makes a row due later",
    (ledger) => ({
      ...ledger,
      accept: Effect.fnUntraced(function* (verified, at) {
        const before = yield* ledger.get(verified.method, verified.transactionId)
        const accepted = yield* ledger.accept(verified, at)
        if (before !== undefined && verified.claim !== undefined && accepted.isNew)
          yield* putOff(ledger, at, at)
        return accepted
      })
    })
  ],
  [
    "what a column of text cannot hold is dropped",
    "accept gives no row to what is in quarantine",
    (ledger) => ({
      ...ledger,
      quarantined: Effect.map(ledger.quarantined, (all) =>
        all.filter(({ body }) => !JSON.stringify(body).includes("\\u0000"))
      )
    })
  ],
  [
    "an id is a number",
    "accept keeps apart what differs in method or id",
    (ledger) => ({
      ...ledger,
      get: (method, id) => ledger.get(method, /^[\de]+$/u.test(id) ? String(Number(id)) : id)
    })
  ],
  [
    "a row is shown from its first callback on",
    "register makes a row before any callback",
    seeing((row) => (row.callbacks === 0 ? undefined : row))
  ],
  [
    "a row is as old as its registration",
    "register gives a row that a callback made its kind",
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
    "what is registered during a lease is lost",
    "a registration during a lease is not lost",
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
    "terms that were registered stay",
    (ledger) => {
      const newest = new Map<string, Row["terms"]>()
      return {
        ...seeing((row) => ({
          ...row,
          terms: newest.get(keyOf({ ...row, scope: row.kind })) ?? row.terms
        }))(ledger),
        accept: (verified, at) => {
          newest.set(keyOf({ ...verified, scope: verified.kind }), verified.terms)
          return ledger.accept(verified, at)
        }
      }
    }
  ]
]
