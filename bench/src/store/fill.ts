/**
 * Fills a ledger with many documents in a short time: copies all rows of one transaction under new
 * ids, by the tables and columns of the catalog.
 */
import type { Place } from "./places.ts"

const atOnce = 100_000
/** The id of the first copy, above those of a run. */
const firstId = 500_000_000

interface Column {
  readonly table_name: string
  readonly name: string
  readonly type: string
}

const columns = {
  postgres: `SELECT table_name, column_name AS name, udt_name AS type FROM information_schema.columns
    WHERE table_schema = current_schema() AND table_name LIKE 'pawl\\_%' AND is_generated = 'NEVER'
      AND table_name NOT IN (SELECT table_name FROM information_schema.views)
      AND is_identity = 'NO' AND coalesce(column_default, '') NOT LIKE 'nextval%'`,
  sqlite: `SELECT m.name AS table_name, c.name, lower(c.type) AS type
    FROM sqlite_master AS m, pragma_table_xinfo(m.name) AS c
    WHERE m.type = 'table' AND m.name LIKE 'pawl\\_%' ESCAPE '\\' AND c.hidden = 0
      AND NOT (c.pk = 1 AND c.type = 'INTEGER')`
}

const isBytes = (type: string): boolean => type === "bytea" || type === "blob"
const isText = (type: string): boolean => /text|char|json/u.test(type)

const edits = {
  postgres: (name: string, type: string, id: string) =>
    isBytes(type)
      ? {
          copy: `decode(replace(encode(${name}, 'hex'), encode('${id}', 'hex'), encode(n::text::bytea, 'hex')), 'hex')`,
          test: `position('${id}'::bytea IN ${name}) > 0`
        }
      : {
          copy: `replace(${name}::text, '${id}', n::text)::${type}`,
          test: `position('${id}' IN ${name}::text) > 0`
        },
  sqlite: (name: string, type: string, id: string) =>
    isBytes(type)
      ? {
          copy: `unhex(replace(hex(${name}), hex('${id}'), hex(CAST(n AS TEXT))))`,
          test: `instr(hex(${name}), hex('${id}')) > 0`
        }
      : {
          copy: `replace(${name}, '${id}', CAST(n AS TEXT))`,
          test: `instr(${name}, '${id}') > 0`
        }
}

export const fill = async (
  { query, store }: Place,
  id: string,
  count: number,
  log: (line: string) => void
): Promise<void> => {
  const tables = Map.groupBy(await query<Column>(columns[store]), ({ table_name }) => table_name)
  const edit = edits[store]
  const series =
    store === "postgres"
      ? (from: number, to: number) => `generate_series(${from}, ${to}) AS series (n)`
      : (from: number, to: number) =>
          `(WITH RECURSIVE series (n) AS (SELECT ${from} UNION ALL SELECT n + 1 FROM series WHERE n < ${to})
            SELECT n FROM series)`
  const copies: Array<(from: number, to: number) => string> = []
  for (const [table, all] of tables) {
    const names = all.map(({ name }) => name).join(", ")
    const edited = all.map(({ name, type }) =>
      isText(type) || isBytes(type) ? edit(name, type, id) : { copy: name, test: undefined }
    )
    const tests = edited.flatMap(({ test }) => test ?? [])
    if (tests.length === 0) continue
    const template = `bench_${table}`
    await query(
      `CREATE TABLE ${template} AS SELECT ${names} FROM ${table} WHERE ${tests.join(" OR ")}`
    )
    const values = edited.map(({ copy }) => copy).join(", ")
    copies.push(
      (from, to) =>
        `INSERT INTO ${table} (${names}) SELECT ${values} FROM ${series(from, to)}, ${template}`
    )
  }
  const start = performance.now()
  for (let from = 0; from < count; from += atOnce) {
    const to = Math.min(from + atOnce, count)
    for (const copy of copies) await query(copy(firstId + from, firstId + to - 1))
    const seconds = Math.round((performance.now() - start) / 1000)
    if (to % 1_000_000 === 0) log(`${to} documents after ${seconds} s`)
  }
  for (const table of tables.keys()) await query(`DROP TABLE IF EXISTS bench_${table}`)
  // Without this, PostgreSQL plans statements on many rows as expensive ones.
  await query("ANALYZE")
}
