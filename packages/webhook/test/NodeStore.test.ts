import * as NodeStore from "@pawl/webhook/internal/ledger/NodeStore"
import { files } from "@pawl/test-support/Stores"
import { test } from "@pawl/test-support/Tests"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { readFileSync, writeFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { expect, it } from "vitest"

const sqlite = (filename: string) => ({ _tag: "sqlite", filename })

it.each([
  ["memory", [{ _tag: "memory" }]],
  ["sqlite:a.db\nsqlite:b.db", [sqlite("a.db"), sqlite("b.db")]],
  ["sqlite:/data/my memory cards.db", [sqlite("/data/my memory cards.db")]],
  ["sqlite:/data/my memory.db  sqlite:b.db", [sqlite("/data/my memory.db"), sqlite("b.db")]],
  // The file would have another name than the same store without the white space.
  ["sqlite:a.db ", undefined],
  ["sqlite:a.db\n", undefined],
  ["sqlite: ", undefined],
  // Without its other shard, the file could be opened no more.
  ["memory sqlite:a.db", undefined],
  ["sqlite::memory: sqlite:a.db", undefined],
  // The file would take two places, and could not be opened alone any more.
  ["sqlite:a.db sqlite:./a.db", undefined],
  ["postgres://a/b sqlite:a.db postgres://a/b", undefined],
  // The rest of a password would be the port and the name of the database, which errors print.
  ["postgres://pawl:4711/secret@db/shop", undefined],
  ["postgres://pawl:4711?secret@db/shop", undefined],
  ["postgres://pawl:4711#secret@db/shop", undefined]
])("reads %j", (text, stores) => {
  expect(NodeStore.parseAll(text)).toEqual(stores)
})

const file = files()

test("a start on a damaged table of settings says what to do", function* () {
  const { filename } = file()
  const open = Layer.build(Layer.fresh(NodeStore.layer({ _tag: "sqlite", filename })))
  yield* Effect.scoped(open)
  const database = new DatabaseSync(filename)
  const settings = database.prepare(
    "SELECT rootpage AS page, page_size AS size FROM sqlite_schema, pragma_page_size WHERE name = 'pawl_settings'"
  )
  const { page, size } = settings.get() as { readonly page: number; readonly size: number }
  database.close()
  writeFileSync(filename, readFileSync(filename).fill(255, (page - 1) * size, page * size))
  const { message } = yield* Effect.flip(open)
  expect(message).toBe(
    "The store cannot be used: the file is damaged (SQLite error 11); restore it from a backup"
  )
})
