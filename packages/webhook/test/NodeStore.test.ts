import * as NodeStore from "@pawl/webhook/internal/ledger/NodeStore"
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
  ["postgres://pawl:4711#secret@db/shop", undefined]
])("reads %j", (text, stores) => {
  expect(NodeStore.parseAll(text)).toEqual(stores)
})
