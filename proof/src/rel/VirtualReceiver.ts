/** A receiver in virtual time. */
import type { Policy } from "@pawl/core/Evidence"
import * as Handler from "@pawl/core/Handler"
import * as NodeHmac from "@pawl/core/NodeHmac"
import { NotFound, Unreachable } from "@pawl/core/PaymentsError"
import { Profile, type Switches } from "@pawl/core/Profile"
import type { Status } from "@pawl/core/Status"
import { StatusReader } from "@pawl/core/StatusReader"
import * as Admin from "@pawl/receiver/Admin"
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

export interface Call extends Handler.Transition {
  readonly at: number
}

/** Options of the receiver; `latency` is the milliseconds of a read. */
export interface Options {
  readonly policy: Policy
  readonly statusAt: (id: string, at: number) => Status | "down" | undefined
  readonly latency?: () => number
  readonly profile?: Partial<Switches>
  readonly limits?: Receiver.Options["limits"]
  readonly ledger?: Layer.Layer<Ledger.Ledger>
}

export const inVirtualTime = <A, E>(work: Effect.Effect<A, E, Scope.Scope>): Effect.Effect<A, E> =>
  work.pipe(
    Effect.scoped,
    Effect.provide(TestClock.layer()),
    Effect.provideService(MinimumLogLevel, "None")
  )

export const make = Effect.fnUntraced(function* ({
  latency = () => 0,
  ledger = Ledger.layerMemory,
  // The times of reads are judged, so none waits for another.
  limits = { readsPerSecond: Infinity },
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
        const result: ReturnType<StatusReader["Service"]["read"]> =
          status === "down"
            ? Effect.fail(new Unreachable({ reason: "reset", sent: true, attempts: 1 }))
            : status === undefined
              ? Effect.fail(new NotFound({}))
              : Effect.succeed({ kind: kind === "apm" ? ("apm-payment" as const) : kind, status })
        return Effect.delay(result, latency())
      })
  })
  const receiver = Admin.layer({ policy }).pipe(
    Layer.provideMerge(Receiver.layer({ policy, limits })),
    Layer.provide(Verifier.layer({ current: Redacted.make(secret) })),
    Layer.provideMerge(ledger),
    Layer.provide([NodeHmac.layer, handler, reader])
  )
  const switches = yield* Profile
  const context = yield* Effect.provideService(Layer.build(Layer.fresh(receiver)), Profile, {
    ...switches,
    ...profile
  })
  const { receive } = Context.get(context, Receiver.Receiver)
  const { respond } = Context.get(context, Admin.Admin)
  const headers = { host: "127.0.0.1" }
  return {
    now,
    calls,
    reads: () => reads,
    ledger: Context.get(context, Ledger.Ledger),
    receive: (callback: Callback) => receive(incoming(callback)),
    overview: Effect.map(
      respond({ method: "GET", path: "/overview", headers }),
      ({ body }) => JSON.parse(body) as unknown
    )
  }
})
