import * as NodeSqlite from "@pawl/webhook/NodeSqlite"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { assert, it } from "vitest"
import { StateStore } from "@pawl/testkit/internal/state/StateStore"
import * as VirtualClock from "@pawl/testkit/VirtualClock"
import * as EventFeed from "@pawl/sandbox/internal/sandbox/EventFeed"
import * as SqlStore from "@pawl/sandbox/internal/sandbox/SqlStore"

const layer = Layer.provideMerge(
  VirtualClock.layer(),
  SqlStore.layer.pipe(
    Layer.provide(EventFeed.layer),
    Layer.provideMerge(NodeSqlite.layer({ filename: ":memory:" }))
  )
)

it("an advance of the clock waits for a slow disk, and wakes the sleepers that come after it", () =>
  Effect.gen(function* () {
    const { advance } = yield* VirtualClock.VirtualClock
    const { open, save } = yield* StateStore
    const sql = yield* SqlClient.SqlClient
    const state = open<number>("state")
    const fork = Effect.forkChild({ startImmediately: true })
    const busy = Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 50)))
    yield* fork(sql.withTransaction(busy))
    const sleeper = Effect.gen(function* () {
      yield* Effect.sleep("1 minute")
      state.set("minute", 1)
      yield* save
      yield* Effect.sleep("1 minute")
      state.set("minute", 2)
    })
    yield* fork(sleeper)
    yield* advance(Duration.minutes(5))
    assert.strictEqual(state.get("minute"), 2)
  }).pipe(Effect.provide(layer), Effect.runPromise))
