import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { SqlClient } from "effect/sql/SqlClient"
import { expect } from "@effect/vitest"
import { Ledger } from "../src/Ledger.ts"
import { migrate, Transactions } from "../src/LedgerSql.ts"
import { live, type Steps, test } from "@pawl/test-support/Tests"
import { client, empty, ledgerOf } from "@pawl/test-support/Places"
import { card, verified } from "@pawl/test-support/Service"
import * as Postgres from "@pawl/test-support/Postgres"
import * as PostgresProxy from "@pawl/test-support/PostgresProxy"
import * as TransactionPooler from "@pawl/test-support/TransactionPooler"
import { files, onPostgres } from "@pawl/test-support/Stores"
import { PgClient } from "@effect/sql-pg/PgClient"
import * as Fiber from "effect/Fiber"
import * as Text from "effect/String"
import * as TestClock from "effect/testing/TestClock"
import * as Redacted from "effect/Redacted"
import { once } from "node:events"
import { type AddressInfo, createServer } from "node:net"
import { Duplex } from "node:stream"
import { RequestStore } from "../src/internal/ledger/RequestStore.ts"
import { Records } from "../src/internal/records/Records.ts"
import * as NodeStore from "../src/internal/ledger/NodeStore.ts"
import * as NodePostgres from "../src/NodePostgres.ts"
import { DatabaseSync } from "node:sqlite"

const callback = (transactionId: string) => verified("card", card({ transactionId }))

