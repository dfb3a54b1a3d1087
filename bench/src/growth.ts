/**
 * How the cost of one thing grows with how many there already are.
 *
 * - `connections`: a callback taken in, over 1 to 256 connections at a time.
 * - `processes`: a callback taken in, over 64 connections to 1 to 4 receivers on one PostgreSQL.
 * - `rows`: 64 callbacks of new transactions accepted at once, and 64 rows that are due claimed, in
 *   ledgers of a thousand to a million rows, in SQLite and in PostgreSQL where it answers.
 * - `transactions`: a payment created and read in a service that has none, and in one that has 100,000.
 *
 * What is told is how many times it takes as long as with the fewest, in the same round.
 */
import { ApmPayments } from "@pawl/http/ApmPayments"
import * as Fake from "@pawl/testkit/Fake"
import { Ledger } from "@pawl/webhook/Ledger"
import * as LedgerSql from "@pawl/webhook/LedgerSql"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Stores from "../../proof/src/rel/Stores.ts"
import { make } from "./callbacks.ts"
import type { Bench, Costs } from "./harness.ts"
import { post, serve, type Server } from "./receiver.ts"
import { incoming, verifier } from "./verify.ts"

const rounds = 15
const warmUps = 3
const together = 64

/** How many callbacks were made, so that each is another transaction's. */
let made = 0

/** Something that there is a number of, and what is done with it. */
interface Grown {
  readonly name: string
  readonly fewest: string
  readonly act: () => Promise<unknown>
}

/** Takes the time each takes, in turns, and compares it with the time with the fewest. */
const inTurns = async (all: ReadonlyArray<Grown>, often: number): Promise<Costs> => {
  const times = new Map(all.map(({ name }): [string, Array<number>] => [name, []]))
  for (let round = -warmUps; round < rounds; round++) {
    for (let turn = 0; turn < all.length; turn++) {
      const { act, name } = all[(round + warmUps + turn) % all.length]!
      const start = performance.now()
      for (let time = 0; time < often; time++) await act()
      if (round >= 0) times.get(name)?.push(performance.now() - start)
    }
  }
  const of = new Map(
    all.map(({ fewest, name }) => [
      name,
      times.get(name)!.map((time, round) => time / times.get(fewest)![round]!)
    ])
  )
  return { unit: "time ÷ that with the fewest", of }
}

const names = ["pawl-receiver", "pawl-receiver, SQLite"]
const widths = [1, 4, 16, 64, 256]
const taken = 1024

/** Callbacks that no other server has. */
const posts = (): ReadonlyArray<Buffer> =>
  Array.from({ length: (warmUps + rounds) * taken }, () => post(make(++made)))

const runConnections = async (): Promise<Costs> => {
  const directory = mkdtempSync(join(tmpdir(), "pawl-bench-"))
  const servers: Array<Server> = []
  try {
    const all: Array<Grown> = []
    for (const name of names) {
      for (const connections of widths) {
        const store = join(directory, `${connections}.db`)
        const server = await serve(name, store, posts(), { connections })
        servers.push(server)
        all.push({
          name: `${name}, ${connections}`,
          fewest: `${name}, ${widths[0]}`,
          act: () => server.take(taken)
        })
      }
    }
    return await inTurns(all, 1)
  } finally {
    for (const { close } of servers) close()
    rmSync(directory, { recursive: true })
  }
}

export const connections: Bench = {
  what: "a callback taken in, by the number of connections",
  goals: [],
  run: runConnections
}

const runProcesses = (): Promise<Costs> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const all: Array<Grown> = []
        if (!(yield* Effect.promise(Stores.isPostgresRunning))) {
          console.error("processes: skipped, since PostgreSQL does not answer")
          return { unit: "time", of: new Map<string, never>() }
        }
        for (const processes of [1, 2, 4]) {
          const place = yield* Stores.makeSql("postgres")
          const servers = yield* Effect.forEach(Array.from({ length: processes }), () =>
            Effect.acquireRelease(
              Effect.promise(() =>
                serve("pawl-receiver, PostgreSQL", place.url.split("/").at(-1)!, posts(), {
                  connections: 64 / processes
                })
              ),
              ({ close }) => Effect.sync(close)
            )
          )
          all.push({
            name: processes === 1 ? "1 process" : `${processes} processes`,
            fewest: "1 process",
            act: () => Promise.all(servers.map(({ take }) => take(taken / processes)))
          })
        }
        return yield* Effect.promise(() => inTurns(all, 1))
      })
    )
  )

