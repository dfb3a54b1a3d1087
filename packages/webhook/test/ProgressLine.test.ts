import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import { MinimumLogLevel } from "effect/References"
import * as TestClock from "effect/testing/TestClock"
import { afterEach, expect, it, vi } from "vitest"
import { test } from "@pawl/test-support/Tests"
import * as ProgressLine from "../src/internal/ProgressLine.ts"

const stderr = (isTerminal: boolean, ci = "") => {
  vi.stubEnv("CI", ci)
  process.stderr.isTTY = isTerminal
  const texts: Array<string> = []
  vi.spyOn(process.stderr, "write").mockImplementation((chunk) => texts.push(String(chunk)) > 0)
  return texts
}

/** Shows a count for 2.5 seconds or minutes. */
const written = async (isTerminal: boolean, unit: "seconds" | "minutes", ci?: string) => {
  const texts = stderr(isTerminal, ci)
  let left = 3
  await Effect.gen(function* () {
    const counting = yield* Effect.forkChild(
      Effect.sleep(`2.5 ${unit}`).pipe(ProgressLine.during(() => `${--left} left`))
    )
    yield* TestClock.adjust(`3 ${unit}`)
    yield* Fiber.join(counting)
  }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise)
  return texts.join("")
}

const { isTTY } = process.stderr

afterEach(() => {
  process.stderr.isTTY = isTTY
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

it("is rewritten on a terminal, without colours, and removed at the end", async () => {
  expect(await written(true, "seconds")).toBe("\r2 left\r1 left\r      \r")
})

test("is removed before a line of the log", function* () {
  const texts = stderr(true)
  const logger = Logger.make<unknown, void>(({ message }) => void texts.push(String(message)))
  const logging = yield* Effect.logWarning("late").pipe(
    Effect.delay("1500 millis"),
    ProgressLine.during(() => "2 left"),
    Effect.provide(Logger.layer([logger])),
    Effect.provideService(MinimumLogLevel, "Warn"),
    Effect.forkChild
  )
  yield* TestClock.adjust("2 seconds")
  yield* Fiber.join(logging)
  expect(texts).toEqual(["\r2 left", "\r      \r", "late"])
})

it("is a line a minute in a pipe and in CI, and nowhere with --json", async () => {
  expect(await written(false, "seconds")).toBe("")
  expect(await written(false, "minutes")).toBe("2 left\n1 left\n")
  expect(await written(true, "minutes", "true")).toBe("2 left\n1 left\n")
  process.argv.push("--json")
  const withJson = [await written(true, "minutes"), await written(false, "minutes")]
  process.argv.pop()
  expect(withJson).toEqual(["", ""])
})
