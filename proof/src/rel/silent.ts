/**
 * Makes a store refuse a part of a receiver's work, and checks that it does not stand still in
 * silence.
 *
 * Within a minute and a half `/readyz` names a worker without progress or a store that cannot be
 * written, and the page shows a problem. With SIGTERM the receiver ends within 10 seconds.
 * Afterwards another one tells every callback that was answered 200.
 */
import { serve } from "@pawl/test-support/Listener"
import type { Transition } from "@pawl/core/Handler"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { text as readText } from "node:stream/consumers"
import { setTimeout as sleep } from "node:timers/promises"
import * as FakeService from "./FakeService.ts"
import { makePost, repeat } from "./LocalHttp.ts"
import { type Overview, shows } from "./OperatorPage.ts"
import * as ReceiverProcess from "./ReceiverProcess.ts"
import { collectMisses, inSequence, type Report, type Run, type RunOptions } from "./Run.ts"
import * as Stores from "./Stores.ts"

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

export type CauseName = keyof typeof causes

/** The longest times in milliseconds; the tests make them longer for busy machines. */
interface Limits {
  readonly notice: number
  readonly stop: number
  readonly recovery: number
}

const application = Effect.gen(function* () {
  const told = new Set<string>()
  const port = yield* serve((request, response) => {
    void readText(request).then((body) => {
      told.add((JSON.parse(body) as Transition).transactionId)
      return response.end()
    })
  })
  return { told, url: `http://127.0.0.1:${port}/` }
})

interface Readiness {
  readonly ready: boolean
  readonly worker: string
}

const play = (
  name: CauseName,
  storeName: StoreName,
  { count, log }: RunOptions,
  limits: Limits
): Effect.Effect<Report, unknown> =>
  Effect.gen(function* (): Effect.fn.Return<Report, unknown, Scope.Scope> {
    const { miss, misses } = collectMisses()
    const { baseUrl } = yield* FakeService.start
    const { told, url } = yield* application
    const store = yield* Stores.makeSql(storeName)
    const startProcess = yield* ReceiverProcess.make
    const send = yield* makePost(16)
    const query = yield* Stores.queryOf(store)
    const start = () => startProcess(baseUrl, ["--store", store.url, "--forward", url])
    const accepted: Array<string> = []
    let nextId = 100_001
    const post = async (port: number) => {
      const id = String(nextId++)
      const status = await send(port, FakeService.callback(id, "PENDING"))
      if (status === 200) accepted.push(id)
      else if (status !== 503) miss(`${id} was answered ${String(status)}`)
    }
    const within = async (limit: number, what: string, holds: () => Promise<boolean>) => {
      const began = performance.now()
      while (!(await holds())) {
        if (performance.now() - began > limit) {
          miss(`not within ${limit} ms: ${what}`)
          break
        }
        await sleep(200)
      }
      return Math.round(performance.now() - began)
    }
    const allTold = async () => accepted.every((id) => told.has(id))

    const first = start()
    const port = yield* ReceiverProcess.waitForPort(first)
    const figures = yield* Effect.promise(async () => {
      const { begin, end } = causes[name](storeName)
      await repeat(count, 16, () => post(port))
      await within(limits.recovery, "callbacks are told before the cause", allTold)
      for (const statement of begin) await query(statement)
      await repeat(count, 16, () => post(port))
      const admin = await first.admin
      const ask = async <A>(address: string) => (await (await fetch(address)).json()) as A
      const noticedMs = await within(limits.notice, "readiness says it", async () => {
        await Promise.all([post(port), post(port)])
        const { ready, worker } = await ask<Readiness>(`http://127.0.0.1:${port}/readyz`)
        return !ready || worker === "no progress"
      })
      const overview = await ask<Overview>(`${admin}/overview`)
      if (!shows(overview, "no-progress", "store", "not-stored")) miss("the page shows no problem")
      const stopping = performance.now()
      const code = await first.stop()
      const stopMs = Math.round(performance.now() - stopping)
      if (code !== 0) miss(`the receiver ended with ${code}`)
      if (stopMs > limits.stop) miss(`the receiver ended after ${stopMs} ms`)
      for (const statement of end) await query(statement)
      return { noticedMs, stopMs }
    })
    yield* Stores.endLeases(store)
    const second = start()
    yield* ReceiverProcess.waitForPort(second)
    const recoveredMs = yield* Effect.promise(() =>
      within(limits.recovery, "every callback answered 200 is told", allTold)
    )
    yield* Effect.promise(() => second.stop())
    const all = { accepted: accepted.length, told: told.size, ...figures, recoveredMs }
    log(`${storeName} ${name}: ${JSON.stringify(all)}`)
    return { figures: all, misses: misses() }
  }).pipe(Effect.scoped)

const atOnce = 5

export const silentWith = (
  options: RunOptions,
  limits: Limits,
  names: ReadonlyArray<CauseName> = Object.keys(causes) as ReadonlyArray<CauseName>
) =>
  Effect.gen(function* () {
    const stores = options.stores.filter((name) => name !== "memory")
    const parts = stores.flatMap((store) => names.map((name) => ({ store, name })))
    const reports = yield* Effect.forEach(
      parts,
      ({ name, store }) =>
        Effect.map(
          play(name, store, options, limits),
          (report) => [`${store}.${name}`, Effect.succeed(report)] as const
        ),
      { concurrency: atOnce }
    )
    return yield* inSequence(reports)
  })

export const silent: Run = {
  summary: "a store that refuses claims, calls, marks, texts or rows: the receiver says so",
  unit: "callbacks before and during each cause",
  count: { sqlite: 200, postgres: 200 },
  stores: ["sqlite", "postgres"],
  make: (options) => silentWith(options, { notice: 90_000, stop: 10_000, recovery: 120_000 })
}
