import type { Method } from "@pawl/core/Kind"
import * as Row from "@pawl/webhook/internal/rule/Row"
import * as Erasure from "@pawl/webhook/internal/rule/Erasure"
import { shardOf } from "@pawl/webhook/internal/records/Engines"
import * as StoredRow from "@pawl/webhook/internal/rule/StoredRow"
import * as Struct from "effect/Struct"

interface Id {
  readonly method: Method
  readonly transactionId: string
}

export const make = () => {
  const stored = new Map<string, Id & { readonly rows: StoredRow.StoredRows }>()
  const textOf = ({ method, transactionId }: Id) => `${method} ${transactionId}`
  const all = () => [...stored.values()].flatMap(({ rows }) => rows)
  const set = (id: Id, rows: StoredRow.StoredRows) => {
    const { method, transactionId } = id
    if (rows.length > 0) stored.set(textOf(id), { method, transactionId, rows })
  }
  return {
    all,
    shards: (count: number): ReadonlyArray<StoredRow.StoredRows> =>
      Array.from({ length: count }, (_, position) =>
        [...stored.values()].flatMap((each) => (shardOf(each, count) === position ? each.rows : []))
      ),
    set,
    of: (id: Id) => stored.get(textOf(id))?.rows ?? [],
    keys: (): ReadonlyArray<readonly [name: string, id: Id]> => [...stored],
    shift: (options: Parameters<typeof StoredRow.shift>[1]): void => {
      for (const each of stored.values()) {
        set(
          each,
          each.rows.map((one) => StoredRow.shift(one, options))
        )
      }
    },
    /** Ignores lanes whose limit is 0. */
    nextAt: (limits: number | Row.PerLane = Infinity): number | undefined => {
      const limit = Row.perLane(limits)
      const times = all().flatMap((each) =>
        limit[each.lane] > 0 ? StoredRow.claimableAt(each) : []
      )
      const next = Math.min(...times)
      return next === Infinity ? undefined : next
    },
    deleteBodies: (options: { readonly before: number; readonly limit: number }): number => {
      let deleted = 0
      for (const each of stored.values()) {
        const { count, rows } = Erasure.deleteBodies(each.rows, options)
        deleted += count
        // Else a join would bring a deleted body back.
        const left = rows.map((one) => ({
          ...one,
          bodies: Struct.pick(one.bodies, Struct.keys(one.row.newestCallbacks))
        }))
        set(each, left)
      }
      return deleted
    }
  }
}

export const dueTimes = (
  rows: StoredRow.StoredRows,
  at: number,
  limit?: number | Row.PerLane
): ReadonlyArray<number> => StoredRow.claimable(rows, at, limit).map(StoredRow.claimableAt)