await onPostgres((place) => {
  type Options = Parameters<typeof ledgerOf>[1]
  const build = (options?: Options) => Layer.build(Layer.fresh(ledgerOf(place, options)))
  const elsewhere = Effect.map(Layer.build(Layer.fresh(client(place))), Context.get(SqlClient))
  const emptied = Effect.tap(build(), (built) => Effect.provide(empty, built))

  const testSetting = (name: string, setting: string, body: () => Steps<Scope.Scope>) =>
    test(name, function* () {
      const sql = yield* elsewhere
      const database = sql.literal(place.database)
      yield* Effect.acquireUseRelease(
        sql`ALTER DATABASE ${database} SET ${sql.literal(setting)}`,
        () => Effect.gen(body),
        () => Effect.ignore(sql`ALTER DATABASE ${database} RESET ALL`)
      )
    })

  live(
    "a change whose response is lost has its result, because the store says that it is written",
    function* () {
      const proxy = yield* PostgresProxy.open
      const built = yield* build({ port: proxy.port })
      yield* Effect.provide(empty, built)
      const { accept, claim, write } = Context.get(built, Ledger)
      const requests = Context.get(built, RequestStore)
      const lost = <A, E>(change: Effect.Effect<A, E>, nth?: number) =>
        Effect.andThen(
          Effect.sync(() => proxy.loseResponse(nth)),
          change
        )
      expect(yield* lost(accept(callback("1"), 1))).toEqual({ isNew: true })
      expect(yield* lost(accept(callback("1"), 2))).toEqual({ isNew: false })
      const due = { at: 2, until: 9, limit: 1 }
      const [row] = (yield* lost(claim(due), 2)).rows
      expect(row && (yield* lost(write(row, { release: { dueAt: undefined } })))).toBeDefined()
      const request = {
        requestId: "1",
        kind: "card-payment",
        digest: "",
        hasCardData: false
      } as const
      yield* lost(requests.write(request, { at: 1 }))
      const [leased] = (yield* lost(requests.claim(due), 2)).rows
      const parked = leased && (yield* lost(requests.park(leased, "window", 3)))
      expect(parked?.parked).toEqual({ reason: "window", at: 3 })
      const [records] = Context.get(built, Records).own
      const remove = records.change("requests", "1", () => ({ value: undefined, result: 1 }))
      expect(yield* Effect.flip(lost(remove, 4))).toMatchObject({ _tag: "StoreUnavailable" })
    }
  )

  live("R06 no change is made twice or lost, whichever response is lost", function* () {
    const proxy = yield* PostgresProxy.open
    const [one, two] = yield* Effect.all([build({ port: proxy.port }), build()])
    yield* Effect.provide(empty, one)
    const add = (built: typeof one, key: string) =>
      Effect.exit(
        Context.get(built, Records).own[0].change("settings", key, (count = 0) => ({
          value: Number(count) + 1,
          result: 1
        }))
      )
    const keys = ["1", "2", "3"]
    const counts = { kept: 0, failed: 0 }
    for (let nth = 1; nth <= 12; nth++) {
      proxy.loseResponse(nth)
      const all = keys.flatMap((key) => [
        add(two, key),
        ...Array.from({ length: 6 }, () => add(one, key))
      ])
      for (const exit of yield* Effect.all(all, { concurrency: "unbounded" })) {
        counts[Exit.isSuccess(exit) ? "kept" : "failed"]++
      }
    }
    const values = yield* Effect.forEach(keys, (key) =>
      Context.get(two, Records).own[0].get("settings", key)
    )
    const stored = values.map(Number).reduce((sum, value) => sum + value)
    expect(stored).toBeGreaterThanOrEqual(counts.kept)
    expect(stored).toBeLessThanOrEqual(counts.kept + counts.failed)
  })

  testSetting(
    "R29: a commit waits for the disk, whatever the role or the database says",
    "synchronous_commit = off",
    function* () {
      const sql = Context.get(yield* build(), SqlClient)
      expect(yield* sql`SHOW synchronous_commit`.values).toEqual([["on"]])
      expect(yield* sql`SHOW idle_in_transaction_session_timeout`.values).toEqual([["5s"]])
      expect(yield* sql`SHOW lock_timeout`.values).toEqual([["500ms"]])
    }
  )

  testSetting(
    "a statement_timeout of the role or the database ends no statement of the ledger",
    "statement_timeout = 1",
    function* () {
      const sql = Context.get(yield* build(), SqlClient)
      expect(yield* sql`SELECT pg_sleep(0.05)`.values).toHaveLength(1)
    }
  )

  test("R29: a setting that loses commits is refused at the start, and a read-only server", function* () {
    const refusal = (startupParameters: Readonly<Record<string, string>>) =>
      Effect.map(Effect.flip(build({ startupParameters })), ({ message }) => message)
    expect(yield* refusal({ synchronous_commit: "off" })).toBe(
      "The PostgreSQL database cannot be used: a commit would not reach the disk (synchronous_commit is off)"
    )
    expect(yield* refusal({ default_transaction_read_only: "on" })).toBe(
      "The PostgreSQL database cannot be used: it is read-only; name the primary server"
    )
  })

  live("a client that renames columns is checked at the start, and lists pages", function* () {
    yield* emptied
    const renaming = {
      transformQueryNames: Text.camelToSnake,
      transformResultNames: Text.snakeToCamel
    }
    const startupParameters = { synchronous_commit: "off" }
    const { message } = yield* Effect.flip(build({ ...renaming, startupParameters }))
    expect(message).toContain("(synchronous_commit is off)")

    const built = yield* build(renaming)
    const { claim, park, parked, write } = Context.get(built, RequestStore)
    for (const requestId of ["1", "2"]) {
      const request = { requestId, kind: "card-payment", digest: "", hasCardData: false } as const
      yield* write(request, { at: 1 })
      const [leased] = (yield* claim({ at: 2, until: 9, limit: 1 })).rows
      if (leased !== undefined) yield* park(leased, "window", 3)
    }
    const [after] = yield* parked({ limit: 1 })
    expect(after).toMatchObject({ requestId: "1", parked: { at: 3 } })
    expect(yield* parked({ limit: 9, after: { at: 3, requestId: "1" } })).toMatchObject([
      { requestId: "2" }
    ])
    const { run } = Context.get(built, Transactions)
    const own = Effect.flatMap(SqlClient, (sql) => sql`SELECT 1 AS own_column`)
    expect(yield* run(own)).toEqual([{ ownColumn: 1 }])
    const upper = client(place, { transformResultNames: Text.toUpperCase })
    expect(yield* Effect.provide(migrate, upper)).toBe(1)
  })

  test("a database whose encoding lacks letters is refused at the start", function* () {
    const sql = yield* elsewhere
    const database = `${place.database}_latin`
    const { message } = yield* Effect.acquireUseRelease(
      sql.unsafe(`CREATE DATABASE ${database} ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`),
      () => Effect.flip(Effect.scoped(Layer.build(Layer.fresh(ledgerOf({ ...place, database }))))),
      () => Effect.orDie(sql.unsafe(`DROP DATABASE ${database}`))
    )
    expect(message).toBe(
      "The PostgreSQL database cannot be used: its encoding LATIN1 lacks letters; make one with ENCODING 'UTF8'"
    )
  })

  live("a pooler that shares its sessions is refused at the start", function* () {
    const pooler = yield* TransactionPooler.open
    const url = Redacted.make(Postgres.urlOf(place.database, pooler.port))
    const store = { _tag: "postgres", url } as const
    const open = Effect.asVoid(Layer.build(Layer.fresh(NodeStore.layer(store))))
    for (const start of [open, Effect.asVoid(NodeStore.migrate(store))]) {
      expect((yield* Effect.flip(Effect.scoped(start))).message).toBe(
        "The PostgreSQL database cannot be used: its pooler is not in session mode; in PgBouncer, set pool_mode = session"
      )
    }
  })

  live("a pool of one connection starts", function* () {
    yield* emptied
    const ledger = Context.get(yield* build({ maxConnections: 1 }), Ledger)
    expect(yield* ledger.accept(callback("1"), 1000)).toEqual({ isNew: true })
  })

  live("a start while another transaction has locked the settings says what to do", function* () {
    yield* emptied
    const sql = yield* elsewhere
    const url = Redacted.make(Postgres.urlOf(place.database))
    const start = Layer.build(Layer.fresh(NodeStore.layer({ _tag: "postgres", url })))
    const { message } = yield* sql.withTransaction(
      Effect.andThen(sql`LOCK TABLE pawl_settings`, Effect.flip(start))
    )
    expect(message).toBe(
      "The store cannot be used: a transaction takes longer than 3 seconds; end the transaction that has a lock"
    )
  })

  live("a transaction whose connection is lost fails as the unavailable store", function* () {
    const { run } = Context.get(yield* build(), Transactions)
    const lost = Effect.flatMap(
      SqlClient,
      (sql) => sql`SELECT pg_terminate_backend(pg_backend_pid())`
    )
    expect(yield* Effect.flip(run(lost))).toMatchObject({ _tag: "StoreUnavailable" })
    const own = new Error("the merchant's own defect")
    expect(yield* Effect.exit(run(Effect.die(own)))).toEqual(Exit.die(own))
  })

  live(
    "R31: connections to a server that became read-only are ended, and new ones write",
    function* () {
      yield* emptied
      const built = yield* build({ maxConnections: 3 })
      const ledger = Context.get(built, Ledger)
      const { run } = Context.get(built, Transactions)
      const sql = Context.get(built, SqlClient)
      // Three transactions at once have all connections of the pool.
      const becomeReadOnly = Effect.all(
        [1, 2, 3].map(() =>
          sql.withTransaction(
            sql`SELECT pg_sleep(0.1), set_config('default_transaction_read_only', 'on', false)`
          )
        ),
        { concurrency: "unbounded" }
      )
      yield* becomeReadOnly
      const unavailable = { _tag: "StoreUnavailable" }
      expect(yield* Effect.flip(ledger.accept(callback("1"), 1000))).toMatchObject(unavailable)
      const untilWritable = { schedule: Schedule.spaced("10 millis"), times: 200 }
      for (const id of ["1", "2", "3", "4"]) {
        yield* Effect.retry(ledger.accept(callback(id), 1000), untilWritable)
      }
      // A connection that was not used since ends after its next statement.
      yield* Effect.all(
        ["1", "2", "3", "4", "5", "6"].map((id) =>
          Effect.retry(ledger.accept(callback(id), 1000), untilWritable)
        ),
        { concurrency: "unbounded" }
      )

      yield* becomeReadOnly
      const write = run(sql`UPDATE pawl_transactions SET parts = 1`)
      expect(yield* Effect.flip(write)).toMatchObject(unavailable)
      yield* Effect.retry(write, untilWritable)
    }
  )

  const lock = (sql: SqlClient, id: string) =>
    sql`SELECT 1 FROM pawl_transactions WHERE key = ${`${id}\tcard`} FOR UPDATE`

  const blocks = Effect.fnUntraced(function* (sql: SqlClient, connections: number) {
    const watch = yield* elsewhere
    const [pid] = (yield* sql`SELECT pg_backend_pid()`.values).flat()
    yield* Effect.repeat(
      watch`SELECT 1 FROM pg_stat_activity WHERE ${pid} = ANY (pg_blocking_pids(pid))`,
      { until: ({ length }) => length === connections }
    )
  })
  const accept = (ledger: Ledger["Service"], id: string) =>
    Effect.forkDetach(ledger.accept(callback(id), 1000), { startImmediately: true })

  live("retries after a serialization failure (R23)", function* () {
    yield* emptied
    const startupParameters = { default_transaction_isolation: "serializable" }
    const built = yield* Layer.build(Layer.fresh(ledgerOf(place, { startupParameters })))
    const ledger = Context.get(built, Ledger)
    const sql = yield* elsewhere
    yield* ledger.accept(callback("1"), 1000)
    const accepted = yield* sql.withTransaction(
      Effect.gen(function* () {
        yield* sql`UPDATE pawl_transactions SET parts = parts`
        const fiber = yield* accept(ledger, "1")
        yield* blocks(sql, 1)
        return fiber
      })
    )
    expect(yield* Fiber.join(accepted)).toEqual({ isNew: false })
    expect(yield* ledger.get("card", "1")).toMatchObject({ callbacks: 2 })
  })

  live("retries after a deadlock (R23)", function* () {
    const ledger = Context.get(yield* emptied, Ledger)
    const first = yield* elsewhere
    const second = yield* elsewhere
    const ids = ["1", "2", "8", "9"]
    for (const id of ids) yield* ledger.accept(callback(id), 1000)
    const accepted = yield* second.withTransaction(
      Effect.gen(function* () {
        yield* second`SET LOCAL deadlock_timeout = '30s'` // so that the ledger gets the deadlock error
        yield* lock(second, "2")
        // Both committers wait for rows 8 and 9, so that 1 and 2 share a group.
        const fibers = yield* first.withTransaction(
          Effect.gen(function* () {
            yield* lock(first, "8")
            yield* lock(first, "9")
            const eight = yield* accept(ledger, "8")
            yield* blocks(first, 1)
            const nine = yield* accept(ledger, "9")
            yield* blocks(first, 2)
            return [eight, nine, yield* accept(ledger, "1"), yield* accept(ledger, "2")]
          })
        )
        // The ledger has row 1 and waits for row 2, which this connection has locked.
        yield* blocks(second, 1)
        yield* lock(second, "1")
        return fibers
      })
    )
    yield* Fiber.joinAll(accepted)
    for (const id of ids) expect(yield* ledger.get("card", id)).toMatchObject({ callbacks: 2 })
  })

  live("R32: claims and accepts other rows while another transaction has locked one", function* () {
    const ledger = Context.get(yield* emptied, Ledger)
    const sql = yield* elsewhere
    for (const id of ["1", "2", "3"]) yield* ledger.accept(callback(id), Number(id))
    const held = yield* sql.withTransaction(
      Effect.gen(function* () {
        yield* lock(sql, "1")
        const { dueAt, rows } = yield* ledger.claim({ at: 1000, until: 9000, limit: 10 })
        expect(rows.map(({ transactionId }) => transactionId)).toEqual(["2", "3"])
        // Row 1 is due but locked. With its time a worker would claim again at once.
        expect(dueAt).toBe(9000)
        const waits = yield* accept(ledger, "1")
        yield* ledger.accept(callback("2"), 1000)
        expect(waits.pollUnsafe()).toBeUndefined()
        return waits
      })
    )
    yield* Fiber.join(held)
    const { rows } = yield* ledger.claim({ at: 1000, until: 9000, limit: 10 })
    expect(rows).toMatchObject([{ transactionId: "1", callbacks: 2 }])
  })
})

