import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SafeIntegers, SqlClient } from "effect/sql/SqlClient"
import * as Stream from "effect/Stream"
import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, vi } from "@effect/vitest"
import * as Fault from "../src/internal/sql/Fault.ts"
import * as NodeSqlite from "../src/NodeSqlite.ts"
import { live, test } from "@pawl/test-support/Tests"
import { files } from "@pawl/test-support/Stores"

const file = files()
const open = (filename: string) =>
  Effect.map(Layer.build(Layer.fresh(NodeSqlite.layer({ filename }))), Context.get(SqlClient))

const refusal = (filename: string) =>
  Effect.map(Effect.flip(open(filename)), ({ message }) => message)

const cannot = (filename: string, reason: string) =>
  `The SQLite file ${filename} cannot be used: ${reason}`

describe("NodeSqlite", () => {
  test.each([
    ["database or disk is full", "make room on its disk"],
    // The disk has no room for the index of the log.
    ["disk I/O error", "make room on its disk, or repair it"]
  ])("a start that fails with %s says what to do", function* (reason, advice) {
    const { filename } = file()
    const spy = vi.spyOn(DatabaseSync.prototype, "exec").mockImplementation(() => {
      throw new Error(reason)
    })
    const message = yield* Effect.ensuring(
      refusal(filename),
      Effect.sync(() => spy.mockRestore())
    )
    expect(message).toBe(cannot(filename, `${reason}; ${advice}`))
  })

  live("names the reason why a file cannot be used", function* () {
    const { filename } = file()
    const absent = join(filename, "no", "such.db")
    const directory = "its directory must exist, and both must be readable and writable"
    expect(yield* refusal(absent)).toBe(cannot(absent, directory))
    const folder = dirname(filename)
    expect(yield* refusal(folder)).toBe(cannot(folder, "it is a directory; name another file"))
    writeFileSync(filename, "no database, but long enough to be looked at as one".repeat(20))
    const other = "file is not a database; name another file"
    expect(yield* refusal(filename)).toBe(cannot(filename, other))
    const damaged = file().filename
    const before = new DatabaseSync(damaged)
    before.exec("CREATE TABLE t (a)")
    before.close()
    writeFileSync(damaged, readFileSync(damaged).fill(255, 100))
    const malformed = "database disk image is malformed; restore it from a backup"
    expect(yield* refusal(damaged)).toBe(cannot(damaged, malformed))
    const held = file().filename
    const holder = new DatabaseSync(held)
    holder.exec("PRAGMA journal_mode = WAL; BEGIN EXCLUSIVE")
    const locked = "another process has locked it; end that process, or name another file"
    expect(yield* refusal(held)).toBe(cannot(held, locked))
    holder.close()
    yield* open(held)
    const readOnly = `file:${held}?mode=ro`
    expect(yield* refusal(readOnly)).toBe(cannot(readOnly, directory))
  })

  test("uses a write-ahead log, which SQLite flushes only for itself (R08)", function* () {
    const sql = yield* open(file().filename)
    expect(yield* sql`PRAGMA journal_mode`.values).toEqual([["wal"]])
    expect(yield* sql`PRAGMA synchronous`.values).toEqual([[1]])
    for (const name of [":memory:", "file::memory:", "file:m?mode=memory", "file:/m?vfs=memdb"]) {
      const memory = yield* open(name)
      expect(yield* memory`PRAGMA synchronous`.values).toEqual([[1]])
    }
  })

  test("A35: only the owner may read the files, also those of an older version", function* () {
    const modesOf = (filename: string) =>
      ["", "-wal", "-shm"].map((suffix) => (statSync(filename + suffix).mode & 0o777).toString(8))
    const made = file().filename
    yield* open(made)
    expect(modesOf(made)).toEqual(["600", "600", "600"])
    const named = file().filename
    yield* open(`file:${named}?cache=private`)
    expect(modesOf(named)).toEqual(["600", "600", "600"])
    const older = file().filename
    const holder = new DatabaseSync(older)
    holder.exec("PRAGMA journal_mode = WAL; CREATE TABLE t (a)")
    for (const suffix of ["", "-wal", "-shm"]) chmodSync(older + suffix, 0o644)
    yield* open(older)
    expect(modesOf(older)).toEqual(["600", "600", "600"])
    holder.close()
  })

  test("A35: reads the escapes of a URI as SQLite does", function* () {
    const folder = dirname(file().filename)
    for (const [name, path] of [
      ["a%", "a%"],
      ["b%2.db", "b%2.db"],
      ["c%41%zz.db", "cA%zz.db"],
      ["d%C3%A4.db", "dä.db"]
    ] as const) {
      yield* open(`file:${folder}/${name}`)
      expect(statSync(join(folder, path)).mode & 0o777).toBe(0o600)
    }
    const unnamed = yield* Effect.flip(open(`file:${folder}/e%ff.db`))
    expect(unnamed._tag).toBe("SqlError")
  })

  test("leaves the mode of a file that is no database, and of a directory", function* () {
    const { filename } = file()
    writeFileSync(filename, "no database, but long enough to be looked at as one".repeat(20))
    chmodSync(filename, 0o644)
    yield* refusal(filename)
    expect(statSync(filename).mode & 0o777).toBe(0o644)
    yield* refusal(dirname(filename))
    expect(statSync(dirname(filename)).mode & 0o777).toBe(0o700)
  })

  test.each(["", "file:", "file://"])("A44: is no device: %s", function* (scheme) {
    const device = file().filename
    symlinkSync("/dev/null", device)
    const { mode } = statSync(device)
    expect(yield* refusal(`${scheme}${device}`)).toMatch(
      /cannot be used: it is not a regular file; name another file$/u
    )
    expect(statSync(device).mode).toBe(mode)
    expect(existsSync(`${device}-wal`)).toBe(false)
  })

  test("R04: a transaction in which the disk was full commits nothing, whatever its program does next", function* () {
    const sql = yield* open(file().filename)
    yield* sql`CREATE TABLE t (a TEXT)`
    yield* sql`PRAGMA max_page_count = 6`
    const insert = (text: string) => sql`INSERT INTO t VALUES (${text})`
    const tooLarge = Effect.ignore(insert("x".repeat(100_000)))
    for (const failing of [tooLarge, sql.withTransaction(tooLarge)]) {
      const work = Effect.all([insert("before"), failing, Effect.ignore(insert("behind"))])
      yield* Effect.flip(sql.withTransaction(work))
      expect(yield* sql`SELECT a FROM t`).toEqual([])
    }
    yield* sql.withTransaction(insert("later"))
    expect(yield* sql`SELECT a FROM t`.values).toEqual([["later"]])
  })

  test("R43: the write-ahead log is cut back after a long reader", function* () {
    const { filename } = file()
    const sql = yield* open(filename)
    yield* sql`CREATE TABLE t (a BLOB)`
    const write = sql`INSERT INTO t VALUES (zeroblob(1000000))`
    const sizeOf = () => statSync(`${filename}-wal`).size
    const reader = new DatabaseSync(filename)
    reader.exec("BEGIN; SELECT count(*) FROM t")
    for (let n = 0; n < 20; n++) yield* write
    expect(sizeOf()).toBeGreaterThan(20_000_000)
    reader.close()
    for (let n = 0; n < 2; n++) yield* write
    expect(sizeOf()).toBeLessThanOrEqual(4 * 1024 * 1024)
  })

  test("R30: a file that was removed, renamed or replaced is not written any more", function* () {
    const { filename } = file()
    const sql = yield* open(filename)
    yield* sql`CREATE TABLE t (a INTEGER)`
    const insert = sql`INSERT INTO t VALUES (1)`
    const gone = `The SQLite file ${filename} was removed or replaced while it was open: start the receiver again`
    const refusalOf = (work: Effect.Effect<unknown, { readonly message: string }>) =>
      Effect.map(Effect.flip(work), ({ message }) => message)

    renameSync(filename, `${filename}.moved`)
    expect(Fault.of(yield* Effect.flip(insert))).toEqual({ kind: "unavailable", cause: gone })
    expect(yield* refusalOf(insert)).toBe(gone)
    expect(yield* refusalOf(sql`SELECT * FROM t`)).toBe(gone)
    copyFileSync(`${filename}.moved`, filename)
    expect(yield* refusalOf(sql.withTransaction(insert))).toBe(gone)
    renameSync(`${filename}.moved`, filename)
    yield* insert

    const replaceWithin = Effect.sync(() => renameSync(filename, `${filename}.moved`))
    expect(yield* refusalOf(sql.withTransaction(Effect.andThen(insert, replaceWithin)))).toBe(gone)
    renameSync(`${filename}.moved`, filename)
    expect(yield* sql`SELECT count(*) FROM t`.values).toEqual([[1]])

    rmSync(`${filename}-wal`)
    expect(yield* refusalOf(insert)).toBe(gone)
    rmSync(filename)
    expect(yield* refusalOf(insert)).toBe(gone)
  })

  test("R30: a file whose index of the log was removed is not written any more, because the next process makes another one", function* () {
    const { filename } = file()
    const sql = yield* open(filename)
    yield* sql`CREATE TABLE t (a INTEGER)`
    rmSync(`${filename}-shm`)
    expect((yield* Effect.flip(sql`INSERT INTO t VALUES (1)`)).message).toBe(
      `The SQLite file ${filename} was removed or replaced while it was open: start the receiver again`
    )
  })

  test("R30: a file whose index of the log is in memory is written until the file is removed", function* () {
    const { filename } = file()
    const sql = yield* open(`file:${filename}?vfs=unix-excl`)
    yield* sql`CREATE TABLE t (a INTEGER)`
    expect(existsSync(`${filename}-shm`)).toBe(false)
    rmSync(filename)
    expect((yield* Effect.flip(sql`INSERT INTO t VALUES (1)`)).message).toBe(
      `The SQLite file ${filename} was removed or replaced while it was open: start the receiver again`
    )
  })

  test("R30: a file with several names is not opened, because each has another log", function* () {
    const [filename, link] = [file().filename, file().filename]
    const sql = yield* open(filename)
    yield* sql`CREATE TABLE t (a INTEGER)`
    linkSync(filename, link)
    for (const name of [filename, link]) {
      expect((yield* Effect.flip(open(name))).message).toBe(
        `The SQLite file ${name} cannot be used: it has several names (hard links), each with a log of its own; keep one`
      )
    }
    rmSync(link)
    yield* open(filename)
  })

  test("R30: a link names the file that it led to at the start", function* () {
    const [first, second, link] = [file().filename, file().filename, file().filename]
    yield* open(second)
    symlinkSync(first, link)
    const sql = yield* open(link)
    yield* sql`CREATE TABLE t (a INTEGER)`
    for (const each of [first, `${first}-wal`]) expect(statSync(each).mode & 0o777).toBe(0o600)
    rmSync(link)
    symlinkSync(second, link)
    expect((yield* Effect.flip(sql`INSERT INTO t VALUES (1)`)).message).toBe(
      `The SQLite file ${link} was removed or replaced while it was open: start the receiver again`
    )
  })

  test("rolls back a transaction, and a nested one alone", function* () {
    const sql = yield* open(file().filename)
    yield* sql`CREATE TABLE t (a INTEGER PRIMARY KEY, b)`
    const insert = (a: number, b: unknown) => sql`INSERT INTO t ${sql.insert({ a, b })}`
    const failed = insert(1, "x").pipe(
      Effect.andThen(insert(1, "y")),
      sql.withTransaction,
      Effect.flip
    )
    expect(yield* failed).toMatchObject({ reason: { _tag: "ConstraintError" } })
    expect(yield* sql`SELECT * FROM t`).toEqual([])
    yield* insert(2, "x").pipe(
      Effect.andThen(
        Effect.ignore(sql.withTransaction(Effect.andThen(insert(3, "y"), Effect.fail("no"))))
      ),
      Effect.andThen(insert(4, null)),
      sql.withTransaction
    )
    expect(yield* sql`SELECT a FROM t ORDER BY a`.values).toEqual([[2], [4]])
  })

  test("holds the write lock from the beginning of a transaction to its end", function* () {
    const { filename } = file()
    const sql = yield* open(filename)
    const other = new DatabaseSync(filename, { timeout: 0 })
    const write = () => other.exec("BEGIN IMMEDIATE; ROLLBACK")
    yield* sql.withTransaction(Effect.sync(() => expect(write).toThrow("locked")))
    write()
    other.close()
  })

  test("returns rows, values, streams and integers unchanged", function* () {
    const sql = yield* open(file().filename)
    const bytes = new Uint8Array([0, 255, 1])
    const row = { a: "\u2028 '; --", b: 1.5, c: null, d: bytes }
    const select = sql`SELECT ${row.a} AS a, ${row.b} AS b, ${undefined} AS c, ${bytes} AS d`
    expect(yield* select).toEqual([row])
    expect(yield* select.unprepared).toEqual([row])
    expect(yield* select.values).toEqual([Object.values(row)])
    expect(yield* select).toEqual([row])
    expect(yield* Stream.runCollect(select.stream)).toEqual([row])
    const large = sql`SELECT 9007199254740993 AS n`
    expect(yield* Effect.provideService(large, SafeIntegers, true)).toEqual([
      { n: 9007199254740993n }
    ])
    expect(yield* Effect.flip(large)).toMatchObject({ _tag: "SqlError" })
    expect(yield* Effect.flip(sql`SELECT nothing`)).toMatchObject({ _tag: "SqlError" })
  })

  test("runs statements again that are no longer prepared", function* () {
    const sql = yield* open(":memory:")
    const numbers = Array.from({ length: 250 }, (_, index) => index)
    for (const round of [1, 2]) {
      for (const n of numbers) {
        expect(yield* sql.unsafe(`SELECT ${n} AS n, ${round} AS round`)).toEqual([{ n, round }])
      }
    }
  })
})
