import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/testing/TestClock"
import { afterEach, expect, it, vi } from "vitest"
import * as ProgressLine from "../src/internal/ProgressLine.ts"

const written = async (isTerminal: boolean, unit: "seconds" | "minutes", ci = "") => {
  vi.stubEnv("CI", ci)
  process.stderr.isTTY = isTerminal
  let text = ""
  vi.spyOn(process.stderr, "write").mockImplementation((chunk) => {
    text += String(chunk)
    return true
  })
  let left = 3
  await Effect.gen(function* () {
    const counting = yield* Effect.forkChild(
      Effect.sleep(`2.5 ${unit}`).pipe(ProgressLine.during(() => `${--left} left`))
    )
    yield* TestClock.adjust(`3 ${unit}`)
    yield* Fiber.join(counting)
  }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise)
  return text
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

it("is removed before a line of the log", async () => {
  vi.stubEnv("CI", "")
  process.stderr.isTTY = true
  const texts: Array<string> = []
  vi.spyOn(process.stderr, "write").mockImplementation((chunk) => texts.push(String(chunk)) > 0)
  const logger = Logger.make<unknown, void>(({ message }) => void texts.push(String(message)))
  await Effect.gen(function* () {
    const logging = yield* Effect.logWarning("late").pipe(
      Effect.delay("1500 millis"),
      ProgressLine.during(() => "2 left"),
      Effect.provide(Logger.layer([logger])),
      Effect.forkChild
    )
    yield* TestClock.adjust("2 seconds")
    yield* Fiber.join(logging)
  }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise)
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
