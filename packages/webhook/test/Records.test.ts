import { forAll } from "@pawl/test-support/Properties"
import { describe, expect } from "@effect/vitest"
import * as fc from "fast-check"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import type * as Scope from "effect/Scope"
import type { PageOf } from "../src/internal/records/Engine.ts"
import { Unreadable } from "../src/internal/records/Known.ts"
import type { Rule } from "../src/internal/records/Rule.ts"
import { Ledger, layerMemory } from "../src/Ledger.ts"
import { Records } from "../src/internal/records/Records.ts"
import type { Leased } from "../src/internal/rule/Row.ts"
import type { StoredRows } from "../src/internal/rule/StoredRow.ts"
import { dropTrigger } from "./refusals.ts"
import { storedRow } from "./memoryLedger.ts"
import { repeats } from "@pawl/test-support/Repeats"
import { live } from "@pawl/test-support/Tests"
import { client, opened, type Place } from "@pawl/test-support/Places"
import { bytes, card, verified } from "@pawl/test-support/Service"
import { files, onPostgres } from "@pawl/test-support/Stores"

const processOf = (context: Context.Context<Ledger | Records>) => ({
  ledger: Context.get(context, Ledger),
  records: Context.get(context, Records).own[0]
})
type Process = ReturnType<typeof processOf>

/** A store in memory has one process. */
const open = (place: Place | undefined): Effect.Effect<[Process, Process], unknown, Scope.Scope> =>
  Effect.gen(function* () {
    if (place === undefined) {
      const memory = processOf(yield* Layer.build(Layer.fresh(layerMemory)))
      return [memory, memory]
    }
    const { one, two } = yield* opened(place)
    return [processOf(one), processOf(two)]
  })

const keyOf = (id: number | string) => `${id}\tcard`

const rowsAt = (id: number | string, at: number): StoredRows => {
  const { row, ...stored } = storedRow(String(id), { at })
  return [{ ...stored, row: { ...row, sequence: at }, dueAt: at, lane: "retry" }]
}

const textOf = (name: string, at: number) => ({ name, at, bytes: bytes(`${name} ${at}`) })

const changeTo =
  (id: number | string, at: number, text = "text"): Rule<StoredRows, string> =>
  () => ({ value: rowsAt(id, at), put: [textOf(text, at)], remove: ["old"], result: "changed" })

const byKey = ([one]: readonly [string, number], [two]: readonly [string, number]): number =>
  one < two ? -1 : 1

const storedIn = Effect.fnUntraced(function* ({ records }: Process, ids: ReadonlyArray<number>) {
  const found: Array<PageOf<"transactions">["found"][number]> = []
  let after: string | undefined = ""
  while (after !== undefined) {
    const page: PageOf<"transactions"> = yield* records.page("transactions", { after, limit: 3 })
    found.push(...page.found)
    after = page.last
  }
  const names = ["old", "text", "bad"]
  const listed = yield* records.list("transactions", { from: { at: 0, key: "" }, limit: 1000 })
  const due = yield* records.due("transactions", [{ lane: 2, from: 0, to: 1e6, limit: 1000 }])
  return {
    values: found.map(({ key, value }) => [key, value[0]?.row.sequence]),
    listed: listed.map(({ at, key }) => [key, at] as const).toSorted(byKey),
    due: due.map(({ at, key }) => [key, at] as const).toSorted(byKey),
    texts: yield* Effect.forEach(ids, (id) =>
      Effect.forEach(names, (name) =>
        Effect.map(
          records.text("transactions", keyOf(id), name),
          (text) => text && new TextDecoder().decode(text)
        )
      )
    )
  }
})

const ids = Array.from({ length: 20 }, (_, id) => 10 + id)
const poison = 17

const expectedOf = (before: number, after: number) => {
  const timeOf = (id: number) => (id === poison ? before : after)
  const times = ids.map((id) => [keyOf(id), timeOf(id)])
  return {
    values: times,
    listed: times,
    due: times,
    texts: ids.map((id) =>
      id === poison
        ? [`old ${before}`, undefined, undefined]
        : [undefined, `text ${after}`, undefined]
    )
  }
}