const configOf = (options: Parameters<typeof NodePostgres.layer>[0]) =>
  Effect.map(
    Layer.build(NodePostgres.layer(options)),
    (context) => Context.get(context, PgClient).config
  )

test("a setting of PostgreSQL that is undefined keeps its default, so that a dead server is noticed", function* () {
  const names = ["applicationName", "connectTimeout", "keepAlive", "maxConnections"]
  const given = Object.fromEntries(names.map((name) => [name, undefined]))
  const config = yield* configOf({ host: "127.0.0.1", port: 9, ...given })
  expect(config).toEqual(yield* configOf({ host: "127.0.0.1", port: 9 }))
  expect(config).toMatchObject({ keepAlive: "30 seconds", maxConnections: 10 })
})

test("a connection has the name that the address gives it", function* () {
  const nameOf = (url: string) =>
    Effect.map(configOf({ url: Redacted.make(url) }), ({ applicationName }) => applicationName)
  expect(yield* nameOf("postgres://pawl@127.0.0.1:9/pawl")).toBe("pawl")
  expect(yield* nameOf("postgres://pawl@127.0.0.1:9/pawl?application_name=shop")).toBe("shop")
})

test("a server that answers no statement for 15 seconds fails the start, and does not hang it", function* () {
  const login = Buffer.from("5200000008000000005a0000000549", "hex")
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>()
  const sockets: Array<Duplex> = []
  const stream = () => {
    let writes = 0
    const socket = new Duplex({
      read: () => undefined,
      write: (_bytes, _encoding, done) => {
        // The server ends a connection whose statement another one cancels.
        if (socket !== sockets[0]) for (const each of sockets) each.destroy()
        else if (writes++ === 0) socket.push(login)
        else ask()
        done()
      }
    })
    sockets.push(socket)
    return socket
  }
  const started = yield* Effect.forkScoped(
    Effect.flip(Layer.build(NodePostgres.layerLedger({ stream, username: "pawl" })))
  )
  yield* Effect.promise(() => asked)
  yield* TestClock.adjust("15 seconds")
  expect(yield* Fiber.join(started)).toMatchObject({
    reason: {
      _tag: "StatementTimeoutError",
      message: "A transaction takes longer than 15 seconds"
    }
  })
})

