/**
 * A process that changes the same few documents as others.
 *
 * It prints `ready`, starts at the first input on stdin, and at the end prints `Counts` as JSON.
 */
import { statuses } from "@pawl/core/Status"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { writeSync } from "node:fs"
import { once } from "node:events"
import { Ledger } from "../src/Ledger.ts"
import { card, verified } from "@pawl/test-support/Service"
import { ledgerOf, type Place } from "@pawl/test-support/Places"

/**
 * The results of a process.
 *
 * - `accepted`: for each id and status, the callbacks that were answered with success.
 * - `written`: for each id, the writes that returned a row. Each raises the sequence by one.
 * - `inDoubt`: the changes without an answer, each of which may have taken effect.
 * - `slowest`: the longest time of an accept, in milliseconds.
 */
export interface Counts {
  readonly accepted: Readonly<Record<string, number>>
  readonly written: Readonly<Record<string, number>>
  readonly inDoubt: number
  readonly slowest: number
}

const [placeText = "", countText = "", keysText = ""] = process.argv.slice(2)
const place = JSON.parse(placeText) as Place
const [count, keys] = [Number(countText), Number(keysText)]

const claimed = statuses.slice(0, 5)
const accepted: Record<string, number> = {}
const written: Record<string, number> = {}
let inDoubt = 0
let slowest = 0

const increase = (counts: Record<string, number>, name: string) => {
  counts[name] = (counts[name] ?? 0) + 1
}

/** Retries, as the service does. */
const accept = Effect.fnUntraced(function* (position: number) {
  const ledger = yield* Ledger
  const transactionId = String(position % keys)
  const status = claimed[position % claimed.length] ?? "PENDING"
  const callback = verified("card", card({ transactionId, transactionStatus: status }))
  const before = performance.now()
  const at = yield* Clock.currentTimeMillis
  yield* Effect.retry(
    Effect.tapError(ledger.accept(callback, at), () => Effect.sync(() => inDoubt++)),
    { times: 200 }
  )
  slowest = Math.max(slowest, performance.now() - before)
  increase(accepted, `${transactionId} ${status}`)
})

const work = Effect.gen(function* () {
  const ledger = yield* Ledger
  const at = yield* Clock.currentTimeMillis
  const { rows } = yield* ledger.claim({ at, until: at + 60_000, limit: 10 })
  yield* Effect.forEach(
    rows,
    (row) =>
      Effect.map(
        ledger.write(row, { sequence: row.sequence + 1, release: { dueAt: undefined } }),
        (result) => {
          if (result !== undefined) increase(written, row.transactionId)
        }
      ),
    { concurrency: "unbounded" }
  )
}).pipe(
  Effect.catchTag("StoreUnavailable", () => Effect.sync(() => inDoubt++)),
  Effect.andThen(Effect.sleep("5 millis"))
)

const program = Effect.gen(function* () {
  // A worker ends after its round, so every lease ends with a write.
  let isDone = false
  const worker = yield* Effect.forkChild(Effect.repeat(work, { until: () => isDone }))
  yield* Effect.forEach(
    Array.from({ length: count }, (_, position) => position),
    accept,
    { concurrency: 25, discard: true }
  )
  isDone = true
  yield* Fiber.join(worker)
  writeSync(1, `${JSON.stringify({ accepted, written, inDoubt, slowest } satisfies Counts)}\n`)
})

const started = Effect.gen(function* () {
  writeSync(1, "ready\n")
  yield* Effect.promise(() => once(process.stdin, "data"))
  yield* program
})
await Effect.runPromise(Effect.provide(started, ledgerOf(place)))
process.exit(0)
