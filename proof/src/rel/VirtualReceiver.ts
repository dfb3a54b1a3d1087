/**
 * A receiver in virtual time, with a ledger in memory, status reads that a function answers, and a handler that records its
 * calls.
 */
import type { Policy } from "@pawl/core/Evidence"
import * as Handler from "@pawl/core/Handler"
import * as NodeHmac from "@pawl/core/NodeHmac"
import { NotFound } from "@pawl/core/PaymentsError"
import { Profile, type Switches } from "@pawl/core/Profile"
import type { Status } from "@pawl/core/Status"
import { StatusReader } from "@pawl/core/StatusReader"
import * as Ledger from "@pawl/webhook/Ledger"
import * as Receiver from "@pawl/webhook/Receiver"
import * as Verifier from "@pawl/webhook/Verifier"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { MinimumLogLevel } from "effect/References"
import type * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { type Callback, incoming, secret } from "./FakeService.ts"

/** A call of the handler, with its time in milliseconds. */
export interface Call extends Handler.Transition {
  readonly at: number
}

/** Options of the receiver. `statusAt` returns the status of a transaction at a time; `latency` is the duration of a read, in milliseconds. */
export interface Options {
  readonly policy: Policy
  readonly statusAt: (id: string, at: number) => Status | undefined
  readonly latency?: () => number
  readonly profile?: Partial<Switches>
}

/** Runs an effect in virtual time, from the epoch on. */
export const inVirtualTime = <A, E>(work: Effect.Effect<A, E, Scope.Scope>): Effect.Effect<A, E> =>
  work.pipe(
    Effect.scoped,
    Effect.provide(TestClock.layer()),
    Effect.provideService(MinimumLogLevel, "None")
  )

/** Makes the receiver. */
export const make = Effect.fnUntraced(function* ({
  latency = () => 0,
  policy,
  profile,
  statusAt
}: Options) {
  const clock = yield* Clock.clockWith(Effect.succeed)
  const now = () => clock.currentTimeMillisUnsafe()
  const calls: Array<Call> = []
  let reads = 0
  const handler = Handler.layer((transition) =>
    Effect.sync(() => {
      calls.push({ ...transition, at: now() })
    })
  )
  const reader = Layer.succeed(StatusReader, {
    read: (kind, id) =>
      Effect.suspend(() => {
        reads++
        const status = statusAt(id, now())
        const result =
          status === undefined
            ? Effect.fail(new NotFound({}))
            : Effect.succeed({ kind: kind === "apm" ? ("apm-payment" as const) : kind, status })
        return Effect.delay(result, latency())
      })
  })
  const receiver = Receiver.layer({ policy }).pipe(
    Layer.provide(Verifier.layer({ current: Redacted.make(secret) })),
    Layer.provideMerge(Ledger.layerMemory),
    Layer.provide([NodeHmac.layer, handler, reader])
  )
  const switches = yield* Profile
  const context = yield* Effect.provideService(Layer.build(Layer.fresh(receiver)), Profile, {
    ...switches,
    ...profile
  })
  const { receive } = Context.get(context, Receiver.Receiver)
  return {
    now,
    calls,
    reads: () => reads,
    ledger: Context.get(context, Ledger.Ledger),
    receive: (callback: Callback) => receive(incoming(callback))
  }
})
