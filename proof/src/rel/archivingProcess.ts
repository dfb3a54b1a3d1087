/**
 * A process that archives, brings back and works on the transactions of a store, all at once and without a pause, until it is killed.
 *
 * Lines of stdin are callbacks: a number, an id, a status, and how many days ago it came. It prints `ready`, `ok` with the number of each callback after it is
 * stored, `told` with each id whose chargeback it tells, and `moved` with the number of rows of each page.
 */
import type { Status } from "@pawl/core/Status"
import { Ledger } from "@pawl/webhook/Ledger"
import * as LedgerSql from "@pawl/webhook/LedgerSql"
import type { Leased } from "@pawl/webhook/Row"
import type { RowKey } from "@pawl/webhook/RowPages"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import { writeSync } from "node:fs"
import { createInterface } from "node:readline"
import * as Archiving from "./Archiving.ts"
import * as Lives from "./Lives.ts"
import * as Stores from "./Stores.ts"

const store = JSON.parse(process.argv[2] ?? "") as Stores.SqlStore

const print = (line: string) => Effect.sync(() => writeSync(1, `${line}\n`))

/** A store that is busy with other processes refuses a call. The next one comes soon. */
const endlessly = (work: Effect.Effect<unknown, unknown, Ledger>, pause: number) =>
  Effect.forever(Effect.andThen(Effect.ignore(work), Effect.sleep(pause)))

let last: RowKey | undefined
const move = Effect.gen(function* () {
  const ledger = yield* Ledger
  const page = Archiving.pageAt(yield* Clock.currentTimeMillis)
  const moved = yield* ledger.archive.move({ ...page, after: last })
  last = moved.last
  if (moved.moved > 0) yield* print(`moved ${moved.moved}`)
})

const clean = Effect.gen(function* () {
  const ledger = yield* Ledger
  const now = yield* Clock.currentTimeMillis
  yield* ledger.deleteBodies({ before: now - 30 * Archiving.day, limit: 10 })
})

const bringForward = Effect.gen(function* () {
  const ledger = yield* Ledger
  const now = yield* Clock.currentTimeMillis
  const after = { dueAt: 0, transactionId: "", scope: "apm" } as const
  const page = { after, lane: "repeat", readSince: now, dueAt: now, rate: 100, limit: 3 } as const
  yield* ledger.bringForward(page)
})

const work = Effect.gen(function* () {
  const now = yield* Clock.currentTimeMillis
  yield* Archiving.work(now, ({ transactionId }: Leased) => print(`told ${transactionId}`))
})

const program = Effect.gen(function* () {
  const ledger = yield* Ledger
  const lines = yield* Queue.unbounded<string>()
  createInterface({ input: process.stdin }).on("line", (line) => Queue.offerUnsafe(lines, line))
  const accept = Effect.gen(function* () {
    const [number = "", id = "", status = "", days = ""] = (yield* Queue.take(lines)).split(" ")
    const callback = yield* Lives.verified(id, status as Status)
    const now = yield* Clock.currentTimeMillis
    yield* ledger.accept(callback, now - Number(days) * Archiving.day)
    yield* print(`ok ${number}`)
  })
  yield* print("ready")
  yield* Effect.all(
    [
      ...Array.from({ length: 4 }, () => Effect.forever(Effect.ignore(accept))),
      endlessly(move, 1),
      endlessly(clean, 2),
      endlessly(bringForward, 5),
      endlessly(work, 5)
    ],
    { concurrency: "unbounded" }
  )
})

await Effect.runPromise(
  Effect.provide(
    program,
    Layer.provideMerge(Layer.merge(LedgerSql.layer, Lives.verifier), Stores.layerClient(store))
  )
)
