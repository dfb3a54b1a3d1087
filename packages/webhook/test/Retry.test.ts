/**
 * A store that is busy, slow or gone: what is done again, and what is given up.
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import {
  ConnectionError,
  DeadlockError,
  LockTimeoutError,
  SerializationError,
  SqlError,
  UnknownError
} from "effect/sql/SqlError"
import * as TestClock from "effect/testing/TestClock"
import { describe, expect, it } from "@effect/vitest"
import * as Store from "../src/internal/sql/Retry.ts"

const nothing = { cause: undefined }
const busy = new SqlError({ reason: new LockTimeoutError(nothing) })
const gone = new SqlError({ reason: new ConnectionError(nothing) })

/** Fails so many times, then gives how often it was tried. */
const failing = (times: number, error: SqlError) => {
  let tries = 0
  return Effect.suspend(() => (++tries <= times ? Effect.fail(error) : Effect.succeed(tries)))
}

describe("Store", () => {
  it.effect("does again what conflicted, and nothing else", () =>
    Effect.gen(function* () {
      const conflicts = [new DeadlockError(nothing), new SerializationError(nothing)]
      for (const error of [busy, ...conflicts.map((reason) => new SqlError({ reason }))]) {
        const fiber = yield* Effect.forkChild(Store.again(failing(3, error)))
        yield* TestClock.adjust("1 second")
        expect(yield* Fiber.join(fiber)).toBe(4)
      }
      for (const error of [gone, new SqlError({ reason: new UnknownError(nothing) })]) {
        expect(yield* Effect.flip(Store.again(failing(1, error)))).toBe(error)
      }
    })
  )

  it.effect("stops doing again what always conflicts, in less than three seconds", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(Effect.flip(Store.again(failing(Infinity, busy))))
      yield* TestClock.adjust("3 seconds")
      expect(fiber.pollUnsafe()).toBeDefined()
      expect(yield* Fiber.join(fiber)).toBe(busy)
    })
  )

  it.effect("takes a transaction that could not be rolled back for one that failed", () =>
    Effect.gen(function* () {
      expect(yield* Effect.flip(Store.again(Effect.die(gone)))).toBe(gone)
      const bug = yield* Effect.exit(Store.again(Effect.die("bug")))
      expect(bug).toMatchObject({ _tag: "Failure", cause: { reasons: [{ defect: "bug" }] } })
    })
  )

  it.effect("gives up what takes long, even what cannot be interrupted", () =>
    Effect.gen(function* () {
      const scope = yield* Effect.scope
      const hangs = Effect.uninterruptible(Effect.sleep("1 hour"))
      for (const wait of [
        Store.within(scope)(hangs),
        Effect.uninterruptible(Store.within(scope)(hangs))
      ]) {
        const fiber = yield* Effect.forkChild(Effect.flip(wait), { startImmediately: true })
        yield* TestClock.adjust("2999 millis")
        expect(fiber.pollUnsafe()).toBeUndefined()
        yield* TestClock.adjust("1 millis")
        expect((yield* Fiber.join(fiber)).message).toBe("The store takes longer than 3 seconds")
      }
      yield* TestClock.adjust("1 hour")
    })
  )
})
