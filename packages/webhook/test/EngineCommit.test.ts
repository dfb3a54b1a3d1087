import { expect } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { SqlClient } from "effect/sql/SqlClient"
import { ConnectionError, LockTimeoutError, SqlError, UnknownError } from "effect/sql/SqlError"
import type * as Changes from "../src/internal/records/Changes.ts"
import * as Codecs from "../src/internal/records/Codecs.ts"
import * as Engine from "../src/internal/records/Engine.ts"
import * as MemoryStore from "../src/internal/records/MemoryStore.ts"
import { Records } from "../src/internal/records/Records.ts"
import * as SqlEngine from "../src/internal/records/SqlEngine.ts"
import { dropTrigger } from "./refusals.ts"
import { live as test } from "@pawl/test-support/Tests"
import { opened, type Place } from "@pawl/test-support/Places"
import { inEachStore } from "@pawl/test-support/Stores"

type Process = Context.Service.Shape<typeof Records>["own"][0]

const add = (records: Process, by = 1) =>
  records.change("settings", "count", (count = 0) => {
    const next = Number(count) + by
    return { value: next, result: next }
  })

const open = (place: Place) =>
  Effect.map(opened(place), ({ sql, ...both }) => ({
    sql,
    one: Context.get(both.one, Records).own[0],
    two: Context.get(both.two, Records).own[0]
  }))

const refuseCommits = Effect.fnUntraced(function* (sql: SqlClient) {
  yield* sql.onDialectOrElse({
    pg: () =>
      Effect.andThen(
        sql`CREATE OR REPLACE FUNCTION pawl_test_refuse() RETURNS trigger LANGUAGE plpgsql AS
          'BEGIN RAISE EXCEPTION ''refused''; END'`,
        sql`CREATE CONSTRAINT TRIGGER pawl_test_refuse AFTER INSERT OR UPDATE ON pawl_settings
          DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION pawl_test_refuse()`
      ),
    orElse: () =>
      Effect.andThen(
        sql`CREATE TABLE IF NOT EXISTS pawl_test_refused (id INTEGER PRIMARY KEY, other INTEGER
          REFERENCES pawl_test_refused (id) DEFERRABLE INITIALLY DEFERRED)`,
        sql`CREATE TRIGGER pawl_test_refuse AFTER UPDATE ON pawl_settings
          BEGIN INSERT INTO pawl_test_refused (other) VALUES (-1); END`
      )
  })
})

const allowCommits = (sql: SqlClient) => dropTrigger(sql, "pawl_test_refuse", "pawl_settings")

const tests = (place: Place): void => {
  test("R06 a document is not changed, and not known as changed, if the commit fails", function* () {
    const { one, sql, two } = yield* open(place)
    expect(yield* add(one)).toBe(1)
    expect(yield* add(two, 10)).toBe(11)
    // On PostgreSQL the next changes lock the document.
    expect(yield* add(one)).toBe(12)

    yield* refuseCommits(sql)
    expect(Exit.isFailure(yield* Effect.exit(add(one)))).toBe(true)
    yield* allowCommits(sql)

    expect(yield* add(two, 10)).toBe(22)
    expect(yield* add(one)).toBe(23)
    expect(yield* two.get("settings", "count")).toBe(23)
  })

  test("R06 every answered change is kept, whatever fails at its commit", function* () {
    const { one, sql, two } = yield* open(place)
    let kept = 1
    yield* add(one)
    const several = (records: Process, by: number) =>
      Effect.map(
        Effect.replicateEffect(Effect.exit(add(records, by)), 8, { concurrency: "unbounded" }),
        (exits) => by * exits.filter(Exit.isSuccess).length
      )
    for (let round = 0; round < 5; round++) {
      yield* refuseCommits(sql)
      const allowed = Effect.andThen(Effect.sleep("10 millis"), allowCommits(sql))
      const [first, second] = yield* Effect.all([several(one, 1), several(two, 10), allowed], {
        concurrency: "unbounded"
      })
      kept += first + second + (yield* several(one, 1)) + (yield* several(two, 10))
    }
    expect(yield* one.get("settings", "count")).toBe(kept)
  })
}

await inEachStore(tests)

/** The options of an engine, whose changes share a commit with those of other items. */
const options = (
  others: Parameters<Parameters<Changes.Sharing["groupOf"]>[1]>[0] = []
): Engine.Options => ({
  codecs: Codecs.values,
  nextVersion: (last = 0) => last + 100,
  pollInterval: Duration.infinity,
  compact: Effect.void,
  sharing: {
    run: (step) => Effect.retry(step, { times: 1 }),
    groupOf: (_, commit) =>
      Effect.succeed((item) =>
        Effect.flatMap(commit([item, ...others], true), ([exit = Exit.interrupt()]) => exit)
      ),
    isBlocked: () => false
  },
  fullSearchInterval: 0n
})

/** A store whose next commit is aborted once `abort` has run, while another process changes `count`. */
const aborting = Effect.fnUntraced(function* (committers: number) {
  const memory = MemoryStore.make()
  const reason = new UnknownError({ message: "aborted", cause: undefined })
  const failed = new SqlError({ reason })
  let state: "usual" | "armed" | "aborted" = "usual"
  const other = yield* Engine.makeLocal(memory, Codecs.values, () => 1)
  const transaction = <A, E>(work: Effect.Effect<A, E>) =>
    Effect.suspend(() => {
      if (state !== "armed") return work
      const aborted = Effect.andThen(Effect.orDie(add(other, 10)), Effect.fail(failed))
      const end = Effect.sync(() => (state = "aborted"))
      return work.pipe(Effect.andThen(end), Effect.andThen(aborted))
    })
  const store: typeof memory = {
    ...memory,
    committers,
    together: transaction,
    atomically: transaction,
    commit: (...writes) =>
      state === "armed" ? Effect.succeed(new Map()) : memory.commit(...writes),
    load: (...keys) => (state === "aborted" ? Effect.fail(failed) : memory.load(...keys))
  }
  const one = yield* Engine.make(store, options())
  return { one, other, abort: () => (state = "armed"), end: () => (state = "usual") }
})

