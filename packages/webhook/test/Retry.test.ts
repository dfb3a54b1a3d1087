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
import { describe, expect } from "@effect/vitest"
import { test } from "@pawl/test-support/Tests"
import * as Retry from "../src/internal/sql/Retry.ts"

const nothing = { cause: undefined }
const busy = new SqlError({ reason: new LockTimeoutError(nothing) })
const gone = new SqlError({ reason: new ConnectionError(nothing) })

const failing = (times: number, error: SqlError) => {
  let tries = 0
  return Effect.suspend(() => (++tries <= times ? Effect.fail(error) : Effect.succeed(tries)))
}

describe("Retry", () => {
  test("retries after a conflict, and after no other error", function* () {
    const conflicts = [new DeadlockError(nothing), new SerializationError(nothing)]
    for (const error of [busy, ...conflicts.map((reason) => new SqlError({ reason }))]) {
      const fiber = yield* Effect.forkChild(Retry.onConflict(failing(3, error)))
      yield* TestClock.adjust("1 second")
      expect(yield* Fiber.join(fiber)).toBe(4)
    }
    for (const error of [gone, new SqlError({ reason: new UnknownError(nothing) })]) {
      expect(yield* Effect.flip(Retry.onConflict(failing(1, error)))).toBe(error)
    }
  })

  test("stops retrying in less than three seconds where every try conflicts", function* () {
    const fiber = yield* Effect.forkChild(Effect.flip(Retry.onConflict(failing(Infinity, busy))))
    yield* TestClock.adjust("3 seconds")
    expect(fiber.pollUnsafe()).toBeDefined()
    expect(yield* Fiber.join(fiber)).toBe(busy)
  })

  test("turns a rollback that died with a SQL error into a failure", function* () {
    expect(yield* Effect.flip(Retry.onConflict(Effect.die(gone)))).toBe(gone)
    const bug = yield* Effect.exit(Retry.onConflict(Effect.die("bug")))
    expect(bug).toMatchObject({ _tag: "Failure", cause: { reasons: [{ defect: "bug" }] } })
  })

  test("fails after three seconds, even where the work cannot be interrupted", function* () {
    const scope = yield* Effect.scope
    const hangs = Effect.uninterruptible(Effect.sleep("1 hour"))
    for (const wait of [
      Retry.timeoutIn(scope)(hangs),
      Effect.uninterruptible(Retry.timeoutIn(scope)(hangs))
    ]) {
      const fiber = yield* Effect.forkChild(Effect.flip(wait), { startImmediately: true })
      yield* TestClock.adjust("2999 millis")
      expect(fiber.pollUnsafe()).toBeUndefined()
      yield* TestClock.adjust("1 millis")
      expect((yield* Fiber.join(fiber)).message).toBe("A transaction takes longer than 3 seconds")
    }
    yield* TestClock.adjust("1 hour")
  })
})