/** Changes all documents, one by a rule that must not be written. */
const changeAll = Effect.fnUntraced(function* (
  [one, two]: readonly [Process, Process],
  poisoned: Rule<StoredRows, string>
) {
  yield* Effect.forEach(
    ids,
    (id) =>
      one.records.change("transactions", keyOf(id), () => ({
        value: rowsAt(id, 1000),
        put: [textOf("old", 1000)],
        result: undefined
      })),
    { concurrency: "unbounded" }
  )
  // One process knows the documents.
  for (const [process, after] of [
    [one, 2000],
    [two, 3000]
  ] as const) {
    const exits = yield* Effect.forEach(
      ids,
      (id) =>
        Effect.exit(
          process.records.change(
            "transactions",
            keyOf(id),
            id === poison ? poisoned : changeTo(id, after)
          )
        ),
      { concurrency: "unbounded" }
    )
    expect(ids.filter((_, at) => Exit.isFailure(exits[at] as (typeof exits)[number]))).toEqual([
      poison
    ])
    expect(yield* storedIn(process, ids)).toEqual(expectedOf(1000, after))
  }
})

const throws: Rule<StoredRows, string> = () => {
  throw new Error("a defect of a rule")
}

/** The refusal comes after the document and the first text. */
const refused: Rule<StoredRows, string> = () => ({
  value: rowsAt(poison, 5000),
  put: [textOf("text", 5000), textOf("bad", 5000)],
  remove: ["old"],
  result: "changed"
})

const refuseBad = Effect.flatMap(SqlClient, (sql) =>
  Effect.forEach(
    sql.onDialectOrElse({
      pg: () => [
        sql`CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql
          AS 'BEGIN RAISE EXCEPTION ''refused''; END'`,
        sql`CREATE TRIGGER refuse AFTER INSERT ON pawl_transactions_texts FOR EACH ROW
          WHEN (NEW.name = 'bad') EXECUTE FUNCTION refuse()`
      ],
      orElse: () => [
        sql`CREATE TRIGGER refuse AFTER INSERT ON pawl_transactions_texts WHEN NEW.name = 'bad'
          BEGIN SELECT RAISE(ABORT, 'refused'); END`
      ]
    }),
    (statement) => statement,
    { discard: true }
  )
)
const allowBad = Effect.flatMap(SqlClient, (sql) =>
  dropTrigger(sql, "refuse", "pawl_transactions_texts")
)

const restarts = Effect.fnUntraced(function* ([one, two]: readonly [Process, Process]) {
  const callback = (transactionStatus: string) =>
    verified("card", card({ transactionId: "1", transactionStatus }))
  const leaseIn = ({ ledger }: Process) =>
    Effect.map(ledger.claim({ at: 1000, until: 31_000, limit: 1 }), ({ rows }) => rows[0] as Leased)
  yield* one.ledger.accept(callback("PENDING"), 1000)
  const old = yield* leaseIn(one)
  yield* two.records.change("transactions", keyOf(1), () => ({
    value: undefined,
    result: undefined
  }))
  yield* two.ledger.accept(callback("SUCCEED"), 1000)
  const leased = yield* leaseIn(two)
  expect(leased).toMatchObject({ transactionId: "1", callbacks: 1 })
  expect(leased.lease).not.toBe(old.lease)

  const told = { told: "PENDING", sequence: 7, release: { dueAt: undefined } } as const
  expect(yield* one.ledger.write(old, told)).toBeUndefined()
  expect(yield* two.ledger.get("card", "1")).toMatchObject({
    told: undefined,
    sequence: 0,
    callbacks: 1
  })
  // The first process knew the deleted document. Its next change is one of the new document.
  yield* two.ledger.write(leased, { sequence: 1 })
  yield* one.ledger.accept(callback("REFUNDED"), 2000)
  expect(yield* two.ledger.get("card", "1")).toMatchObject({ sequence: 1, callbacks: 2 })
  expect(yield* two.records.text("transactions", keyOf(1), "c1")).toBeUndefined()
})

const names = ["a", "b"] as const

