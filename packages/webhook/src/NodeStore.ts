/**
 * The store of a receiver by its name: `memory`, `sqlite:FILE` or `postgres://…`.
 *
 * **Details**
 *
 * The store keeps the ledger and the requests. `NodeSqlite` and `NodePostgres` say more about the two databases.
 *
 * @since 0.1.0
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Ledger from "./Ledger.ts"
import * as LedgerSql from "./LedgerSql.ts"
import * as NodeSqlite from "./NodeSqlite.ts"
import * as RequestStore from "./RequestStore.ts"

/**
 * A store. The address of a PostgreSQL database is redacted, because it may have a password.
 *
 * @category models
 * @since 0.1.0
 */
export type Store =
  | { readonly _tag: "memory" }
  | { readonly _tag: "sqlite"; readonly filename: string }
  | { readonly _tag: "postgres"; readonly url: Redacted.Redacted }

/**
 * Error raised when a store cannot be opened. The message is one sentence without a password.
 *
 * @category errors
 * @since 0.1.0
 */
export class StoreUnusable extends Data.TaggedError("StoreUnusable")<{ readonly message: string }> {
  /** Empty, so that a program prints the message alone. */
  override readonly stack = ""
}

/**
 * Reads the name of a store: `memory`, `sqlite:FILE` or `postgres://…`. Returns undefined for any other text.
 *
 * @category constructors
 * @since 0.1.0
 */
export const parse = (text: string): Store | undefined => {
  if (text === "memory") return { _tag: "memory" }
  if (/^postgres(?:ql)?:\/\//u.test(text) && URL.canParse(text)) {
    return { _tag: "postgres", url: Redacted.make(text) }
  }
  const [, filename] = /^sqlite:(.+)$/u.exec(text) ?? []
  return filename === undefined ? undefined : { _tag: "sqlite", filename }
}

/**
 * Layer that opens a store. PostgreSQL needs the package `@effect/sql-pg`, which is loaded only for it.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (
  store: Store
): Layer.Layer<Ledger.Ledger | RequestStore.RequestStore, StoreUnusable> => {
  if (store._tag === "memory") {
    return Layer.provideMerge(RequestStore.layerMemory, Ledger.layerMemory)
  }
  if (store._tag === "sqlite") {
    return open(NodeSqlite.layerLedger(store), sqliteMessage(store))
  }
  return importPostgres.pipe(
    Effect.map(({ layerLedger }) => open(layerLedger({ url: store.url }), postgresMessage)),
    Layer.unwrap
  )
}

/**
 * Makes the tables of a database or brings them up to date; with `back` sets them back by one version. Returns their
 * version. See `LedgerSql.migrate` and `LedgerSql.migrateBack`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const migrate = (
  store: Exclude<Store, { readonly _tag: "memory" }>,
  options: { readonly back: boolean }
): Effect.Effect<number, StoreUnusable> => {
  const change = options.back ? LedgerSql.migrateBack : LedgerSql.migrate
  return store._tag === "sqlite"
    ? Effect.mapError(
        Effect.provide(change, NodeSqlite.layer(store)),
        unusable(sqliteMessage(store))
      )
    : Effect.flatMap(importPostgres, ({ layer }) =>
        Effect.mapError(
          Effect.provide(change, layer({ url: store.url })),
          unusable(postgresMessage)
        )
      )
}

/** Opens a store. `messageOf` makes the message of an error of the database. The errors contain no password. */
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
  try: () => import("./NodePostgres.ts"),
  catch: () =>
    new StoreUnusable({ message: "PostgreSQL needs @effect/sql-pg: npm install @effect/sql-pg" })
})

const sqliteMessage =
  ({ filename }: NodeSqlite.Options) =>
  (error: Error): string =>
    error.message.startsWith("The SQLite file")
      ? error.message
      : `The SQLite file ${filename} cannot be used (${innermost(error)}): name another file`

const postgresMessage = (error: Error): string =>
  `The PostgreSQL database cannot be used (${innermost(error)}): start it, or correct the address of the store`

/** Returns the message of the innermost cause. */
const innermost = (error: Error): string =>
  error.cause instanceof Error ? innermost(error.cause) : error.message
