/** The shared part of the stores in SQL. */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment, Identifier, Statement } from "effect/sql/Statement"
import {
  type Collection,
  collections,
  type DueRange,
  laneCount,
  type Line,
  type Store,
  type TextPlace,
  type Write
} from "./Records.ts"

/** A BIGINT as drivers return it. */
export type BigInteger = number | bigint | string

export const dueColumns = Array.from({ length: laneCount }, (_, lane) => `due_${lane}`)

export const columns: ReadonlyArray<
  readonly [name: string, type: string, of: (write: Write<string>) => number | string | null]
> = [
  ...dueColumns.map(
    (name, lane) => [name, "BIGINT", ({ index }: Write<string>) => index.due[lane] ?? null] as const
  ),
  ["listed_at", "BIGINT", ({ index }) => index.listed?.[0] ?? null],
  ["listed_until", "BIGINT", ({ index }) => index.listed?.[1] ?? null],
  ["parts", "SMALLINT", ({ index }) => index.parts],
  ["related", "TEXT", ({ index }) => index.related ?? null],
  ["document", "TEXT NOT NULL", ({ document }) => document ?? ""]
]

export const tableOf = (collection: Collection): string => `pawl_${collection}`

export const textsOf = (collection: Collection): string => `${tableOf(collection)}_texts`

export const tables = collections.flatMap((each) => [tableOf(each), textsOf(each)])

export const linesOf = (lines: ReadonlyArray<StoredLine>): ReadonlyArray<Line<string>> =>
  lines.map(({ document, key, listed_at = null, version }) => ({
    key,
    document,
    version: Number(version),
    ...(listed_at !== null && { listedAt: Number(listed_at) })
  }))

export interface StoredLine {
  readonly key: string
  readonly version: BigInteger
  readonly document: string
  readonly listed_at?: BigInteger | null
}

interface Dialect {
  readonly commit: Store<string>["commit"]
  readonly forUpdate: string
  readonly committers: number
  readonly together: Store<string>["together"]
  readonly atomically: Store<string>["atomically"]
  readonly bytes: string
  readonly maxJoined?: number
}