test.each([
  [
    "08P01",
    "unsupported startup parameter: lock_timeout",
    "in PgBouncer, put synchronous_commit, lock_timeout, statement_timeout and idle_in_transaction_session_timeout into ignore_startup_parameters, and set them on the role to on, 500ms, 0 and 5s"
  ],
  ["55P03", "canceling statement due to lock timeout", "end the transaction that has the lock"],
  ["P0001", "no tables here", "let the trigger allow pawl-receiver migrate"],
  ["42703", 'column "key" does not exist', "name a schema without tables of another program"],
  ["53100", "could not extend file", "make room on its disk"],
  ["53300", "sorry, too many clients already", "allow it more connections"],
  // The class of each is that of a lock and of the connections.
  [
    "55000",
    "database is not accepting connections",
    "start it, or correct the address of the store"
  ],
  ["53200", "out of memory", "start it, or correct the address of the store"]
])("a start that a server refuses with %s says what to do", function* (code, reason, advice) {
  const fields = `SFATAL\0C${code}\0M${reason}\0\0`
  const refusal = `E\0\0\0${String.fromCharCode(fields.length + 4)}${fields}`
  const server = createServer((socket) => socket.once("data", () => socket.end(refusal)))
  yield* Effect.promise(() => once(server.listen(0, "127.0.0.1"), "listening"))
  yield* Effect.addFinalizer(() => Effect.sync(() => server.close()))
  const { port } = server.address() as AddressInfo
  const url = Redacted.make(`postgres://pawl@127.0.0.1:${port}/pawl`)
  const started = yield* Effect.forkScoped(
    Effect.flip(NodeStore.migrate({ _tag: "postgres", url }))
  )
  while (started.pollUnsafe() === undefined) {
    yield* Effect.promise(() => new Promise(setImmediate))
    yield* TestClock.adjust("50 millis")
  }
  expect((yield* Fiber.join(started)).message).toBe(
    `The PostgreSQL database cannot be used (${reason}): ${advice}`
  )
})

const file = files()

live(
  "a callback in a SQLite file waits while another connection holds the file for a moment",
  function* () {
    const place = file()
    const ledger = Context.get(yield* Layer.build(ledgerOf(place)), Ledger)
    const holder = new DatabaseSync(place.filename, { timeout: 10_000 })
    holder.exec("BEGIN EXCLUSIVE")
    const accepted = yield* Effect.forkChild(ledger.accept(callback("1"), 1000), {
      startImmediately: true
    })
    // Longer than a statement itself waits for the lock.
    yield* Effect.sleep("300 millis")
    holder.close()
    expect(yield* Fiber.join(accepted)).toEqual({ isNew: true })
  }
)
