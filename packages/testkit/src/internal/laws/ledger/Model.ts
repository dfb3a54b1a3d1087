/**
 * A plain model of the ledger: what is left of any history, written without a thought of how it is kept.
 *
 * @since 0.1.0
 */
import { unsigned } from "@pawl/core/Callback"
import * as Evidence from "@pawl/core/Evidence"
import { type Status, statuses } from "@pawl/core/Status"
import type { Kind, Method } from "@pawl/core/Kind"
import type { Registration } from "@pawl/webhook/Ledger"
import { blank, type Change, type Key, type Leased, type Row } from "@pawl/webhook/Row"
import type { Verified } from "@pawl/webhook/Verifier"
import * as Struct from "effect/Struct"
import type { Known } from "./Steps.ts"

/**
 * A row of the model: what was ever seen of it, and who holds it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Kept {
  readonly row: Row
  readonly dueAt: number
  readonly heard: Readonly<Partial<Record<Status, number>>>
  readonly lease:
    | { readonly token: number; readonly until: number; readonly isReset: boolean }
    | undefined
}

/**
 * The kinds that are known of each method, in the order they are looked for.
 *
 * @category constants
 * @since 0.1.0
 */
export const kinds: Readonly<Record<Method, ReadonlyArray<Known>>> = {
  card: ["card-payment", "card-payout", "refund"],
  apm: ["apm-payment", "apm-payout"]
}

/**
 * Names a row.
 *
 * @category getters
 * @since 0.1.0
 */
export const keyOf = ({ scope, transactionId }: Pick<Row, "scope" | "transactionId">) =>
  `${scope} ${transactionId}`

/**
 * Returns when a row may be claimed; Infinity when it may not.
 *
 * @category getters
 * @since 0.1.0
 */
export const freeAt = ({ dueAt, lease }: Kept) => lease?.until ?? dueAt

const methodOf = (kind: Kind): Method => (kind.startsWith("apm") ? "apm" : "card")

