/**
 * A migration that was released never changes. If a test fails, take back the change, and add a new
 * migration with its digest here. Before the first release no stored data is owed a migration.
 */
import { createHash } from "node:crypto"
import { describe, expect, it } from "vitest"
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import { migrations } from "../src/internal/sql/Schema.ts"

const digests = {
  "1_documents": {
    sqlite: "fcf6aea97e8dedc13926b493893bd42f88eb5e60f28bf9adc958a066be8f44f7",
    postgres: "f091a555263fee8fc83707e7d9f6bdddab47bfaca8192f81ad6f6b3a2d2912e8"
  }
}

type Dialect = "sqlite" | "postgres"
type Name = keyof typeof migrations
const names = Object.keys(migrations) as ReadonlyArray<Name>

const textsOf = (name: Name, dialect: Dialect): ReadonlyArray<string> => {
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

it("each migration has a digest", () => {
  expect(Object.keys(digests)).toEqual(names)
})

describe.each(names)("the statements of migration %s", (name) => {
  it.each(["sqlite", "postgres"] as const)("are those that have landed, on %s", (dialect) => {
    const text = textsOf(name, dialect).join(";\n")
    expect(createHash("sha256").update(text).digest("hex")).toBe(digests[name][dialect])
  })
})
