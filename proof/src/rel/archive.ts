/**
 * Kills processes with SIGKILL while they archive transactions and bring them back, and callbacks arrive meanwhile: afterwards each
 * transaction is in one place with its whole content, and a chargeback is told.
 *
 * **Details**
 *
 * All transactions have ended 40 days ago. Each process archives in pages of 10, deletes old bodies, brings planned reads forward, accepts
 * callbacks and works on what is due, all at once. Most callbacks are repeats, which bring a transaction back; each transaction
 * gets one chargeback. A process is killed after it has moved some pages and stored some callbacks, and a few milliseconds, or at once.
 * The next one starts meanwhile, so two of them also use the store at once. A callback is sent again until a process says
 * that it is stored. The run goes on until some transactions were moved again after they came back, and a chargeback is stored.
 */
import type { Status } from "@pawl/core/Status"
import * as Evidence from "@pawl/core/Evidence"
import { start, type Program } from "@pawl/test-support/Program"
import { Ledger } from "@pawl/webhook/Ledger"
import * as LedgerSql from "@pawl/webhook/LedgerSql"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import * as Archiving from "./Archiving.ts"
import * as Lives from "./Lives.ts"
import { collectMisses, onDatabases, type Run, type RunOptions, type StoreName } from "./Run.ts"
import * as SeededRandom from "./SeededRandom.ts"
import * as Stores from "./Stores.ts"

const script = new URL("./archivingProcess.ts", import.meta.url).pathname

/** The number of transactions. */
const transactions = 60
/** The callbacks of a transaction in its first life. */
const firstCallbacks = 2
/** The callbacks that each process is sent. It stores fewer before it is killed. */
const callbacks = 40
/** One in this many new callbacks is a chargeback, after a quarter of the kills. */
const chargebackEvery = 50
/** The longest delay of a kill after the last of these, in milliseconds. */
const killDelay = 20
/** The greatest number of kills of a run, as a multiple of those that were asked for. */
const longest = 20

/** A transaction, and what was sent and stored of it. */
interface Sent {
  readonly id: string
  sent: number
  stored: number
  isChargedBack: boolean
  told: number
}

/** A callback, and how many days ago it came: a transaction that had no news for 7 days is archived. */
interface Delivery {
  readonly sent: Sent
  readonly status: Status
  readonly days: number
}

const onStore = (name: Exclude<StoreName, "memory">, { count: kills, log, seed }: RunOptions) =>
  Effect.gen(function* () {
    const { miss, misses } = collectMisses()
    const random = SeededRandom.make(seed, "archive")
    const store = yield* Stores.makeSql(name)
    const layer = Layer.provideMerge(
      Layer.merge(LedgerSql.layer, Lives.verifier),
      Stores.layerClient(store)
    )
    const born = (yield* Clock.currentTimeMillis) - 40 * Archiving.day
    const all: ReadonlyArray<Sent> = Array.from({ length: transactions }, (_, n) => ({
      id: String(1_000_000 + n),
      sent: 0,
      stored: 0,
      isChargedBack: false,
      told: 0
    }))
    yield* Effect.provide(
      Effect.forEach(all, ({ id }) => Lives.live(id, born), { discard: true }),
      layer,
      { local: true }
    )
    const figures = { killed: 0, moved: 0, stored: 0, sentAgain: 0 }
    /** Callbacks of which no process said that they are stored, by their number. */
    const open = new Map<string, Delivery>()
    let number = 0
    /** The number of new callbacks. */
    let drawn = 0

    const readLines = (program: Program): void => {
      for (const line of program.stdout().split("\n").slice(0, -1)) {
        const [word = "", value = ""] = line.split(" ")
        if (word === "moved") figures.moved += Number(value)
        if (word === "told") {
          const told = all.find(({ id }) => id === value)
          if (told !== undefined) told.told++
        }
        const delivery = word === "ok" ? open.get(value) : undefined
        if (delivery !== undefined) {
          open.delete(value)
          figures.stored++
          delivery.sent.stored++
          if (delivery.status === "CHARGEBACK") delivery.sent.isChargedBack = true
        }
      }
    }

    const send = (program: Program, delivery: Delivery): void => {
      const { days, sent, status } = delivery
      const key = String(number++)
      open.set(key, delivery)
      sent.sent++
      program.child.stdin.write(`${key} ${sent.id} ${status} ${days}\n`)
    }

    const startProcess = Effect.tap(
      start(process.execPath, [script, JSON.stringify(store)]),
      ({ child }) => Effect.sync(() => child.stdin.on("error", () => {}))
    )
    let next = yield* startProcess
    const isEnough = () => figures.moved > transactions && all.some((sent) => sent.isChargedBack)
    for (let kill = 0; kill < kills || (kill < longest * kills && !isEnough()); kill++) {
      const program = next
      yield* program.line(/^ready$/mu)
      next = yield* startProcess
      const again = [...open.values()]
      open.clear()
      figures.sentAgain += again.length
      for (const delivery of again) send(program, delivery)
      while (open.size < callbacks) {
        const isChargeback = kill > kills / 4 && drawn % chargebackEvery === 0
        drawn++
        // The bodies of repeats are deleted soon after they came.
        const [status, days] = isChargeback
          ? (["CHARGEBACK", 8] as const)
          : (["SUCCEED", 31] as const)
        send(program, { sent: random.pick(all), status, days })
      }
      const lines = random.isTrue(0.1) ? 0 : random.below(callbacks)
      yield* program.line(new RegExp(`^ready\n(?:.+\n){${lines}}`, "u"))
      yield* Effect.sleep(random.below(killDelay))
      program.child.kill("SIGKILL")
      yield* program.exited
      readLines(program)
      figures.killed++
      if (figures.killed % 50 === 0)
        log(`${name}: ${figures.killed} killed, ${figures.moved} moved`)
    }
    next.child.kill("SIGKILL")
    yield* next.exited
    readLines(next)

    const chargebacks = yield* Effect.provide(check({ all, born, miss }), layer, { local: true })
    return { figures: { ...figures, transactions, ...chargebacks }, misses: misses() }
  }).pipe(Effect.scoped)