/** A change puts or removes texts, or deletes the document if it has an even number of changes. */
const edits = fc.array(
  fc.record({
    isDeletion: fc.boolean(),
    put: fc.subarray([...names]),
    remove: fc.subarray([...names])
  }),
  { minLength: 1, maxLength: 6 }
)

/** The processes change a document in turn, so each knows one that another one has changed. */
const editsAtOnce = ([one, two]: readonly [Process, Process]) =>
  Effect.promise(() =>
    forAll(
      [edits, edits, edits],
      { numRuns: repeats(200), examples: [madeAndDeleted, putAndRemoved] },
      async (...rounds) => {
        const texts = new Map<string, string>()
        let log: ReadonlyArray<number> | undefined
        const key = `edited ${edited++}`
        const next = (before: typeof log = [], isDeletion: boolean, at: number) =>
          isDeletion && before.length % 2 === 0 ? undefined : [...before, at]
        for (const [round, changes] of rounds.entries()) {
          const { records } = round === 1 ? two : one
          const timeOf = (position: number) => round * 10 + position
          for (const [position, { isDeletion, put, remove }] of changes.entries()) {
            log = next(log, isDeletion, timeOf(position))
            for (const name of log === undefined ? names : remove) texts.delete(name)
            for (const name of log === undefined ? [] : put)
              texts.set(name, `${name} ${timeOf(position)}`)
          }
          const change = ({ isDeletion, put, remove }: (typeof changes)[number], at: number) =>
            records.change("settings", key, (before) => {
              const value = next(before as typeof log, isDeletion, at)
              return value === undefined
                ? { value, remove: names, result: undefined }
                : { value, put: put.map((name) => textOf(name, at)), remove, result: undefined }
            })
          await Effect.runPromise(
            Effect.forEach(changes, (each, position) => change(each, timeOf(position)), {
              concurrency: "unbounded"
            })
          )
          const stored = names.map((name) =>
            Effect.map(records.text("settings", key, name), (text) =>
              text === undefined ? [] : [[name, new TextDecoder().decode(text)] as const]
            )
          )
          expect(await Effect.runPromise(records.get("settings", key))).toEqual(log)
          expect(new Map((await Effect.runPromise(Effect.all(stored))).flat())).toEqual(texts)
        }
      }
    )
  )
let edited = 0

const edit = { isDeletion: false, put: [], remove: [] }
type Edits = Array<{ isDeletion: boolean; put: Array<"a" | "b">; remove: Array<"a" | "b"> }>
const madeAndDeleted: [Edits, Edits, Edits] = [
  [
    { ...edit, put: ["a"] },
    { ...edit, put: ["b"] },
    { ...edit, isDeletion: true }
  ],
  [edit],
  [edit]
]
const putAndRemoved: [Edits, Edits, Edits] = [
  [
    { ...edit, put: ["a"] },
    { ...edit, remove: ["a"] }
  ],
  [edit],
  [{ ...edit, isDeletion: true }]
]

const later = 300_000
const all = Array.from({ length: 50 }, (_, id) => String(10 + id))
const damagedId = "33"

