import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import { migrations } from "../src/internal/sql/Schema.ts"

export const dialects = ["sqlite", "postgres"] as const
export type Dialect = (typeof dialects)[number]

export type Name = keyof typeof migrations
export const names = Object.keys(migrations) as ReadonlyArray<Name>

export const textsOf = (name: Name, dialect: Dialect): ReadonlyArray<string> => {
  const texts: Array<string> = []
  const recorder = {
    onDialectOrElse: <A>(of: { readonly pg: () => A; readonly orElse: () => A }) =>
      dialect === "postgres" ? of.pg() : of.orElse(),
    unsafe: (text: string) => {
      texts.push(text)
      return Effect.succeed([])
    }
  }
  Effect.runSync(
    Effect.provideService(migrations[name], SqlClient, recorder as unknown as SqlClient)
  )
  return texts
}