/** Works on what is left, archives everything, and compares it with what was sent. */
const check = Effect.fnUntraced(function* ({
  all,
  born,
  miss
}: {
  readonly all: ReadonlyArray<Sent>
  readonly born: number
  readonly miss: (sentence: string) => void
}) {
  const ledger = yield* Ledger
  const sql = yield* SqlClient
  yield* Effect.sleep(2 * Archiving.leaseTime)
  const tell = ({ transactionId }: { readonly transactionId: string }) =>
    Effect.sync(() => {
      const told = all.find(({ id }) => id === transactionId)
      if (told !== undefined) told.told++
    })
  while ((yield* Archiving.work(yield* Clock.currentTimeMillis, tell)) > 0);
  const page = { ...Archiving.pageAt(yield* Clock.currentTimeMillis), limit: 1000 }
  yield* ledger.archive.move(page)
  const countOf = (table: string) =>
    Effect.map(
      sql<{ readonly count: unknown }>`SELECT count(*) AS count FROM ${sql(table)}`,
      ([line]) => Number(line?.count)
    )
  const places = yield* Effect.forEach(
    ["pawl_transactions", "pawl_callbacks", "pawl_facts", "pawl_archived", "pawl_archive"],
    countOf
  )
  if (places.join() !== `0,0,0,${all.length},${all.length}`)
    miss(`the tables have ${places.join()} lines`)
  const { rows } = yield* ledger.page({ limit: 1000, from: 0, before: Infinity, after: undefined })
  if (rows.map(({ transactionId }) => transactionId).join() !== all.map(({ id }) => id).join())
    miss(`a page lists ${rows.length} of ${all.length} transactions`)
  for (const sent of all) {
    const { id } = sent
    const row = yield* ledger.get("apm", id)
    const [story] = yield* ledger.story("apm", id)
    const facts = story?.facts.map((fact) => fact.fact) ?? []
    const claimed = Evidence.claimedStatuses(row?.evidence ?? Evidence.none)
    const callbacks = (row?.callbacks ?? 0) - firstCallbacks
    if (row?.createdAt !== born || row.ordered?.requestId !== `order-${id}`)
      miss(`${id} has another beginning`)
    if (callbacks < sent.stored || callbacks > sent.sent)
      miss(`${id} has ${callbacks} callbacks; ${sent.stored} of ${sent.sent} were stored`)
    for (const fact of ["registered", "accepted", "asked", "called", "told"] as const) {
      if (!facts.includes(fact)) miss(`${id} has no fact ${fact}`)
    }
    if (sent.isChargedBack && !claimed.includes("CHARGEBACK"))
      miss(`the chargeback of ${id} is lost`)
    if (claimed.includes("CHARGEBACK") && (sent.told === 0 || row?.told !== "CHARGEBACK"))
      miss(`the chargeback of ${id} was not told`)
    if (!claimed.includes("CHARGEBACK") && row?.told !== "SUCCEED")
      miss(`${id} is marked told ${String(row?.told)}`)
    if (!claimed.includes("CHARGEBACK")) continue
    const key = { method: "apm", transactionId: id, scope: "apm-payment" } as const
    const body = yield* ledger.body(key, "CHARGEBACK")
    const text = new TextDecoder().decode(body)
    const amount = row?.newestCallbacks.CHARGEBACK?.signed?.amount
    if (!text.includes(id) || amount !== "10.00") miss(`${id} has no body or another amount`)
  }
  const late = all.filter(({ told }) => told === 0).slice(0, 3)
  for (const { id } of late) {
    if ((yield* Lives.tellChargeback(id)) === undefined)
      miss(`a late chargeback of ${id} was not told`)
  }
  const told = all.filter((each) => each.told > 0)
  return {
    chargebacks: told.length,
    toldAgain: told.reduce((sum, each) => sum + each.told - 1, 0),
    lateChargebacks: late.length
  }
})

export const archive: Run = {
  summary:
    "SIGKILL while transactions are archived and come back: each is in one place with its whole content",
  unit: "kills",
  count: { sqlite: 400, postgres: 400 },
  stores: ["sqlite", "postgres"],
  make: (options) => onDatabases(options, (name) => onStore(name, options))
}
