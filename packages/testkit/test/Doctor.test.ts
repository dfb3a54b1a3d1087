/**
 * The doctor is judged by gateways whose readings are known: it names the planted reading, and finds the default in every
 * other question.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { assert, describe, it } from "vitest"
import * as Doctor from "../src/Doctor.ts"
import * as Fake from "../src/Fake.ts"
import type * as GatewayConfig from "../src/GatewayConfig.ts"
import * as Readings from "../src/Readings.ts"

const settings: Doctor.Settings = {
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
  wait: Duration.minutes(7),
  pause: TestClock.adjust,
  now: Clock.currentTimeMillis,
  separator: "|"
}

/** Probes a gateway in memory, in virtual time. */
const probe = (
  options: GatewayConfig.Options = {},
  recording: Doctor.Recording = Doctor.blank("1", settings),
  changes: Partial<Doctor.Settings> = {}
) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(1_795_000_000_000)
    const doctor = yield* Doctor.make({ ...settings, ...changes }, recording)
    const fake = yield* Fake.Fake
    yield* fake.deliverTo(doctor.receive)
    return yield* doctor.run({ begins: () => Effect.void, saved: () => Effect.void })
  }).pipe(
    Effect.provide(Layer.provideMerge(Fake.layer({ seed: 1, ...options }), TestClock.layer())),
    Effect.runPromise
  )

/** The findings that are not the default ones, by question. */
const named = (recording: Doctor.Recording): Readings.Readings =>
  Object.fromEntries(
    Doctor.findings(recording).flatMap(({ question, reading, verdict }) =>
      verdict === "agrees" ? [] : [[question, reading]]
    )
  )

describe("a planted reading", () => {
  const planted = Readings.questions.flatMap((question) =>
    Readings.known(question)
      .slice(1)
      .map((reading) => [question, reading] as const)
  )

  it("is one of at least 40", () => {
    assert.isAtLeast(planted.length, 40)
  })

  it.for(planted)("of %s is named: %s", async ([question, reading]) => {
    const recording = await probe({ readings: { [question]: reading } })
    assert.deepStrictEqual(named(recording), { [question]: reading })
  })
})

it("nothing is named of the default gateway", async () => {
  const recording = await probe()
  assert.deepStrictEqual(named(recording), {})
  assert.isTrue(Doctor.isSound(Doctor.findings(recording)))
})
