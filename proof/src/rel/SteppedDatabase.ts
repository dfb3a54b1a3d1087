/**
 * The clock of a PostgreSQL database, which a run sets by a function that comes before
 * `clock_timestamp`.
 */
import * as Effect from "effect/Effect"
import * as Stores from "./Stores.ts"

type Store = Stores.StoreOf<"postgres">

/** Replaces the clock by an expression of `value`, which is of a type of PostgreSQL and set later. */
export const install = (store: Store, type: string, first: string, expression: string) =>
  Effect.forEach(
    [
      `CREATE UNLOGGED TABLE clock (value ${type} NOT NULL)`,
      `INSERT INTO clock VALUES (${first})`,
      `CREATE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS
        'SELECT ${expression} FROM public.clock'`,
      `ALTER DATABASE ${store.database} SET search_path = public, pg_catalog`
    ],
    (statement) => Stores.execute(store, statement),
    { discard: true }
  )

export const installSteps = (store: Store) =>
  install(store, "interval", "'0'", "pg_catalog.clock_timestamp() + value")

/** Sets how far the database is ahead of the server, in milliseconds. */
export const set = (store: Store, ahead: number) =>
  Stores.execute(store, `UPDATE clock SET value = make_interval(secs => ${ahead / 1000})`)
