/** The stores of documents find the same documents. */
import { forAll, optional } from "@pawl/test-support/Properties"
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import * as fc from "fast-check"
import { DatabaseSync } from "node:sqlite"
import { expect, it } from "vitest"
import { empty, ledgerOf, type Place } from "@pawl/test-support/Places"
import { repeats } from "@pawl/test-support/Repeats"
import { inEachStore } from "@pawl/test-support/Stores"
import { live } from "@pawl/test-support/Tests"
import * as DurableObjectStore from "../src/internal/records/DurableObjectStore.ts"
import * as MemoryStore from "../src/internal/records/MemoryStore.ts"
import * as PostgresStore from "../src/internal/records/PostgresStore.ts"
import { type Index, laneCount, type Store, type Write } from "../src/internal/records/Records.ts"
import * as SqliteStore from "../src/internal/records/SqliteStore.ts"
import { compareText } from "../src/internal/rule/RowPages.ts"

const time = fc.nat({ max: 3 })
/** UTF-16 has the last one before the one in front of it. */
const keys = ["a", "b", "c", "\u00e9", "\uff5e", "\u{1f600}"] as const
const key = fc.constantFrom(...keys)
const name = fc.constantFrom("x", "y")
const rarely = fc.nat({ max: 5 }).map((number) => number === 5)
const limit = fc.integer({ min: 1, max: 4 })

/** A document without parts is neither due nor listed, and one with one part has one list time. */
const index: fc.Arbitrary<Index> = fc
  .record({
    due: fc.array(optional(time), { minLength: 2, maxLength: laneCount }),
    listed: optional(fc.tuple(time, time)),
    parts: fc.constantFrom(1, 2, 0),
    related: optional(name)
  })
  .map(({ due, listed, parts, related }) => ({
    due: parts === 0 ? [] : due,
    listed:
      listed === undefined || parts === 0
        ? undefined
        : [listed[0], listed[0] + (parts === 1 ? 0 : listed[1])],
    parts,
    related
  }))

const write = fc.record({
  key,
  isDeleted: rarely,
  isLate: rarely,
  index,
  put: fc.uniqueArray(fc.record({ name, at: time }), { selector: (text) => text.name }),
  remove: fc.uniqueArray(name)
})

/** Each group is one commit. */
const writes = fc.array(
  fc.record({
    group: fc.uniqueArray(write, { selector: ({ key }) => key, minLength: 1 }),
    skipsLocked: fc.boolean()
  }),
  { minLength: 1, maxLength: 6 }
)

const range = fc.record({
  lane: fc.nat({ max: 2 }),
  from: fc.nat({ max: 1 }),
  to: fc.integer({ min: 1, max: 3 }),
  limit,
  after: fc.constantFrom("", ...keys),
  isTimesOnly: fc.boolean()
})
/** Without `after` documents of one time come in any order, so only their times are compared. */
const newest = fc.record({ lane: fc.nat({ max: 2 }), from: time, to: time, limit })
const questions = fc.record({
  ranges: fc.array(range, { minLength: 2, maxLength: 4 }),
  newest,
  keys: fc.uniqueArray(key),
  isLocked: fc.boolean(),
  list: fc.record({ from: fc.record({ at: time, key }), limit }),
  page: fc.record({ after: fc.constantFrom("", ...keys), limit, related: optional(name) }),
  texts: fc.record({
    before: fc.integer({ min: 1, max: 4 }),
    after: fc.record({ at: fc.nat({ max: 1 }), key, name }),
    limit
  }),
  at: time
})

type Written = typeof writes extends fc.Arbitrary<infer Value> ? Value : never
type Asked = typeof questions extends fc.Arbitrary<infer Value> ? Value : never

/**
 * Returns what a store answers after writes. `isLate` expects a version that is gone; a late deletion
 * expects no document.
 */
