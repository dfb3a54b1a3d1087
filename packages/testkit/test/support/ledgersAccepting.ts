import * as Evidence from "@pawl/core/Evidence"
import type { Signed } from "@pawl/core/Callback"
import type { Status } from "@pawl/core/Status"
import { methodOf } from "@pawl/core/Kind"
import { RegisteredDifferently } from "@pawl/webhook/internal/rule/Order"
import type { Row } from "@pawl/webhook/internal/rule/Row"
import * as StoredRow from "@pawl/webhook/internal/rule/StoredRow"
import * as Effect from "effect/Effect"
import { keyOf, putOff, seeing, watching, type ChangeLedger } from "./ledgerBugs.ts"
import { bugsOf } from "@pawl/test-support/Bugs"

export const accepting = bugsOf<ChangeLedger>({
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
    "evidence is kept in 16 bits": seeing((row) => ({ ...row, evidence: row.evidence & 0xffff }))
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
      const { isLeased, port } = watching(ledger)
      return {
        ...port,
        register: (operation, at) =>
          isLeased(operation.transactionId) ? Effect.void : ledger.register(operation, at)
      }
    }
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
    })
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
    }
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
  }
})
