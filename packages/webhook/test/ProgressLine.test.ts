import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { afterEach, expect, it, vi } from "vitest"
import * as ProgressLine from "../src/internal/ProgressLine.ts"

/** Shows a count for 2.5 seconds, on a terminal or elsewhere, and returns what stderr receives. */
const written = async (isTerminal: boolean, ci = ""): Promise<string> => {
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
      Effect.sleep("2500 millis").pipe(ProgressLine.during(() => `${--left} left`))
    )
    yield* TestClock.adjust("3 seconds")
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
  expect(await written(true)).toBe("\r2 left\r1 left\r      \r")
})

it("is nowhere else: not in a pipe, in CI, or with --json", async () => {
  expect(await written(false)).toBe("")
  expect(await written(true, "true")).toBe("")
  process.argv.push("--json")
  const withJson = await written(true)
  process.argv.pop()
  expect(withJson).toBe("")
})
