import { forAll, optional } from "@pawl/test-support/Properties"
import * as Profile from "@pawl/core/Profile"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import fc from "fast-check"
import { expect, it } from "vitest"

const gap = fc.nat({ max: 100_000 }).map(Duration.millis)

const switches: fc.Arbitrary<Partial<Profile.Switches>> = fc.record(
  {
    tokenField: optional(fc.string()),
    refreshBefore: gap,
    requestChecksumSeparator: fc.string(),
    payoutChecksum: fc.boolean(),
    refundCallbackId: fc.constantFrom("refund", "payment"),
    callbackContentType: fc.constantFrom("json", "any"),
    pollIntervals: fc.tuple(gap, gap),
    requestIdWindow: gap,
    status422: fc.constantFrom("doubt", "no-effect")
  },
  { requiredKeys: [] }
)

it("the profile has the defaults if no other is provided", () => {
  expect(Effect.runSync(Effect.service(Profile.Profile))).toBe(Profile.defaults)
})

it("a layer changes the given switches and keeps the defaults of all others", () =>
  forAll([switches], (changed) => {
    const profile = Effect.service(Profile.Profile).pipe(
      Effect.provide(Profile.layer(changed)),
      Effect.runSync
    )
    for (const [name, standard] of Object.entries(Profile.defaults)) {
      const given = Object.hasOwn(changed, name) ? Reflect.get(changed, name) : standard
      expect(Reflect.get(profile, name)).toEqual(given)
    }
  }))

it("a switch that is undefined keeps its default, so that no checksum is joined with another separator", () => {
  const names = Object.keys(Profile.defaults)
  const profile = Effect.service(Profile.Profile).pipe(
    Effect.provide(Profile.layer(Object.fromEntries(names.map((name) => [name, undefined])))),
    Effect.runSync
  )
  expect(profile).toEqual(Profile.defaults)
})

it("the defaults are those that the documentation of each switch names", () => {
  expect(Profile.defaults).toStrictEqual({
    tokenField: undefined,
    refreshBefore: Duration.days(1),
    requestChecksumSeparator: "|",
    payoutChecksum: true,
    refundCallbackId: "refund",
    callbackContentType: "json",
    pollIntervals: [5, 5, 10, 30, 60].map(Duration.minutes),
    requestIdWindow: Duration.hours(24),
    status422: "doubt"
  })
})

it("names the first switch that does not exist or has a wrong value", () => {
  expect(Profile.unusable({ ...Profile.defaults })).toBeUndefined()
  expect(Profile.unusable({ pollIntervals: ["5 seconds", 10], refreshBefore: 0 })).toBeUndefined()
  const wrong: ReadonlyArray<Readonly<Record<string, unknown>>> = [
    { pollIntervals: [] },
    { pollIntervals: ["soon"] },
    { pollIntervals: ["5 minutes", 0] },
    { pollIntervals: "5 minutes" },
    { refreshBefore: "Infinity" },
    { requestIdWindow: -1 },
    { requestChecksumSeparator: undefined },
    { tokenField: 1 },
    { payoutChecksum: "true" },
    { refundCallbackId: "both" },
    { callbackContentType: "text/plain" },
    { status422: "refused" },
    { toString: "refund" }
  ]
  for (const options of wrong) {
    expect(Profile.unusable({ refundCallbackId: "payment", ...options })).toBe(
      Object.keys(options)[0]
    )
  }
})
