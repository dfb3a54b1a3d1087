import { PgClient } from "@effect/sql-pg/PgClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { expect } from "vitest"
import { test } from "@pawl/test-support/Tests"
import * as NodePostgres from "../src/NodePostgres.ts"

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
