/**
 * The engines of a store: one, or one for each shard. A key says which engine has its documents.
 */
import type { StoreUnavailable } from "@pawl/core/CallbackError"
import type * as Arr from "effect/Array"
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Collection } from "./Records.ts"
import type { Records } from "./Engine.ts"
import { type ShardKey, shardOf } from "./ShardOf.ts"

/**
 * The engines that a service uses.
 *
 * - `of`: the engine that has a transaction or a request.
 * - `own`: the engines whose documents the service lists and leases. They are all engines, or that of one shard.
 */
export interface Engines {
  readonly of: (key: ShardKey) => Records
  readonly own: Arr.NonEmptyReadonlyArray<Records>
}

/** Makes the engines of shards. Their order must never change. */
export const make = (all: Arr.NonEmptyReadonlyArray<Records>): Engines => ({
  of: (key) => all[shardOf(key, all.length)] ?? all[0],
  own: all
})

/** Calls each own engine, and returns the results in their order. */
export const each = <A>(
  { own }: Engines,
  call: (records: Records) => Effect.Effect<A, StoreUnavailable>
): Effect.Effect<Array<A>, StoreUnavailable> =>
  Effect.forEach(own, call, { concurrency: "unbounded" })

/** Returns the time of the first own engine, or of the engine of a key, in milliseconds since the epoch. */
export const timeOf =
  ({ of, own }: Engines) =>
  (clock: Clock.Clock, key?: ShardKey): number =>
    (key === undefined ? own[0] : of(key)).time?.(clock) ?? clock.currentTimeMillisUnsafe()

/** Tells whether an engine has a clock of its own. */
export const hasTime = ({ own }: Engines): boolean => own.some(({ time }) => time !== undefined)

/** Completes when a change of this process has made something due. */
export const awaitWork = ({ own }: Engines, collection: Collection): Effect.Effect<void> =>
  Effect.raceAllFirst(own.map((records) => records.awaitWork(collection)))

/** Returns the longest wait before a worker looks for work that other processes made. */
export const pollInterval = ({ own }: Engines): Duration.Duration =>
  own.map((records) => records.pollInterval).reduce(Duration.min)
