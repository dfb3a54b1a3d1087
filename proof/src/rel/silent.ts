/**
 * Makes a store refuse a part of a receiver's work, and checks that it does not stand still in
 * silence.
 *
 * Within a minute and a half `/readyz` names a worker without progress or a store that cannot be
 * written, and the page shows a problem. With SIGTERM the receiver ends within 10 seconds.
 * Afterwards another one tells every callback that was answered 200.
 */
import * as Effect from "effect/Effect"
import * as Struct from "effect/Struct"
import { repeat } from "./LocalHttp.ts"
import { type Overview, shows } from "./OperatorPage.ts"
import * as ReceiverProcess from "./ReceiverProcess.ts"
import { type Changed, type DatabasePart, eachOnDatabases, type Run } from "./Run.ts"
import * as Stores from "./Stores.ts"
import * as ToldApplication from "./ToldApplication.ts"
import * as Wait from "./Wait.ts"

type StoreName = Stores.SqlStore["_tag"]

interface Cause {
  readonly begin: ReadonlyArray<string>
  readonly end: ReadonlyArray<string>
}

const trigger = (store: StoreName, event: "INSERT" | "UPDATE", field?: string): Cause => {
  if (store === "sqlite") {
    const condition = field ? `WHEN instr(NEW.document, char(10) || '${field}') > 0` : ""
    return {
      begin: [
        `CREATE TRIGGER silent BEFORE ${event} ON pawl_transactions ${condition} BEGIN SELECT RAISE(ABORT, 'refused'); END`
      ],
      end: ["DROP TRIGGER silent"]
    }
  }
  const condition = field ? `WHEN (position(E'\\n${field}' in NEW.document) > 0)` : ""
  return {
    begin: [
      "CREATE FUNCTION silent() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$",
      `CREATE TRIGGER silent BEFORE ${event} ON pawl_transactions FOR EACH ROW ${condition} EXECUTE FUNCTION silent()`
    ],
    end: ["DROP FUNCTION silent() CASCADE"]
  }
}

const causes = {
  claim: (store: StoreName) => trigger(store, "UPDATE"),
  start: (store: StoreName) => trigger(store, "UPDATE", "p"),
  mark: (store: StoreName) => trigger(store, "UPDATE", "t"),
  texts: (): Cause => ({
    begin: ["ALTER TABLE pawl_transactions_texts RENAME TO pawl_away"],
    end: ["ALTER TABLE pawl_away RENAME TO pawl_transactions_texts"]
  }),
  insert: (store: StoreName) => trigger(store, "INSERT")
}

/** The longest times in milliseconds; the tests make them longer for busy machines. */
const usual = { notice: 90_000, stop: 10_000, recovery: 120_000 }

/** In milliseconds; each comes with two callbacks. */
const questionInterval = 250

const play = Effect.fnUntraced(function* (
  name: keyof typeof causes,
  part: DatabasePart<typeof usual>
) {
  const { count, log, miss, notice, recovery: recoveryTime, stop, store } = part
  const service = yield* ReceiverProcess.make(store.url)
  const application = yield* ToldApplication.start()
  const told = application.told("PENDING")
  const query = yield* Stores.queryOf(store)
  const start = service.serve({ forward: application.url })
  const accepted: Array<string> = []
  let nextId = 100_001
  const post = async (port: number) => {
    const id = String(nextId++)
    const status = await service.post(port, id, "PENDING")
    if (status === 200) accepted.push(id)
    else if (status !== 503) miss(`${id} was answered ${String(status)}`)
  }
  const allTold = () => accepted.every((id) => told.has(id))
  const recovery = Wait.within(recoveryTime, miss)

  const first = yield* start
  const { port } = first
  const figures = yield* Effect.promise(async () => {
    const { begin, end } = causes[name](store._tag)
    await repeat(count, 16, () => post(port))
    await recovery("callbacks are told before the cause", allTold)
    for (const statement of begin) await query(statement)
    await repeat(count, 16, () => post(port))
    const noticed = Wait.within(notice, miss, questionInterval)
    const noticedMs = await noticed("readiness says it", async () => {
      await Promise.all([post(port), post(port)])
      const readiness = await fetch(`http://127.0.0.1:${port}/readyz`)
      const { ready, worker } = (await readiness.json()) as Record<string, unknown>
      return ready !== true || worker === "no progress"
    })
    const overview = (await (await first.get("/overview")).json()) as Overview
    if (!shows(overview, "no-progress", "store", "not-stored")) miss("the page shows no problem")
    const stopMs = await ReceiverProcess.stopWithin(stop, first, miss)
    for (const statement of end) await query(statement)
    return { noticedMs, stopMs }
  })
  yield* Stores.endLeases(store)
  yield* start
  const recoveredMs = yield* Effect.promise(() =>
    recovery("every callback answered 200 is told", allTold)
  )
  const all = { accepted: accepted.length, told: told.size, ...figures, recoveredMs }
  log(`${name}: ${JSON.stringify(all)}`)
  return all
})

const atOnce = 5

export const silent = {
  summary: "a store that refuses claims, calls, marks, texts or rows: the receiver says so",
  unit: "callbacks before and during each cause",
  count: { sqlite: 200, postgres: 200 },
  make: (
    options: Changed<typeof usual>,
    names: ReadonlyArray<keyof typeof causes> = Struct.keys(causes)
  ) => eachOnDatabases({ ...usual, ...options }, names, play, atOnce)
} satisfies Run