/**
 * Makes a model of a ledger that is empty.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = () => {
  const kept = new Map<string, Kept>()
  const all = () => [...kept.values()]
  const keep = (each: Kept) => kept.set(keyOf(each.row), each)
  const under = (method: Method, transactionId: string) =>
    all().filter(({ row }) => row.method === method && row.transactionId === transactionId)
  const find = (method: Method, transactionId: string, order: ReadonlyArray<Kind>) => {
    const there = under(method, transactionId)
    return order.flatMap((kind) => there.filter(({ row }) => row.kind === kind))[0]
  }
  const findOrMake = (kind: Kind, id: string, at: number, takesUnknown: boolean): Kept => {
    const method = methodOf(kind)
    const wanted = kind === method ? kinds[method] : [kind]
    const found = find(method, id, takesUnknown ? [...wanted, method] : wanted)
    return found ?? { row: blank(kind, id, at), dueAt: Infinity, heard: {}, lease: undefined }
  }

  return {
    all,
    of: (row: Row) => kept.get(keyOf(row)),
    get: (method: Method, transactionId: string) =>
      find(method, transactionId, [...kinds[method], method])?.row,
    /** When the next row may be claimed. */
    soonest: () => {
      const least = Math.min(...all().map(freeAt))
      return least === Infinity ? undefined : least
    },

    accept: (said: Verified, status: Status, at: number) => {
      const { kind, method } = said
      const before = findOrMake(kind, said.transactionId, at, kind !== "refund")
      const { row } = before
      const isNew = !Evidence.claimedStatuses(row.evidence).includes(status)
      const isSure = Evidence.confirmedStatuses(row.evidence).includes(status)
      const heard = { signed: said.signed, unsigned: unsigned(method, said.body) }
      keep({
        row: {
          ...row,
          kind: row.kind === method ? kind : row.kind,
          ordered: row.ordered ?? said.ordered,
          secret: "current",
          evidence: Evidence.join(row.evidence, Evidence.claimed(status)),
          callbacks: row.callbacks + 1,
          unconfirmedAt: isSure ? row.unconfirmedAt : at,
          newestCallbacks: { ...row.newestCallbacks, [status]: heard },
          ...(isNew && { newStatusAt: at, polls: 0, pollAt: undefined })
        },
        heard: { ...before.heard, [status]: at },
        dueAt: isNew || !isSure ? Math.min(before.dueAt, at) : before.dueAt,
        lease: before.lease && { ...before.lease, isReset: before.lease.isReset || isNew }
      })
      return { isNew }
    },

    register: ({ amount, kind, status, transactionId }: Registration, at: number) => {
      const before = findOrMake(kind, transactionId, at, true)
      const seen = status === undefined ? Evidence.none : Evidence.confirmed(status)
      keep({
        ...before,
        row: {
          ...before.row,
          kind,
          ordered: amount === undefined ? before.row.ordered : { amount },
          evidence: Evidence.join(before.row.evidence, seen)
        },
        dueAt: Math.min(before.dueAt, at)
      })
    },

    lease: (before: Kept, token: number, until: number) =>
      keep({ ...before, dueAt: Infinity, lease: { token, until, isReset: false } }),

    /** Returns the row that is there after a write; or that it was joined to another, or was not written. */
    write: (given: Leased, change: Change): Row | "joined" | "not written" => {
      const before = kept.get(keyOf(given))
      if (before?.lease?.token !== given.lease) return "not written"
      const { evidence, read, release, ifSequence, until, ...rest } = change
      if (ifSequence !== undefined && ifSequence !== before.row.sequence) return "not written"
      const row: Row = {
        ...before.row,
        ...rest,
        evidence: Evidence.join(before.row.evidence, evidence ?? Evidence.none),
        read: Evidence.joinRead(before.row.read, read),
        ...(before.lease.isReset && Struct.pick(before.row, ["polls", "pollAt"]))
      }
      const twin =
        change.kind !== undefined &&
        under(row.method, row.transactionId).find(
          (other) => other.row.scope !== row.scope && other.row.kind === row.kind
        )
      if (twin) {
        const isMore = Evidence.claimedStatuses(row.evidence & ~twin.row.evidence).length > 0
        kept.delete(keyOf(row))
        keep({
          row: {
            ...twin.row,
            evidence: Evidence.join(twin.row.evidence, row.evidence),
            callbacks: twin.row.callbacks + row.callbacks,
            ordered: twin.row.ordered ?? row.ordered,
            told: twin.row.told ?? row.told,
            newestCallbacks: { ...row.newestCallbacks, ...twin.row.newestCallbacks }
          },
          heard: { ...before.heard, ...twin.heard },
          lease: twin.lease && { ...twin.lease, isReset: twin.lease.isReset || isMore },
          dueAt: Math.min(twin.dueAt, row.newStatusAt)
        })
        return "joined"
      }
      keep({
        ...before,
        row,
        ...(release === undefined
          ? { lease: { ...before.lease, until: until ?? before.lease.until } }
          : { dueAt: Math.min(before.dueAt, release.dueAt ?? Infinity), lease: undefined })
      })
      return row
    },

    redrive: ({ method, scope, transactionId }: Key, at: number) => {
      const found = under(method, transactionId).filter(
        ({ row }) => row.deadLetter !== undefined && (scope ?? row.scope) === row.scope
      )
      for (const each of found) {
        const reason = each.row.deadLetter?.reason
        keep({
          ...each,
          row: {
            ...each.row,
            deadLetter: undefined,
            amountCleared: each.row.amountCleared || reason === "amount-mismatch",
            failingSince: undefined,
            retryAt: at,
            pollAt: reason === "unknown-transaction" ? at : each.row.pollAt
          },
          dueAt: Math.min(each.dueAt, at)
        })
      }
      return found.length > 0
    },

    forget: (before: number) => {
      let count = 0
      for (const each of all()) {
        if (each.row.deadLetter !== undefined) continue
        const old = statuses.filter((status) => (each.heard[status] ?? Infinity) < before)
        count += old.length
        keep({
          ...each,
          row: { ...each.row, newestCallbacks: Struct.omit(each.row.newestCallbacks, old) },
          heard: Struct.omit(each.heard, old)
        })
      }
      return count
    }
  }
}
