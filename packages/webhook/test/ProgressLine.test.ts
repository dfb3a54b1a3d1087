import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { afterEach, expect, it, vi } from "vitest"
import * as ProgressLine from "../src/internal/ProgressLine.ts"

/** Counts a second's seconds on a terminal, or elsewhere; returns the text on stderr. */
const written = async (isTerminal: boolean, ci = ""): Promise<string> => {
  vi.stubEnv("CI", ci)
  vi.spyOn(process.stderr, "isTTY", "get").mockReturnValue(isTerminal)
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
Object.defineProperty(process.stderr, "isTTY", { configurable: true, get: () => isTTY })

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

it("is rewritten on a terminal, without colours, and removed at the end", async () => {
  expect(await written(true)).toBe("\r2 left\r1 left\r      \r")
})

it("is nowhere else: not in a pipe, in CI, or with --json", async () => {
  expect(await written(false)).toBe("")
  expect(await written(true, "true")).toBe("")
  vi.spyOn(process, "argv", "get").mockReturnValue([...process.argv, "--json"])
  expect(await written(true)).toBe("")
})