const parks = Effect.fnUntraced(function* ([one, two]: readonly [Process, Process]) {
  const sql = yield* SqlClient
  const callback = (transactionId: string, transactionStatus: string) =>
    verified("card", card({ transactionId, transactionStatus }))
  const acceptAll = ({ ledger }: Process, status: string, at: number) =>
    Effect.forEach(all, (id) => ledger.accept(callback(id, status), at), {
      concurrency: "unbounded"
    })
  yield* acceptAll(one, "PENDING", 1000)
  const key = keyOf(damagedId)
  const stored = sql<{ readonly document: string; readonly due_0: number | string | null }>`
    SELECT document, due_0 FROM pawl_transactions WHERE key = ${key}`
  const [{ document } = { document: "" }] = yield* stored
  const damaged = document.replace("1000", "1001")
  expect(damaged).not.toBe(document)
  yield* sql`UPDATE pawl_transactions SET document = ${damaged} WHERE key = ${key}`

  const exits = yield* Effect.forEach(
    all,
    (id) =>
      Effect.exit(
        two.records.change("transactions", keyOf(id), (rows = []) => ({
          value: rows.map((each) => ({ ...each, row: { ...each.row, sequence: 1 } })),
          result: rows.length
        }))
      ),
    { concurrency: "unbounded" }
  )
  expect(exits.filter((exit) => Exit.isSuccess(exit) && exit.value === 1).length).toBe(49)
  const failed = exits.flatMap((exit) => (Exit.findErrorOption(exit)._tag === "Some" ? [exit] : []))
  expect(failed).toEqual([Exit.fail(new Unreadable({ key, at: 0 }))])
  expect((yield* stored)[0]).toMatchObject({ document: damaged })

  // The callback of the damaged document is quarantined.
  expect((yield* acceptAll(two, "SUCCEED", 2000)).every(({ isNew }) => isNew)).toBe(true)
  const { found } = yield* two.records.page("transactions", { after: "", limit: 100 })
  expect(found.filter(({ value: [stored] }) => stored?.row.callbacks === 2).length).toBe(49)
  const quarantined = yield* two.ledger.quarantined
  expect(quarantined.map(({ transactionId }) => transactionId)).toEqual([damagedId])

  const claim = (at: number) =>
    Effect.map(two.ledger.claim({ at, until: at + 1e6, limit: 100 }), ({ rows }) =>
      rows.map(({ transactionId }) => transactionId)
    )
  expect((yield* claim(2000)).toSorted()).toEqual(all.filter((id) => id !== damagedId))
  const parked = { transactionId: damagedId, unreadable: "document" }
  expect(yield* two.ledger.deadLetters({ limit: 9 })).toMatchObject([parked])
  expect(yield* two.ledger.backlog(2000)).toMatchObject({ due: 0, deadLetters: 1 })
  expect(Number((yield* stored)[0]?.due_0)).toBe(2000 + later)

  // The first try comes after five minutes; then a person restores the document.
  expect(yield* claim(1999 + later)).toEqual([])
  expect(yield* claim(2000 + later)).toEqual([])
  expect(Number((yield* stored)[0]?.due_0)).toBe(2000 + 2 * later)
  expect(yield* two.ledger.deadLetters({ limit: 9 })).toMatchObject([
    { ...parked, deadLetter: { at: 2000 } }
  ])
  yield* sql`UPDATE pawl_transactions SET document = ${document} WHERE key = ${key}`
  expect(yield* claim(1999 + 2 * later)).toEqual([])
  expect(yield* claim(2000 + 2 * later)).toEqual([damagedId])
  expect(yield* two.ledger.deadLetters({ limit: 9 })).toEqual([])
  expect(yield* two.ledger.backlog(2000)).toMatchObject({ deadLetters: 0 })
})

const promises = (place: () => Place | undefined) => {
  const test = (name: string, body: Test<never>) =>
    live(name, function* () {
      yield* body(yield* open(place()))
    })

  test("a rule that throws changes nothing, and the changes beside it are made", (processes) =>
    changeAll(processes, throws))
  test(
    "R52: a write under the lease of a document that was deleted and made again changes nothing",
    restarts
  )
  test(
    "changes of a document made at once, by processes in turn, leave what they leave one after the other",
    editsAtOnce
  )
}

type Test<R> = (processes: readonly [Process, Process]) => Effect.Effect<void, unknown, R>

const promisesOfSql = (place: () => Place) => {
  const test = (name: string, body: Test<SqlClient>) =>
    live(name, function* () {
      const at = place()
      const processes = yield* open(at)
      yield* Effect.provide(body(processes), client(at), { local: true })
    })

  test("a statement that fails changes nothing, and the changes beside it are made", (processes) =>
    Effect.andThen(refuseBad, changeAll(processes, refused)).pipe(
      Effect.ensuring(Effect.orDie(allowBad))
    ))
  test(
    "R50: of 50 changes the one fails whose document cannot be read, and it is due again after five minutes",
    parks
  )
}

describe("in memory", () => {
  promises(() => undefined)
})
describe("in a SQLite file", () => {
  promises(files())
  promisesOfSql(files())
})
await onPostgres((place) => {
  promises(() => place)
  promisesOfSql(() => place)
})