test("R06 a change that was aborted is not answered if its next round fails", function* () {
  const { abort, end, one, other } = yield* aborting(4)
  yield* add(one)
  yield* add(other, 10)
  // After the conflict the next change locks the document.
  yield* add(one)
  abort()
  expect(Exit.isFailure(yield* Effect.exit(add(one)))).toBe(true)
  end()
  expect(yield* one.get("settings", "count")).toBe(22)
})

test("R06 no rule sees a value whose commit was aborted", function* () {
  const { abort, end, one } = yield* aborting(1)
  yield* add(one)
  const seen: Array<unknown> = []
  const raise = one.change("settings", "count", (count) => {
    seen.push(count)
    return { value: Math.max(Number(count ?? 0), 5), result: undefined }
  })
  abort()
  yield* raise
  end()
  yield* raise
  expect(seen).toEqual([1, 1, 11, undefined, 11])
})

const closed = new SqlError({
  reason: new ConnectionError({ message: "closed", cause: undefined })
})

type Store = ReturnType<typeof MemoryStore.make>

/** Changes the commits of a store, each of which `make` gets with its number from 1. */
const committing = (
  memory: Store,
  make: (commit: ReturnType<Store["commit"]>, number: number) => ReturnType<Store["commit"]>
) => {
  const counts = { commits: 0 }
  const store: Store = {
    ...memory,
    committers: 4,
    commit: (...writes) => Effect.suspend(() => make(memory.commit(...writes), ++counts.commits))
  }
  return { counts, store }
}

const losing = (memory: Store, isLost: (number: number) => boolean) =>
  committing(memory, (commit, number) =>
    isLost(number) ? Effect.andThen(commit, Effect.fail(closed)) : commit
  )

test("R06 a commit whose response is lost makes the changes whose documents were changed meanwhile again", function* () {
  const memory = MemoryStore.make()
  const other = yield* Engine.makeLocal(memory, Codecs.values, () => 1)
  const { store } = losing(memory, (number) => number % 2 === 1)
  const rule = (count: unknown = 0) => ({ value: Number(count) + 1, result: undefined })
  const beside = { collection: "settings", key: "beside", variant: "", rule } as const
  const one = yield* Engine.make(SqlEngine.confirming(store), options([beside]))
  for (const count of [1, 12, 23]) {
    expect(yield* add(one)).toBe(count)
    yield* add(other, 10)
  }
  expect(yield* other.get("settings", "beside")).toBe(3)
})

test("R06 a deletion whose response is lost fails, because a commit of it cannot be told from another one", function* () {
  const memory = MemoryStore.make()
  yield* add(yield* Engine.makeLocal(memory, Codecs.values, () => 1))
  const { counts, store } = losing(memory, (number) => number === 1)
  const { sharing, ...others } = options()
  const once = sharing && {
    sharing: { ...sharing, run: <A>(step: Effect.Effect<A, SqlError>) => step }
  }
  const one = yield* Engine.make(SqlEngine.confirming(store), { ...others, ...once })
  const deletion = one.change("settings", "count", () => ({ value: undefined, result: "deleted" }))
  expect(Exit.isFailure(yield* Effect.exit(deletion))).toBe(true)
  expect(counts.commits).toBe(1)
})

test.each([
  ["before its retry", "free"],
  // PostgreSQL reports no line then, because the snapshot of the retry is older.
  ["while its retry waits for it", "waits"],
  ["after its retry waited in vain", "blocked"]
])("R06 a commit that ends after its connection %s is not made again", function* (_, retry) {
  const locked = new SqlError({ reason: new LockTimeoutError({ cause: undefined }) })
  let late: Effect.Effect<void> = Effect.void
  const { counts, store } = committing(MemoryStore.make(), (commit, number) => {
    if (number === 2 && retry === "blocked") return Effect.fail(locked)
    const before = late
    late = Effect.asVoid(Effect.orDie(commit))
    if (number === 1) return Effect.fail(closed)
    const retried = Effect.andThen(before, commit)
    return retry === "waits" && number === 2
      ? Effect.map(retried, (lines) => new Map([...lines.keys()].map((key) => [key, undefined])))
      : retried
  })
  // An engine over SQL draws its versions.
  let drawn = 0
  const nextVersion = (last = 0) => last + 100 + drawn++
  const one = yield* Engine.make(SqlEngine.confirming(store), { ...options(), nextVersion })
  for (const count of [1, 2, 3]) {
    counts.commits = 0
    expect(yield* add(one)).toBe(count)
  }
  expect(yield* one.get("settings", "count")).toBe(3)
})

test("R06 a change of another process with the same version is not taken as one's own", function* () {
  const memory = MemoryStore.make()
  const other = yield* Engine.make(memory, options())
  const { counts, store } = committing(memory, (commit, number) =>
    number === 1 ? Effect.andThen(Effect.orDie(add(other, 10)), commit) : commit
  )
  const one = yield* Engine.make(store, options())
  for (const count of [11, 22, 33]) {
    counts.commits = 0
    expect(yield* add(one)).toBe(count)
  }
  expect(yield* one.get("settings", "count")).toBe(33)
})
