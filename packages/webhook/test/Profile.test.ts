import * as Handler from "@pawl/core/Handler"
import * as NodeHmac from "@pawl/core/NodeHmac"
import * as Profile from "@pawl/core/Profile"
import { StatusReader } from "@pawl/core/StatusReader"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { describe, expect, it } from "vitest"
import * as Ledger from "../src/Ledger.ts"
import * as Receiver from "../src/Receiver.ts"
import * as Verifier from "../src/Verifier.ts"
import { apm, incoming, secret } from "@pawl/test-support/Service"

/** Lets every fiber run until it sleeps. The test clock waits only for the fibers that it woke. */
const settled = Effect.replicateEffect(Effect.yieldNow, 50, { discard: true })

/** Returns the minutes after a callback at which the status is read while it is PENDING. */
const reads = async (switches: Partial<Profile.Switches>, hours: number) => {
  const times: Array<number> = []
  const reader = Layer.succeed(StatusReader, {
    read: (kind) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        times.push(now / 60_000)
        return { kind, status: "PENDING" as const }
      })
  })
  const receiver = Receiver.layer().pipe(
    Layer.provide(Verifier.layer({ current: Redacted.make(secret) })),
    Layer.provide([Ledger.layerMemory, NodeHmac.layer, Handler.layer(() => Effect.void), reader]),
    Layer.provide(Profile.layer(switches)),
    Layer.provideMerge(TestClock.layer())
  )
  await Effect.gen(function* () {
    const { receive } = yield* Receiver.Receiver
    yield* receive(incoming("apm", apm({ transactionStatus: "PENDING" })))
    yield* settled
    yield* TestClock.adjust(Duration.hours(hours))
  }).pipe(Effect.provide(receiver), Effect.runPromise)
  return times
}

describe("pollIntervals", () => {
  it("are 5, 5, 10, 30 and 60 minutes by default, and then hourly", async () => {
    expect(await reads({}, 5)).toEqual([5, 10, 20, 50, 110, 170, 230, 290])
  })

  it("are those of the profile, and the last one repeats", async () => {
    const pollIntervals = [Duration.minutes(7), Duration.hours(1)] as const
    expect(await reads({ pollIntervals }, 4)).toEqual([7, 67, 127, 187])
    expect(await reads({ pollIntervals: [Duration.hours(2)] }, 8)).toEqual([120, 240, 360, 480])
  })
})
