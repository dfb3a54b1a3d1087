import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { onTestFinished, type TestContext } from "vitest"
import { start } from "./Program.ts"

/**
 * Starts a program, which is killed when the test of this context has finished. `ended` is its exit
 * code.
 */
export const startIn = (
  { onTestFinished }: Pick<TestContext, "onTestFinished">,
  ...program: Parameters<typeof start>
) => {
  const scope = Scope.makeUnsafe()
  onTestFinished(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  const { child, errorLine, exited, line, stderr, stdout } = Effect.runSync(
    Scope.provide(start(...program), scope)
  )
  return {
    child,
    ended: Effect.runPromise(Effect.map(exited, ({ code }) => code)),
    line: (pattern: RegExp): Promise<string> => Effect.runPromise(line(pattern)),
    errorLine: (pattern: RegExp): Promise<string> => Effect.runPromise(errorLine(pattern)),
    stdout,
    stderr
  }
}

/** Starts a program in the test that runs. A concurrent test needs `startIn`. */
export const startInTest = (...program: Parameters<typeof start>) =>
  startIn({ onTestFinished }, ...program)
