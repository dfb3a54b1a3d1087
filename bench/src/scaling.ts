/**
 * Measures how the time of an operation grows with size.
 *
 * - `connections`: accepting a callback over 1 to 256 connections.
 * - `processes`: the same over 64, with 1 to 4 receivers on one PostgreSQL.
 * - `rows`: accepting 64 new callbacks, and claiming 64 due rows, in ledgers of 10,000 to 10,000,000
 *   rows, in SQLite and, if it runs, in PostgreSQL.
 * - `rowsMemory`: claiming 64 due rows of 1000 and 100,000 in memory.
 * - `transactions`: creating and reading a payment in a service with 0 and 100,000 transactions.
 *
 * The result is the time divided by that of the smallest size in the same round.
 */
import { ApmPayments } from "@pawl/http/ApmPayments"
import * as Fake from "@pawl/testkit/Fake"
import { layerMemory, Ledger } from "@pawl/webhook/Ledger"
import * as LedgerSql from "@pawl/webhook/LedgerSql"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { join } from "node:path"
import * as ManyRows from "../../proof/src/rel/ManyRows.ts"
import * as Stores from "../../proof/src/rel/Stores.ts"
import { isAvailable } from "../../test-support/src/Postgres.ts"
import { make } from "./callbacks.ts"
import { type Bench, type Costs, inRounds } from "./harness.ts"
import { payment } from "./payments.ts"
import { post, serve, type Server } from "./receiver.ts"
import { incoming, verifier } from "./verify.ts"
import { scratch } from "./scratch.ts"

const rounds = 15
const warmUps = 3
const batch = 64

/** The number of callbacks made so far; each has a new transaction. */
let made = 0

interface Sized {
  readonly name: string
  readonly smallest: string
  readonly act: () => Promise<unknown>
}

const measureSizes = async (all: ReadonlyArray<Sized>, repetitions: number): Promise<Costs> => {
  const times = await inRounds(all, { rounds, warmUps }, async ({ act }) => {
    const start = performance.now()
    for (let time = 0; time < repetitions; time++) await act()
    return performance.now() - start
  })
  const of = new Map(
    all.map(({ name, smallest }) => [
      name,
      times.get(name)!.map((time, round) => time / times.get(smallest)![round]!)
    ])
  )
  return { unit: "time ÷ smallest size", of }
}

const names = ["pawl-receiver", "pawl-receiver, SQLite"]
const widths = [1, 4, 16, 64, 256]
const callbacksPerRound = 1024

const posts = (): ReadonlyArray<Buffer> =>
  Array.from({ length: (warmUps + rounds) * callbacksPerRound }, () => post(make(++made)))

const runConnections = async (): Promise<Costs> => {
  const directory = scratch()
  const servers: Array<Server> = []
  try {
    const all: Array<Sized> = []
    for (const name of names) {
      for (const connections of widths) {
        const store = join(directory, `${connections}.db`)
        const server = await serve(name, store, posts(), { connections })
        servers.push(server)
        all.push({
          name: `${name}, ${connections}`,
          smallest: `${name}, ${widths[0]}`,
          act: () => server.take(callbacksPerRound)
        })
      }
    }
    return await measureSizes(all, 1)
  } finally {
    for (const { close } of servers) close()
  }
}

export const connections: Bench = {
  what: "a callback accepted, by number of connections",
  goals: [],
  run: runConnections
}

const runProcesses = (): Promise<Costs> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const all: Array<Sized> = []
        if (!(yield* Effect.promise(isAvailable))) {
          console.error("processes: skipped, because PostgreSQL does not answer")
          return { unit: "time", of: new Map<string, never>() }
        }
        for (const processes of [1, 2, 4]) {
          const place = yield* Stores.make("postgres")
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
            smallest: "1 process",
            act: () => Promise.all(servers.map(({ take }) => take(callbacksPerRound / processes)))
          })
        }
        return yield* Effect.promise(() => measureSizes(all, 1))
      })
    )
  )

export const processes: Bench = {
  what: "a callback accepted, by number of receivers on one PostgreSQL",
  goals: [],
  run: runProcesses
}

const sizes = [10_000, 100_000, 1_000_000, 10_000_000]

const verified = () => Effect.fromResult(verifier.verify(incoming(make(++made))))