export const processes: Bench = {
  what: "a callback taken in, by the number of receivers on one PostgreSQL",
  goals: [],
  run: runProcesses
}

const sizes = [1000, 10_000, 100_000, 1_000_000]

/** The callback of a transaction that nobody has seen. */
const verified = () => Effect.fromResult(verifier.verify(incoming(make(++made))))

let now = 0
const acceptSome = Effect.gen(function* () {
  const ledger = yield* Ledger
  yield* Effect.all(
    Array.from({ length: together }, () =>
      Effect.flatMap(verified(), (callback) => ledger.accept(callback, ++now))
    ),
    { concurrency: "unbounded", discard: true }
  )
})
/** The lease ends at once, so that the rows are due again. */
const claimSome = Effect.gen(function* () {
  const ledger = yield* Ledger
  const { rows } = yield* ledger.claim({ at: ++now, until: now, limit: together })
  if (rows.length !== together) throw new Error(`${rows.length} rows were claimed`)
})

const runRows = (): Promise<Costs> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const stores = (yield* Effect.promise(Stores.isPostgresRunning))
          ? (["sqlite", "postgres"] as const)
          : (["sqlite"] as const)
        const all: Array<Grown> = []
        for (const store of stores) {
          for (const size of sizes) {
            console.error(`rows: filling ${store} with ${size}`)
            const place = yield* Stores.makeSql(store)
            const runtime = yield* Effect.acquireRelease(
              Effect.sync(() =>
                ManagedRuntime.make(Layer.provide(LedgerSql.layer, Stores.layerClient(place)))
              ),
              (open) => open.disposeEffect
            )
            yield* Effect.promise(() =>
              runtime.runPromise(
                Effect.repeat(acceptSome, { times: Math.ceil(size / together) - 1 })
              )
            )
            const grown = (what: string, act: typeof acceptSome): Grown => ({
              name: `${store}, ${what}, ${size} rows`,
              fewest: `${store}, ${what}, ${sizes[0]} rows`,
              act: () => runtime.runPromise(act)
            })
            all.push(grown("accept", acceptSome), grown("claim", claimSome))
          }
        }
        return yield* Effect.promise(() => inTurns(all, 10))
      })
    )
  )

/** The goals of what is to stay flat: never twice the time that it takes with the fewest. */
const flat = (names: ReadonlyArray<string>): Bench["goals"] =>
  names.map((variant) => ({ variant, atMost: 2 }))

export const rows: Bench = {
  what: `${together} callbacks accepted, ${together} rows claimed`,
  goals: flat(
    ["sqlite", "postgres"].flatMap((store) =>
      ["accept", "claim"].map((what) => `${store}, ${what}, ${sizes.at(-1)} rows`)
    )
  ),
  run: runRows
}

const pay = ApmPayments.use(({ create, status }) =>
  Effect.flatMap(
    create({
      accountId: "1001",
      amount: "10.50",
      currency: "EUR",
      apmPayload: { paymentType: "APM", paymentMethod: "EWALLET" }
    }),
    ({ transactionId }) => status(transactionId)
  )
)

const many = 100_000

const runTransactions = async (): Promise<Costs> => {
  const open = () => ManagedRuntime.make(Fake.layer({ pace: "1 millis" }))
  const [empty, full] = [open(), open()]
  console.error(`transactions: making ${many}`)
  await full.runPromise(
    Effect.forEach(Array.from({ length: many }), () => pay, {
      concurrency: together,
      discard: true
    })
  )
  const all = [
    { name: "few transactions", runtime: empty },
    { name: `${many} transactions`, runtime: full }
  ].map(({ name, runtime }) => ({
    name,
    fewest: "few transactions",
    act: () => runtime.runPromise(Effect.repeat(pay, { times: 99 }))
  }))
  try {
    return await inTurns(all, 4)
  } finally {
    await Promise.all([empty.dispose(), full.dispose()])
  }
}

export const transactions: Bench = {
  what: "a payment and a read of its status, in the service in memory",
  goals: flat([`${many} transactions`]),
  run: runTransactions
}
