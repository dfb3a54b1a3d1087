/** One writer at a time locks the file, so a document read in its transaction is current. */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Collection, Store, Write } from "./Records.ts"
import * as SqlStore from "./SqlStore.ts"

export const make = (sql: SqlClient): Store<string> =>
  SqlStore.make(sql, {
    commit: (collection, writes) => commit(sql, collection, writes),
    forUpdate: "",
    committers: 1,
    bytes: `SELECT (page_count - freelist_count) * page_size AS bytes
      FROM pragma_page_count, pragma_freelist_count, pragma_page_size`,
    together: sql.withTransaction,
    atomically: sql.withTransaction
  })

type Writes = ReadonlyArray<Write<string>>
type Value = number | string | Uint8Array | null

/** A statement writes as many documents as one of the lengths, the longest first. */
export const commit = Effect.fnUntraced(function* (
  sql: SqlClient,
  collection: Collection,
  writes: Writes,
  lengths: ReadonlyArray<number> = pieceLengths
): Effect.fn.Return<ReadonlyMap<string, undefined>, SqlError> {
  const written = new Set<string>()
  const keep = (lines: ReadonlyArray<object>) => {
    for (const { key } of lines as ReadonlyArray<{ readonly key: string }>) written.add(key)
  }
  const inserts = writes.filter(({ expected }) => expected === undefined)
  const updates = writes.filter(({ expected }) => expected !== undefined)
  for (const piece of pieces(inserts, lengths)) {
    keep(yield* sql.unsafe(insertText(collection, piece.length), piece.flatMap(insertValues)))
  }
  for (const piece of pieces(updates, lengths)) {
    keep(yield* sql.unsafe(updateText(collection, piece.length), piece.flatMap(updateValues)))
  }
  const own = writes.filter(({ key }) => written.has(key))
  const texts = own.flatMap(({ key, put }) =>
    put.map(({ at, bytes, name }): ReadonlyArray<Value> => [key, name, at, bytes])
  )
  for (const piece of pieces(texts, lengths)) {
    yield* sql.unsafe(textsText(collection, piece.length), piece.flat())
  }
  for (const { key, remove } of own) {
    if (remove.length > 0) {
      yield* sql`DELETE FROM ${sql(SqlStore.textsOf(collection))}
        WHERE key = ${key} AND ${sql.in("name", remove)}`
    }
  }
  return new Map(writes.flatMap(({ key }) => (written.has(key) ? [] : [[key, undefined]])))
})

const names = SqlStore.columns.map(([name]) => name)
const valuesOf = (write: Write<string>): ReadonlyArray<Value> =>
  SqlStore.columns.map(([, , of]) => of(write))
const insertValues = (write: Write<string>) => [write.key, write.version, ...valuesOf(write)]
const updateValues = (write: Write<string>) => [
  write.key,
  write.expected ?? null,
  write.version,
  ...valuesOf(write)
]

const kept = (make: (table: string, length: number, texts: string) => string) => {
  const made = new Map<string, string>()
  return (collection: Collection, length: number): string => {
    const name = `${collection} ${length}`
    const text =
      made.get(name) ?? make(SqlStore.tableOf(collection), length, SqlStore.textsOf(collection))
    made.set(name, text)
    return text
  }
}

const lines = (length: number, width: number): string =>
  Array.from({ length }, () => `(${"?,".repeat(width).slice(0, -1)})`).join()

const insertText = kept(
  (table, length) => `INSERT INTO ${table} (key, version, ${names.join()})
    VALUES ${lines(length, names.length + 2)} ON CONFLICT (key) DO NOTHING RETURNING key`
)

const updateText = kept(
  (table, length) => `WITH given (key, expected, version, ${names.join()})
      AS (VALUES ${lines(length, names.length + 3)})
    UPDATE ${table} AS stored
    SET version = given.version, ${names.map((name) => `${name} = given.${name}`).join()}
    FROM given WHERE stored.key = given.key AND stored.version = given.expected RETURNING key`
)

const textsText = kept(
  (_, length, texts) => `INSERT INTO ${texts} (key, name, at, body) VALUES ${lines(length, 4)}
    ON CONFLICT (key, name) DO UPDATE SET at = excluded.at, body = excluded.body`
)

/** Few lengths, so that the statements stay prepared. */
const pieceLengths = [64, 16, 4, 1]

const pieces = <A>(
  list: ReadonlyArray<A>,
  lengths: ReadonlyArray<number>
): ReadonlyArray<ReadonlyArray<A>> => {
  const found: Array<ReadonlyArray<A>> = []
  for (let start = 0; start < list.length;) {
    const left = list.length - start
    const length = lengths.find((each) => each <= left) ?? 1
    found.push(list.slice(start, start + length))
    start += length
  }
  return found
}