export const make = (sql: SqlClient, dialect: Dialect): Store<string> => {
  const fields = sql.literal("key, version, document, listed_at")
  const lines = (statement: Statement<StoredLine>) => Effect.map(statement, linesOf)
  const eachLane = (make: (column: Identifier) => Fragment): ReadonlyArray<Fragment> =>
    dueColumns.map((column) => make(sql(column)))

  const range = (
    collection: Collection,
    { after, from, isNewestFirst, isTimesOnly, lane, limit, to }: DueRange,
    position: number
  ): Fragment => {
    const due = sql(`due_${lane}`)
    const document = sql.literal(isTimesOnly === true ? "NULL" : "document")
    const order = sql.literal(isNewestFirst === true ? "DESC" : "")
    const byKey = sql.literal(after === undefined ? "" : ", key")
    const behind =
      after === undefined ? sql.literal("") : sql`AND (${due} > ${from} OR key > ${after})`
    return sql`SELECT * FROM (SELECT ${sql.literal(String(position))} AS number, key, version,
        listed_at, ${due} AS at, ${document} AS document FROM ${sql(tableOf(collection))}
      WHERE ${due} >= ${from} AND ${due} <= ${to} ${behind}
      ORDER BY ${due} ${order} ${byKey} LIMIT ${limit}) AS found`
  }

  const remove = Effect.fnUntraced(function* (
    collection: Collection,
    writes: ReadonlyArray<Write<string>>
  ) {
    const conflicts = new Map<string, undefined>()
    const [table, texts] = [sql(tableOf(collection)), sql(textsOf(collection))]
    const lock = sql.literal(dialect.forUpdate)
    for (const { expected, key } of writes) {
      if (expected === undefined) {
        // Waits for a document that is being made with one of the texts, so that it is seen below.
        yield* sql`SELECT name FROM ${texts} WHERE key = ${key} ${lock}`
      } else {
        const removed = yield* sql`DELETE FROM ${table}
          WHERE key = ${key} AND version = ${expected} RETURNING key`
        if (removed.length === 0) {
          conflicts.set(key, undefined)
          continue
        }
      }
      const present = sql`SELECT key FROM ${table} WHERE key = ${key}`
      yield* sql`DELETE FROM ${texts} WHERE key = ${key} AND NOT EXISTS (${present})`
      if (expected === undefined && (yield* present).length > 0) conflicts.set(key, undefined)
    }
    return conflicts
  })

  return {
    commit: (collection, writes, skipsLocked) => {
      const deletes = writes.filter(({ document }) => document === undefined)
      if (deletes.length === 0) return dialect.commit(collection, writes, skipsLocked)
      const kept = writes.filter(({ document }) => document !== undefined)
      const written: ReturnType<Dialect["commit"]> =
        kept.length === 0 ? Effect.succeed(new Map()) : dialect.commit(collection, kept)
      return dialect.atomically(
        Effect.zipWith(
          written,
          remove(collection, deletes),
          (one, two) => new Map([...one, ...two])
        )
      )
    },
    load: (collection, keys, isLocked = false) => {
      const found = sql<StoredLine>`SELECT ${fields} FROM ${sql(tableOf(collection))}
        WHERE ${sql.in("key", keys)} ORDER BY key ${sql.literal(isLocked ? dialect.forUpdate : "")}`
      if (keys.length === 0) return Effect.succeed([])
      return Effect.map(keys.length === 1 ? found : found.unprepared, linesOf)
    },
    due: (collection, ranges) => {
      const all = ranges.map((each, position) => range(collection, each, position))
      const found = Effect.forEach(
        Arr.chunksOf(all, dialect.maxJoined ?? all.length),
        (some) => sql<DueOne>`${sql.join(" UNION ALL ", false)(some)}`
      )
      return Effect.map(found, (chunks) =>
        chunks.flat().map(({ at, document, key, listed_at, number, version }) => ({
          range: number,
          ...(listed_at !== null && { listedAt: Number(listed_at) }),
          key,
          version: Number(version),
          at: Number(at),
          document: document ?? undefined
        }))
      )
    },
    // The `+` keeps the second search, for the few documents of several rows, off the index of all.
    list: (collection, { from, limit }) =>
      lines(sql`SELECT * FROM (SELECT ${fields} FROM ${sql(tableOf(collection))}
          WHERE listed_at >= ${from.at} AND (listed_at > ${from.at} OR key >= ${from.key})
          ORDER BY listed_at, key LIMIT ${limit}) AS listed
        UNION ALL SELECT ${fields} FROM ${sql(tableOf(collection))}
        WHERE parts > 1 AND listed_until >= ${from.at}
          AND (+listed_at < ${from.at} OR listed_at = ${from.at} AND key < ${from.key})`),
    page: (collection, { after, limit, related }) => {
      const isRelated = related === undefined ? sql.literal("") : sql`AND related = ${related}`
      return lines(sql`SELECT ${fields} FROM ${sql(tableOf(collection))}
        WHERE key > ${after} ${isRelated} ORDER BY key LIMIT ${limit}`)
    },
    text: (collection, key, name) =>
      Effect.map(
        sql<{ readonly body: Uint8Array }>`SELECT body FROM ${sql(textsOf(collection))}
          WHERE key = ${key} AND name = ${name}`,
        ([line]) => line?.body
      ),
    texts: (collection, { after, before, limit }) =>
      Effect.map(
        sql<Omit<TextPlace, "at"> & { readonly at: BigInteger }>`SELECT key, name, at
          FROM ${sql(textsOf(collection))} WHERE at < ${before} AND at >= ${after.at}
            AND (at, key, name) > (${after.at}, ${after.key}, ${after.name})
          ORDER BY at, key, name LIMIT ${limit}`,
        (places) => places.map(({ at, key, name }) => ({ at: Number(at), key, name }))
      ),
    // All are counted by indexes alone; those of several rows are searched once.
    count: (collection, at) => {
      const table = sql(tableOf(collection))
      const isDue = eachLane((due) => sql`${due} <= ${at}`)
      const counts = isDue.map((is) => sql`(SELECT count(*) FROM ${table} WHERE ${is})`)
      const lanes = isDue.map((is) => sql`CASE WHEN ${is} THEN 1 ELSE 0 END`)
      return Effect.zipWith(
        sql<
          Readonly<Record<"due" | "listed", BigInteger>>
        >`SELECT ${sql.join(" + ", false)(counts)} AS due,
          (SELECT count(*) FROM ${table} WHERE listed_at IS NOT NULL) AS listed`,
        sql<StoredLine & { readonly lanes: BigInteger }>`SELECT ${fields},
          ${sql.join(" + ", false)(lanes)} AS lanes FROM ${table} WHERE parts > 1
          AND (listed_at IS NOT NULL OR ${sql.or(isDue)})`,
        ([line], stored) => {
          const several = linesOf(stored)
          const ofSeveral = stored.reduce((sum, each) => sum + Number(each.lanes), 0)
          const listed = several.filter(({ listedAt }) => listedAt !== undefined).length
          return {
            due: Number(line?.due ?? 0) - ofSeveral,
            listed: Number(line?.listed ?? 0) - listed,
            several
          }
        }
      )
    },
    bytes: Effect.map(sql.unsafe<{ readonly bytes: BigInteger }>(dialect.bytes), ([line]) =>
      Number(line?.bytes ?? 0)
    ),
    together: dialect.together,
    atomically: dialect.atomically,
    isInTransaction: Effect.map(Effect.serviceOption(sql.transactionService), Option.isSome),
    afterCommit: sql.afterCommit,
    committers: dialect.committers
  }
}

interface DueOne {
  readonly number: number
  readonly key: string
  readonly version: BigInteger
  readonly at: BigInteger
  readonly listed_at: BigInteger | null
  readonly document: string | null
}