const answersOf = Effect.fnUntraced(function* (
  store: Store<string>,
  written: Written,
  { at, isLocked, keys, list, newest, page, ranges, texts }: Asked
) {
  const versions = new Map<string, number>()
  const conflicts: Array<ReadonlyArray<string>> = []
  for (const [position, { group, skipsLocked }] of written.entries()) {
    const commit = group.map(({ isDeleted, isLate, put, remove, ...each }): Write<string> => ({
      ...each,
      expected: isLate ? (isDeleted ? undefined : 1000) : versions.get(each.key),
      version: position,
      document: isDeleted ? undefined : `document ${position}`,
      put: put.map((text) => ({ ...text, bytes: Uint8Array.of(position) })),
      remove: remove.filter((text) => put.every(({ name }) => name !== text))
    }))
    const refused = yield* store.commit("quarantine", commit, skipsLocked)
    conflicts.push([...refused.keys()].toSorted())
    for (const { document, key } of commit) {
      if (refused.has(key)) continue
      if (document === undefined) versions.delete(key)
      else versions.set(key, position)
    }
  }
  const lineOf = (line: { key: string; version: number; document: string | undefined }) =>
    `${line.key} ${line.version} ${line.document}`
  const listed = yield* store.list("quarantine", list)
  const counts = yield* store.count("quarantine", at)
  const first = listed.filter(
    ({ key, listedAt = 0 }) =>
      listedAt > list.from.at || (listedAt === list.from.at && compareText(key, list.from.key) >= 0)
  )
  const newestFirst = { ...newest, isNewestFirst: true }
  const loaded = yield* store.load("quarantine", keys, isLocked)
  return {
    conflicts,
    loaded: loaded.map(lineOf).toSorted(),
    newest: (yield* store.due("quarantine", [newestFirst])).map(({ at }) => at),
    due: (yield* store.due("quarantine", ranges)).map(
      ({ at, range, ...line }) => `${range} ${at} ${lineOf(line)}`
    ),
    first: first.map((line) => `${line.listedAt} ${lineOf(line)}`),
    later: listed
      .filter((line) => !first.includes(line))
      .map(lineOf)
      .toSorted(),
    page: (yield* store.page("quarantine", page)).map(lineOf),
    texts: (yield* store.texts("quarantine", texts)).map(
      ({ at, key, name }) => `${at} ${key} ${name}`
    ),
    bodies: yield* Effect.forEach(keys, (key) =>
      Effect.map(store.text("quarantine", key, "x"), (text) => text && [...text])
    ),
    counts: { ...counts, several: counts.several.map(lineOf).toSorted() }
  }
})

const agree = Effect.fnUntraced(function* (store: Store<string>, written: Written, asked: Asked) {
  const memory = MemoryStore.make() as Store<string>
  expect(yield* answersOf(store, written, asked)).toEqual(yield* answersOf(memory, written, asked))
})

const tests = (place: Place): void =>
  live.with(() => ledgerOf(place))(
    "answers as the store in memory does, after any writes",
    function* () {
      const sql = yield* SqlClient
      const store = sql.onDialectOrElse({
        pg: () => PostgresStore.make(sql),
        orElse: () => SqliteStore.make(sql)
      })
      yield* Effect.promise(() =>
        forAll([writes, questions], { numRuns: repeats(400) }, (written, asked) =>
          empty.pipe(
            Effect.andThen(agree(store, written, asked)),
            sql.withTransaction,
            Effect.provideService(SqlClient, sql),
            Effect.runPromise
          )
        )
      )
    }
  )

await inEachStore(tests)

const storageOf = (database: DatabaseSync): DurableObjectStore.Storage => ({
  sql: {
    exec: (text, ...values) => {
      const given = values.map((value) =>
        value instanceof ArrayBuffer ? new Uint8Array(value) : value
      )
      return { toArray: () => database.prepare(text).all(...given) }
    }
  },
  transactionSync: (work) => {
    database.exec("BEGIN")
    try {
      const result = work()
      database.exec("COMMIT")
      return result
    } catch (error) {
      database.exec("ROLLBACK")
      throw error
    }
  }
})

it("in a Durable Object answers as the store in memory does, after any writes", () =>
  forAll([writes, questions], { numRuns: repeats(100) }, (written, asked) =>
    Effect.gen(function* () {
      using database = new DatabaseSync(":memory:")
      yield* agree(yield* DurableObjectStore.make(storageOf(database)), written, asked)
    }).pipe(Effect.runPromise)
  ))

it("in a Durable Object a commit that fails leaves no write, and its error has the one of the storage", () =>
  Effect.gen(function* () {
    using database = new DatabaseSync(":memory:")
    const store = yield* DurableObjectStore.make(storageOf(database))
    database.exec(`CREATE TRIGGER refuse BEFORE INSERT ON pawl_quarantine WHEN NEW.key = 'b'
      BEGIN SELECT RAISE(ABORT, 'refused'); END`)
    const writes = ["a", "b"].map((key): Write<string> => ({
      key,
      expected: undefined,
      version: 1,
      document: "document",
      index: { due: [], listed: undefined, parts: 1, related: undefined },
      put: [],
      remove: []
    }))
    const error = yield* Effect.flip(store.commit("quarantine", writes))
    expect(error.reason.cause).toMatchObject({ message: "refused" })
    expect(yield* store.load("quarantine", ["a", "b"])).toEqual([])
  }).pipe(Effect.runPromise))
