import { jetstreamManager } from "@nats-io/jetstream"
import * as Handler from "@pawl/core/Handler"
import { serve } from "@pawl/test-support/Listener"
import * as Program from "@pawl/test-support/Program"
import { live } from "@pawl/test-support/Tests"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import { spawnSync } from "node:child_process"
import { describe, expect } from "vitest"
import { connection, layer, stream } from "../src/nats.ts"
import { consume } from "../src/natsConsumer.ts"
import { temporary } from "./processes.ts"
import { transition } from "./transition.ts"

const isThere = spawnSync("nats-server", ["--version"]).status === 0
if (!isThere) console.warn("SKIPPED: NATS JetStream, because there is no nats-server")

/** A server that can be killed and started again on its port and directory. */
const makeServer = Effect.gen(function* () {
  const directory = yield* temporary
  const port = yield* Effect.scoped(serve(() => {}))
  const args = ["-a", "127.0.0.1", "-p", String(port), "-js", "-sd", directory]
  const start = Effect.gen(function* () {
    const scope = yield* Scope.fork(yield* Scope.Scope)
    const { errorLine } = yield* Scope.provide(Program.start("nats-server", args), scope)
    yield* errorLine(/Server is ready/u)
    return { kill: Scope.close(scope, Exit.void) }
  })
  return { url: `nats://127.0.0.1:${port}`, start }
})

const transactions = Array.from({ length: 20 }, (_, index) => String(100_001 + index))
const sequences = [1, 2, 3, 4, 5]

describe.runIf(isThere)("with a server that is killed", () => {
  live("every transition is stored once, and applied once in order", function* () {
    const { start, url } = yield* makeServer
    const { kill } = yield* start
    const { handle } = Context.get(yield* Layer.build(layer(url)), Handler.Handler)

    /** Calls the handler until it succeeds, and now and then once more, as the receiver does. */
    const tell = (transactionId: string, sequence: number) =>
      Effect.suspend(() => handle(transition(transactionId, sequence))).pipe(
        Effect.retry(Schedule.spaced("100 millis")),
        Effect.andThen(
          Effect.when(
            Effect.retry(
              handle(transition(transactionId, sequence, 2)),
              Schedule.spaced("100 millis")
            ),
            Effect.succeed(sequence % 2 === 0)
          )
        )
      )

    const applied = new Map<string, Array<number>>()
    const failures = new Set<string>()
    const [some, all] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    let count = 0
    const application = consume(url, "shop", ({ id, sequence, transactionId }) =>
      Effect.suspend(() => {
        // A tenth of the transitions fail once, and are delivered again.
        if (id.length % 2 === 0 && !failures.has(id) && failures.size < 10) {
          failures.add(id)
          return Effect.fail("no")
        }
        applied.set(transactionId, [...(applied.get(transactionId) ?? []), sequence])
        Deferred.doneUnsafe(some, Exit.void)
        return ++count === transactions.length * sequences.length
          ? Effect.asVoid(Deferred.succeed(all, undefined))
          : Effect.void
      })
    )
    yield* Effect.forkScoped(application)

    const killed = yield* Deferred.make<void>()
    yield* Effect.forEach(
      transactions,
      (transactionId, index) =>
        Effect.forEach(
          sequences,
          (sequence) =>
            index === 7 && sequence === 3
              ? Effect.gen(function* () {
                  yield* Deferred.await(some)
                  yield* kill
                  yield* Deferred.succeed(killed, undefined)
                  yield* Effect.forkScoped(start)
                  yield* tell(transactionId, sequence)
                })
              : tell(transactionId, sequence),
          { discard: true }
        ),
      { concurrency: 8, discard: true }
    )
    expect(yield* Deferred.isDone(killed)).toBe(true)
    yield* Deferred.await(all)

    expect(failures.size).toBe(10)
    expect([...applied.values()]).toEqual(transactions.map(() => sequences))
    const open = yield* connection(url)
    const manager = yield* Effect.promise(() => jetstreamManager(open))
    const { state } = yield* Effect.promise(() => manager.streams.info(stream))
    expect(state.messages).toBe(transactions.length * sequences.length)
  })
})