let now = 0
const acceptSome = Effect.gen(function* () {
  const ledger = yield* Ledger
  yield* Effect.all(
    Array.from({ length: batch }, () =>
      Effect.flatMap(verified(), (callback) => ledger.accept(callback, ++now))
    ),
    { concurrency: "unbounded", discard: true }
  )
})
const acceptOne = Effect.flatMap(Ledger, (ledger) =>
  Effect.flatMap(verified(), (callback) => ledger.accept(callback, ++now))
)
/** The lease ends at once, so that the rows are due again. */
const claimSome = Effect.gen(function* () {
  const ledger = yield* Ledger
  const { rows } = yield* ledger.claim({ at: ++now, until: now, limit: batch })
  if (rows.length !== batch) throw new Error(`${rows.length} rows were claimed`)
})

const runRows = (): Promise<Costs> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const stores = (yield* Effect.promise(isAvailable))
          ? (["sqlite", "postgres"] as const)
          : (["sqlite"] as const)
        const all: Array<Sized> = []
        for (const store of stores) {
          for (const size of sizes) {
            console.error(`rows: inserting ${size} rows into ${store}`)
            const place = yield* Stores.make(store)
            const runtime = yield* Effect.acquireRelease(
              Effect.sync(() =>
                ManagedRuntime.make(Layer.provideMerge(LedgerSql.layer, Stores.layerClient(place)))
              ),
              (open) => open.disposeEffect
            )
            yield* Effect.promise(() =>
              runtime.runPromise(Effect.andThen(acceptOne, ManyRows.fill(size, console.error)))
            )
            const sized = (what: string, act: typeof acceptSome): Sized => ({
              name: `${store}, ${what}, ${size} rows`,
              smallest: `${store}, ${what}, ${sizes[0]} rows`,
              act: () => runtime.runPromise(act)
            })
            all.push(sized("accept", acceptSome), sized("claim", claimSome))
          }
        }
        return yield* Effect.promise(() => measureSizes(all, 10))
      })
    )
  )

const notGrowing = (names: ReadonlyArray<string>): Bench["goals"] =>
  names.map((variant) => ({ variant, atMost: 2 }))

export const rows: Bench = {
  what: `${batch} callbacks accepted, ${batch} rows claimed`,
  goals: notGrowing(
    ["sqlite", "postgres"].flatMap((store) =>
      ["accept", "claim"].map((what) => `${store}, ${what}, ${sizes.at(-1)} rows`)
    )
  ),
  run: runRows
}

const memorySizes = [1000, 100_000]

const runRowsMemory = async (): Promise<Costs> => {
  const ledgers = memorySizes.map((size) => ({
    size,
    runtime: ManagedRuntime.make(Layer.fresh(layerMemory))
  }))
  try {
    for (const { runtime, size } of ledgers) {
      await runtime.runPromise(Effect.repeat(acceptOne, { times: size - 1 }))
    }
    const all = ledgers.map(({ runtime, size }) => ({
      name: `claim, ${size} rows`,
      smallest: `claim, ${memorySizes[0]} rows`,
      act: () => runtime.runPromise(claimSome)
    }))
    return await measureSizes(all, 40)
  } finally {
    await Promise.all(ledgers.map(({ runtime }) => runtime.dispose()))
  }
}

export const rowsMemory: Bench = {
  what: `${batch} rows claimed in memory`,
  goals: notGrowing([`claim, ${memorySizes.at(-1)} rows`]),
  run: runRowsMemory
}

const pay = ApmPayments.use(({ create, status }) =>
  Effect.flatMap(
    Effect.suspend(() => create(payment({}))),
    ({ transactionId }) => status(transactionId)
  )
)

const many = 100_000

const runTransactions = async (): Promise<Costs> => {
  const open = () => ManagedRuntime.make(Fake.layer({ pace: "1 millis" }))
  const [empty, full] = [open(), open()]
  console.error(`transactions: creating ${many}`)
  await full.runPromise(
    Effect.forEach(Array.from({ length: many }), () => pay, {
      concurrency: batch,
      discard: true
    })
  )
  const all = [
    { name: "few transactions", runtime: empty },
    { name: `${many} transactions`, runtime: full }
  ].map(({ name, runtime }) => ({
    name,
    smallest: "few transactions",
    act: () => runtime.runPromise(Effect.repeat(pay, { times: 99 }))
  }))
  try {
    return await measureSizes(all, 4)
  } finally {
    await Promise.all([empty.dispose(), full.dispose()])
  }
}

export const transactions: Bench = {
  what: "a payment and a read of its status in memory, by transactions",
  goals: notGrowing([`${many} transactions`]),
  run: runTransactions
}
