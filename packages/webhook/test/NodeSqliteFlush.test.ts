import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { SqlClient } from "effect/sql/SqlClient"
import fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { afterEach, beforeEach, describe, expect } from "@effect/vitest"
import { vi } from "vitest"
import * as Fault from "../src/internal/sql/Fault.ts"
import * as NodeSqlite from "../src/NodeSqlite.ts"
import { live, type Steps, test } from "@pawl/test-support/Tests"
import { files } from "@pawl/test-support/Stores"

const file = files()
const here = vi.fn<typeof fs.fdatasyncSync>()
const inThread = vi.fn<(file: number, done: fs.NoParamCallback) => void>()

/** The nanoseconds of a clock that only flushes advance. */
let now = 0n
const slowly = () => {
  now += 21_000_000n
}

beforeEach(() => {
  vi.spyOn(fs, "fdatasyncSync").mockImplementation(here)
  vi.spyOn(fs, "fdatasync").mockImplementation(inThread)
  syncBuiltinESMExports()
  here.mockReset()
  inThread.mockReset().mockImplementation((_, done) => {
    slowly()
    done(null)
  })
})

afterEach(() => {
  vi.restoreAllMocks()
  syncBuiltinESMExports()
})

/** The first flush is awaited. */
const open = (filename = file().filename) =>
  Effect.gen(function* () {
    const sql = Context.get(
      yield* Layer.build(Layer.fresh(NodeSqlite.layer({ filename }))),
      SqlClient
    )
    yield* sql`CREATE TABLE t (a TEXT)`
    here.mockClear()
    return { sql, insert: sql`INSERT INTO t VALUES ('x')` }
  })

const testFlushes = (tests: typeof test) => (name: string, body: () => Steps<Scope.Scope>) =>
  tests(name, function* () {
    const clock = yield* Clock.Clock
    const slow = Object.assign(Object.create(clock), { monotonicTimeNanosUnsafe: () => now })
    yield* Effect.provideService(Effect.gen(body), Clock.Clock, slow)
  })

describe("a flush of the log", () => {
  test("R08: is made once by each commit, and by nothing else", function* () {
    const { insert, sql } = yield* open()
    yield* sql.withTransaction(Effect.all([insert, insert, sql`SELECT * FROM t`]))
    expect(here.mock.calls.length).toBe(1)
    yield* insert
    yield* sql`WITH given (a) AS (VALUES ('y')) INSERT INTO t SELECT a FROM given RETURNING a`
    yield* sql`DELETE FROM t WHERE a = 'y'`
    expect(here.mock.calls.length).toBe(4)
    yield* sql`SELECT * FROM t`
    yield* sql`PRAGMA user_version`
    yield* Effect.exit(sql.withTransaction(Effect.andThen(insert, Effect.fail("no"))))
    expect(here.mock.calls.length).toBe(4)
    expect(inThread.mock.calls.length).toBe(0)
  })

  test("R08: is made of a file whose name is a URI, too", function* () {
    const { insert } = yield* open(`file:${file().filename}`)
    yield* insert
    expect(here.mock.calls.length).toBe(1)
  })

  testFlushes(test)("R08: is what a commit waits for, also when a thread makes it", function* () {
    const { insert, sql } = yield* open()
    here.mockImplementation(slowly)
    yield* Effect.replicateEffect(insert, 3)
    let done: fs.NoParamCallback = () => undefined
    inThread.mockImplementation((_, end) => (done = end))
    for (const work of [insert, sql.withTransaction(insert)]) {
      const commit = yield* Effect.forkChild(work, { startImmediately: true })
      yield* Effect.promise(() => new Promise(setImmediate))
      expect(commit.pollUnsafe()).toBeUndefined()
      slowly()
      done(null)
      expect(Exit.isSuccess(yield* Fiber.await(commit))).toBe(true)
    }
    expect(here.mock.calls.length).toBe(3)
  })

  testFlushes(test)(
    "R48: is made by a thread after three slow ones in a row, and by the process after a fast one",
    function* () {
      const { insert } = yield* open()
      const made = () => [here.mock.calls.length, inThread.mock.calls.length]
      yield* insert
      expect(made()).toEqual([1, 0])
      here.mockImplementation(slowly)
      yield* Effect.replicateEffect(insert, 2)
      here.mockImplementationOnce(() => undefined)
      yield* Effect.replicateEffect(insert, 4)
      expect(made()).toEqual([7, 0])
      yield* insert
      expect(made()).toEqual([7, 1])
      inThread.mockImplementation((_, done) => done(null))
      here.mockReset()
      yield* Effect.all([insert, insert])
      expect(made()).toEqual([1, 2])
    }
  )

  testFlushes(test)(
    "that failed ends the use of the file, even if the next one would succeed",
    function* () {
      for (const isSlow of [false, true]) {
        const { filename } = file()
        const { insert, sql } = yield* open(filename)
        if (isSlow) {
          here.mockImplementation(slowly)
          yield* Effect.replicateEffect(insert, 3)
        }
        const message = `The SQLite file ${filename} could not be flushed to the disk: start the receiver again`
        const broken = Object.assign(new Error("EIO"), { code: "EIO" })
        here.mockImplementationOnce(() => {
          throw broken
        })
        inThread.mockImplementationOnce((_, done) => done(broken))
        for (const work of [insert, insert, sql`SELECT * FROM t`, sql.withTransaction(insert)]) {
          const error = yield* Effect.flip(work)
          expect(error.message).toBe(message)
          expect(Fault.of(error)).toEqual({ kind: "unavailable", cause: message })
        }
      }
    }
  )

  testFlushes(live)(
    "is followed by a checkpoint in a worker thread while flushes are slow",
    function* () {
      const { filename } = file()
      const { sql } = yield* open(filename)
      here.mockImplementation(slowly)
      const write = sql`
          WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 100)
          INSERT INTO t SELECT ${"x".repeat(4000)} FROM n`
      for (let n = 0; n < 12; n++) yield* write
      // 1,200 pages: SQLite itself would copy them at 8,000.
      yield* Effect.suspend(() =>
        fs.statSync(filename).size > 1_000_000 ? Effect.void : Effect.fail("not yet")
      ).pipe(Effect.retry(Schedule.spaced("10 millis")))
    }
  )
})
