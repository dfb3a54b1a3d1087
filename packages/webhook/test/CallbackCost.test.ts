/** The statements and commits of a callback on SQLite, until its handler was told. */
import { expect } from "@effect/vitest"
import { files } from "@pawl/test-support/Stores"
import { test } from "@pawl/test-support/Tests"
import * as World from "@pawl/test-support/World"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { readFileSync } from "node:fs"
import { StatementSync } from "node:sqlite"
import { type MockInstance, vi } from "vitest"
import { Ledger } from "../src/Ledger.ts"
import * as NodeSqlite from "../src/NodeSqlite.ts"

const file = files()

const executed = (work: Effect.Effect<unknown, unknown>) =>
  Effect.acquireUseRelease(
    Effect.sync(() =>
      (["all", "get", "run"] as const).map((name): MockInstance<(this: StatementSync) => unknown> =>
        vi.spyOn(StatementSync.prototype, name)
      )
    ),
    (spies) =>
      Effect.map(work, () =>
        spies
          .flatMap(({ mock: { contexts, invocationCallOrder } }) =>
            contexts.map(({ sourceSQL }, call) => ({
              sourceSQL,
              at: invocationCallOrder[call] ?? 0
            }))
          )
          .toSorted((one, two) => one.at - two.at)
          .map(({ sourceSQL }) => sourceSQL)
      ),
    (spies) => Effect.sync(() => spies.forEach((spy) => spy.mockRestore()))
  )

test("a callback takes the statements and commits that the pages name", function* () {
  const ledger = Context.get(yield* Layer.build(NodeSqlite.layerLedger(file())), Ledger)
  const { receive, ...world } = yield* World.started({
    plant: () => ledger,
    read: World.says("SUCCEED"),
    limits: { readsPerSecond: Infinity }
  })
  const take = (id: string) =>
    Effect.andThen(receive(id, "SUCCEED"), Effect.replicateEffect(World.settled, 10))
  // The first callback of a process finds more out.
  yield* take("1")
  const all = yield* executed(take("2"))
  expect(world.calls).toHaveLength(2)
  // Behind the last commit the worker looks for more.
  const own = all.slice(0, all.lastIndexOf("COMMIT") + 1)
  const commits = own.filter((sql) => sql === "COMMIT").length
  const statements = own.length - own.filter((sql) => sql.startsWith("BEGIN")).length - commits
  for (const page of ["docs/data-path.md", "docs/faq.md"]) {
    const text = readFileSync(new URL(`../../../${page}`, import.meta.url), "utf8")
    expect(text).toContain(`${statements} statements and ${commits} commits`)
  }
})
