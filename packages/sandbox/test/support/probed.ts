import * as Fake from "@pawl/testkit/Fake"
import type * as Gateway from "@pawl/testkit/Gateway"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import * as Doctor from "../../src/Doctor.ts"

export const settings: Doctor.Settings = {
  baseUrl: "http://localhost/api",
  merchantKey: "sandbox-key",
  merchantSecret: Redacted.make("sandbox-secret"),
  callbackUrl: "https://shop.example/callback",
  accountId: "4711",
  mid: "m-1",
  paymentMethod: "WALLET",
  currency: "EUR",
  units: 1,
  card: Redacted.make("4242424242424242"),
  declinedCard: Redacted.make("4000000000000002"),
  wait: Duration.minutes(7),
  pause: TestClock.adjust,
  now: Clock.currentTimeMillis,
  separator: "|"
}

export const blank = Doctor.blank("run-1", settings)

export const beside = <A>(
  options: Gateway.Options,
  effect: Effect.Effect<A, unknown, Fake.Services>
) =>
  Effect.andThen(TestClock.setTime(1_795_000_000_000), effect).pipe(
    Effect.provide(Layer.provideMerge(Fake.layer({ seed: 1, ...options }), TestClock.layer())),
    Effect.runPromise
  )

/** Does the steps that a recording lacks. `saved` is called after each. */
export const run = Effect.fnUntraced(function* (
  recording: Doctor.Recording,
  saved: (recording: Doctor.Recording) => Effect.Effect<void> = () => Effect.void
) {
  const doctor = yield* Doctor.make(settings, recording)
  const fake = yield* Fake.Fake
  yield* fake.deliverTo(doctor.receive)
  return yield* doctor.run({ begins: () => Effect.void, saved })
})

export const probe = (behaviour: Gateway.Options["behaviour"]) => beside({ behaviour }, run(blank))
