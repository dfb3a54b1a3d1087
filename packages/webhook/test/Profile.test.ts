import * as Profile from "@pawl/core/Profile"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { expect } from "vitest"
import { test } from "@pawl/test-support/Tests"
import * as World from "@pawl/test-support/World"

/** `Reconciler.prop.test.ts` has the default intervals. */
test.each<[Profile.Switches["pollIntervals"], number, ReadonlyArray<number>]>([
  [[Duration.minutes(7), Duration.hours(1)], 4, [7, 67, 127, 187]],
  [[Duration.hours(2)], 8, [120, 240, 360, 480]]
])(
  "the poll intervals are those of the profile, and the last one repeats: %j",
  function* (pollIntervals, hours, minutes) {
    const { receive, ...world } = yield* World.started({ read: World.says("PENDING") }).pipe(
      Effect.provideService(Profile.Profile, { ...Profile.defaults, pollIntervals })
    )
    yield* receive("1", "PENDING")
    yield* World.pass(hours * World.hour)
    expect(world.reads.map(({ at }) => at / World.minute)).toEqual(minutes)
  }
)
