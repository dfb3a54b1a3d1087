/**
 * The commits of requests, counted in the write-ahead log of SQLite: each commit is a flush of the disk.
 */
import { expect, it } from "@effect/vitest"
import { RequestSender } from "@pawl/core/RequestSender"
import * as NodeHmac from "@pawl/core/NodeHmac"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { readFileSync } from "node:fs"
import * as Ledger from "../src/Ledger.ts"
import * as Requests from "../src/Requests.ts"
import * as Seal from "../src/Seal.ts"
import { emptied } from "./places.ts"
import * as fake from "./requestService.ts"
import { apm, search, secret, verified } from "./service.ts"
import { files } from "./stores.ts"

/** Counts the frames of a write-ahead log that end a commit (https://sqlite.org/fileformat2.html#walformat). */
const commitsIn = (filename: string): number => {
  const log = readFileSync(`${filename}-wal`)
  const salts = log.subarray(16, 24)
  const frameSize = 24 + log.readUInt32BE(8)
  let count = 0
  for (let at = 32; at + frameSize <= log.length; at += frameSize) {
    if (!log.subarray(at + 8, at + 16).equals(salts)) break
    if (log.readUInt32BE(at + 4) !== 0) count++
  }
  return count
}

const start = Effect.gen(function* () {
  const place = files()()
  const layer = Requests.layer().pipe(
    Layer.provide([
      Layer.succeed(RequestSender, fake.make().sender),
      fake.callbackUrl,
      Layer.provide(Seal.layer({ current: Redacted.make(secret) }), NodeHmac.layer)
    ]),
    Layer.provideMerge(emptied(place))
  )
  const built = yield* Layer.build(layer)
  const countIn = Effect.fnUntraced(function* <A, E>(work: Effect.Effect<A, E>) {
    const before = commitsIn(place.filename)
    yield* work
    return commitsIn(place.filename) - before
  })
  const { send } = Context.get(built, Requests.Requests)
  return { countIn, ledger: Context.get(built, Ledger.Ledger), send }
})

it.live("a send takes one commit more than an accept", () =>
  Effect.gen(function* () {
    const { countIn, ledger, send } = yield* start
    const callback = verified("apm", apm(), search("apm", "apm-payment", { requestId: "other" }))
    expect(yield* countIn(ledger.accept(callback, 1000))).toBe(1)
    expect(yield* countIn(send("apm-payment", fake.payment("order-1")))).toBe(2)
    expect(yield* countIn(send("apm-payment", fake.payment("order-1")))).toBe(0)
  }).pipe(Effect.scoped)
)

it.live("32 sends at the same time share their commits", () =>
  Effect.gen(function* () {
    const { countIn, send } = yield* start
    const sends = Array.from({ length: 32 }, (_, id) =>
      send("apm-payment", fake.payment(`order-${id}`))
    )
    const commits = yield* countIn(Effect.all(sends, { concurrency: "unbounded" }))
    // The first write and the first outcome are alone, and the others of each wait for them.
    expect(commits).toBeLessThanOrEqual(6)
  }).pipe(Effect.scoped)
)
