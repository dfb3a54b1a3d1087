/**
 * The deletion of callback bodies after their retention time.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { describe, expect, it } from "vitest"
import * as Cleaner from "../src/Cleaner.ts"
import { Ledger } from "../src/Ledger.ts"
import { card, verified } from "./service.ts"
import * as World from "./world.ts"

describe("the body of a callback", () => {
  it("is deleted after 30 days, and the row of its transaction is never deleted (R22)", () =>
    World.run(
      Effect.gen(function* () {
        const world = yield* World.make({ read: World.says("SUCCEED") })
        const { receive } = yield* world.start
        yield* receive("1", "SUCCEED")
        yield* World.pass("29 days")
        expect((yield* world.ledger.get("apm", "1"))?.newestCallbacks).toHaveProperty("SUCCEED")
        for (let days = 0; days < 3; days++) yield* World.pass("1 day")
        expect(yield* world.ledger.get("apm", "1")).toMatchObject({
          newestCallbacks: {},
          told: "SUCCEED"
        })
        expect((yield* world.ledger.get("apm", "1"))?.newestCallbacks).not.toHaveProperty("SUCCEED")
        yield* World.pass("365 days")
        yield* receive("1", "SUCCEED")
        yield* World.pass("1 day")
        expect(World.told(world)).toEqual(["SUCCEED"])
        expect(world.entries.findLast(({ _tag }) => _tag === "Accepted")).toMatchObject({
          isNew: false
        })
      })
    ))

  it("is deleted after the configured retention time, however many bodies there are", () =>
    World.run(
      Effect.gen(function* () {
        const world = yield* World.make()
        const { ledger } = world
        for (let id = 0; id < 250; id++) {
          const transactionId = String(id)
          yield* ledger.accept(verified("card", card({ transactionId })), world.now())
        }
        yield* World.pass("2 days")
        yield* Layer.build(Cleaner.layer).pipe(
          Effect.provideService(Ledger, ledger),
          Effect.provideService(Cleaner.Retention, Duration.days(1))
        )
        yield* World.pass("1 second")
        expect(yield* ledger.deleteBodies({ before: world.now() + 1, limit: 1000 })).toBe(0)
      })
    ))
})
