/** The store of a receiver by its name: `memory`, `sqlite:FILE` or `postgres://…`. */
import * as Arr from "effect/Array"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { existsSync, realpathSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import * as Ledger from "../../Ledger.ts"
import * as LedgerSql from "../../LedgerSql.ts"
import * as NodeSqlite from "../../NodeSqlite.ts"
import { Records } from "../records/Records.ts"
import * as Fault from "../sql/Fault.ts"
import { Foreign } from "../sql/Schema.ts"
import * as Move from "./Move.ts"
import { StoreUnusable } from "./Owner.ts"
import * as RequestStore from "./RequestStore.ts"

export type Store =
  | { readonly _tag: "memory" }
  | { readonly _tag: "sqlite"; readonly filename: string }
  | { readonly _tag: "postgres"; readonly url: Redacted.Redacted }

export type Database = Exclude<Store, { readonly _tag: "memory" }>

/** Tells whether a store outlives its process, unlike one in memory. */
export const isDatabase = (store: Store): store is Database =>
  store._tag === "postgres" ||
  (store._tag === "sqlite" && NodeSqlite.fileOf(store.filename) !== undefined)

/** The shards of one store, in an order that must never change. */
export type Stores = Arr.NonEmptyReadonlyArray<Store>

export { StoreUnusable }

export const parse = (text: string): Store | undefined => {
  if (text === "memory") return { _tag: "memory" }
  if (/^postgres(?:ql)?:\/\//u.test(text) && isAddress(text)) {
    return { _tag: "postgres", url: Redacted.make(text) }
  }
  const [, filename] = /^sqlite:(.*\S)$/u.exec(text) ?? []
  return filename === undefined ? undefined : { _tag: "sqlite", filename }
}

/** A `#`, `/` or `?` of a password that is not escaped would begin another part of the address. */
const isAddress = (text: string): boolean => {
  const url = URL.parse(text)
  return url !== null && url.hash === "" && !`${url.pathname}${url.search}`.includes("@")
}

/** Returns a key of the database, which two names of it share; undefined for a store in memory. */
export const keyOf = (store: Store): string | undefined => {
  if (store._tag === "memory") return undefined
  return store._tag === "postgres"
    ? `postgres ${Redacted.value(store.url)}`
    : `file ${targetOf(resolve(NodeSqlite.fileOf(store.filename) ?? store.filename))}`
}

/** Follows links. The file itself, or the drive of Windows, may not exist yet. */
const targetOf = (file: string): string => {
  if (existsSync(file)) return realpathSync(file)
  const folder = dirname(file)
  return folder === file ? file : join(targetOf(folder), basename(file))
}

/**
 * Several stores are databases: one in memory would take the place of a shard with its process. One
 * named twice would take two places, and could not be opened alone any more.
 */
export const parseEach = (texts: ReadonlyArray<string>): Stores | undefined => {
  const stores = texts.map(parse)
  return stores.every((store) => store !== undefined) &&
    Arr.isArrayNonEmpty(stores) &&
    (stores.length === 1 || stores.every(isDatabase)) &&
    new Set(stores.map(keyOf)).size === stores.length
    ? stores
    : undefined
}

/** Reads stores that white space separates. A file may have white space in its name. */
export const parseAll = (text: string): Stores | undefined =>
  parseEach(text.split(/\s+(?=sqlite:|postgres(?:ql)?:)/u))

/**
 * Layer that opens a store, or several as shards, with at most 10 connections of a process to a
 * PostgreSQL database, and 4 to each of three or more.
 */
export const layer = (
  ...stores: Stores
): Layer.Layer<Ledger.Ledger | Records | RequestStore.RequestStore, StoreUnusable> =>
  layerWith({ connections: connectionsOf(stores) }, ...stores)

/** Layer that opens a store that has its tables, and else writes nothing. */
export const layerExisting = (...stores: Stores): ReturnType<typeof layer> =>
  Layer.provide(
    layer(...stores),
    Layer.succeed(
      Foreign,
      "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'pawl_migrations')"
    )
  )

/** Layer that opens a store with at most `connections` connections to each PostgreSQL database. */
export const layerWith = (
  { connections }: { readonly connections: number },
  ...stores: Stores
): Layer.Layer<Ledger.Ledger | Records | RequestStore.RequestStore, StoreUnusable> =>
  LedgerSql.layerShards(Arr.map(stores, (store) => layerOne(store, connections))).pipe((layer) =>
    Layer.effectContext(
      Layer.build(layer).pipe(
        Effect.catchTag("ShardMisplaced", ({ message }) =>
          Effect.fail(new StoreUnusable({ message }))
        ),
        Effect.catchTag("StoreUnavailable", (error) =>
          Effect.fail(new StoreUnusable({ message: refusalOf(Fault.of(error)) }))
        )
      )
    )
  )

const refusalOf = ({ cause }: Fault.Fault): string => {
  const [, advice] = causeAdvices.find(([part]) => cause.includes(part)) ?? []
  return `The store cannot be used: ${cause}${advice === undefined ? "" : `; ${advice}`}`
}

const causeAdvices = [
  ["damaged", "restore it from a backup"],
  ["takes longer", "end the transaction that has a lock"]
] as const

export const move = (stores: Stores): Effect.Effect<number, StoreUnusable> =>
  Effect.gen(function* () {
    const opened = yield* Effect.forEach(stores, (store) =>
      Effect.map(Layer.build(Layer.fresh(layerOne(store, minConnections))), (built) =>
        Context.get(built, Records)
      )
    )
    return yield* Move.move(opened).pipe(
      Effect.catchTag("StoreUnavailable", (error) =>
        Effect.fail(
          new StoreUnusable({
            message: `The rows could not be moved to the end (${innermost(error)}): run it again`
          })
        )
      )
    )
  }).pipe(Effect.scoped)

const maxConnections = 10
const minConnections = 4

const connectionsOf = (stores: Stores): number =>
  Math.max(minConnections, Math.ceil(maxConnections / stores.length))

const layerOne = (
  store: Store,
  maxConnections: number
): Layer.Layer<Ledger.Ledger | Records | RequestStore.RequestStore, StoreUnusable> => {
  if (store._tag === "memory") {
    return Layer.provideMerge(RequestStore.layerMemory, Ledger.layerMemory)
  }
  if (store._tag === "sqlite") {
    return open(NodeSqlite.layerLedger(store), sqliteMessage(store))
  }
  return importPostgres.pipe(
    Effect.map(({ layerLedger }) =>
      open(layerLedger({ url: store.url, maxConnections }), postgresMessage)
    ),
    Layer.unwrap
  )
}

export const migrate = (store: Database): Effect.Effect<number, StoreUnusable> =>
  store._tag === "sqlite"
    ? Effect.mapError(
        Effect.provide(LedgerSql.migrate, NodeSqlite.layer(store)),
        unusable(sqliteMessage(store))
      )
    : Effect.flatMap(importPostgres, ({ layer }) =>
        Effect.mapError(
          Effect.provide(LedgerSql.migrate, layer({ url: store.url })),
          unusable(postgresMessage)
        )
      )

/** Opens a layer with errors that contain no password. */
const open = <Services>(
  layer: Layer.Layer<Services, LedgerSql.StartError>,
  messageOf: (error: Error) => string
): Layer.Layer<Services, StoreUnusable> =>
  Layer.effectContext(Effect.mapError(Layer.build(layer), unusable(messageOf)))

const unusable = (messageOf: (error: Error) => string) => (error: LedgerSql.StartError) => {
  const isOwnSentence = error._tag === "MigrationError" && error.kind === "BadState"
  return new StoreUnusable({ message: isOwnSentence ? error.message : messageOf(error) })
}

const importPostgres = Effect.tryPromise({
  try: () => import("../../NodePostgres.ts"),
  catch: () =>
    new StoreUnusable({ message: "PostgreSQL needs @effect/sql-pg: npm install @effect/sql-pg" })
})

const sqliteMessage =
  ({ filename }: NodeSqlite.Options) =>
  (error: Error): string =>
    error.message.startsWith("The SQLite file")
      ? error.message
      : `The SQLite file ${filename} cannot be used (${innermost(error)}): name another file`

const postgresMessage = (error: Error): string => {
  if (error.message.startsWith("The PostgreSQL database cannot be used:")) return error.message
  const reason = innermost(error)
  // PgBouncer has no SQLSTATE of its own for a parameter.
  const sign = `${reason}; ${Fault.of(error).cause}`
  const [, advice] = advices.find(([part]) => sign.includes(part)) ?? []
  return `The PostgreSQL database cannot be used (${reason}): ${advice ?? "start it, or correct the address of the store"}`
}

const advices = [
  [
    "unsupported startup parameter",
    "in PgBouncer, put synchronous_commit, lock_timeout, statement_timeout and idle_in_transaction_session_timeout into ignore_startup_parameters, and set them on the role to on, 500ms, 0 and 5s"
  ],
  ["SQLSTATE 42P01", "name the store of the receiver"],
  ["SQLSTATE 42703", "name a schema without tables of another program"],
  ["SQLSTATE 53100", "make room on its disk"],
  ["SQLSTATE P0001", "let the trigger allow pawl-receiver migrate"],
  ["SQLSTATE 55P03", "end the transaction that has the lock"],
  ["SQLSTATE 53300", "allow it more connections"]
] as const

const innermost = (error: Error): string =>
  error.cause instanceof Error ? innermost(error.cause) : error.message
