/**
 * A ledger that archives every row it may archive, between the operations of a history.
 */
import { Ledger } from "@pawl/webhook/Ledger"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** The operations before which rows are archived. */
const operations = [
  "accept",
  "register",
  "claim",
  "write",
  "get",
  "story",
  "page",
  "isRegisteredRefund",
  "body",
  "deadLetters",
  "redrive",
  "redriveAll",
  "backlog",
  "deleteBodies",
  "shift",
  "bringForward"
] as const

/** Counts the archived rows, so that a test knows that there were some. */
export const count = { moved: 0 }

/** Wraps a ledger. Of three operations, two begin after everything was archived. */
const archiving = (ledger: Ledger["Service"]): Ledger["Service"] => {
  let number = 0
  const archiveAll = Effect.gen(function* () {
    if (number++ % 3 === 2) return
    for (const shard of ledger.shards ?? [ledger]) {
      const page = { before: Infinity, dueAfter: -Infinity, limit: 1000 }
      count.moved += (yield* shard.archive.move(page)).moved
    }
  })
  const wrapped = operations.map((name) => {
    const operation = ledger[name] as (...args: ReadonlyArray<unknown>) => Effect.Effect<unknown>
    return [
      name,
      (...args: ReadonlyArray<unknown>) => Effect.andThen(archiveAll, operation(...args))
    ]
  })
  return { ...ledger, ...(Object.fromEntries(wrapped) as object) }
}

/** Makes the layer of a ledger that archives. */
export const layer = <Services, E>(ledger: Layer.Layer<Ledger | Services, E>) =>
  Layer.effectContext(
    Effect.map(Layer.build(ledger), (built) =>
      Context.add(built, Ledger, archiving(Context.get(built, Ledger)))
    )
  )
