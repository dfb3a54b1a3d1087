/**
 * The clock of a PostgreSQL database, which a run sets by a function that comes before
 * `clock_timestamp`.
 */
import * as Effect from "effect/Effect"
import * as Stores from "./Stores.ts"

type Store = Extract<Stores.SqlStore, { readonly _tag: "postgres" }>

export const install = (store: Store) =>
  Effect.forEach(
    [
      "CREATE TABLE clock_step (ahead interval NOT NULL)",
      "INSERT INTO clock_step VALUES ('0')",
      `CREATE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS
        'SELECT pg_catalog.clock_timestamp() + ahead FROM public.clock_step'`,
      `ALTER DATABASE ${store.database} SET search_path = public, pg_catalog`
    ],
    (statement) => Stores.execute(store, statement),
    { discard: true }
  )

/** Sets how far the database is ahead of the server, in milliseconds. */
export const set = (store: Store, ahead: number) =>
  Stores.execute(store, `UPDATE clock_step SET ahead = make_interval(secs => ${ahead / 1000})`)
