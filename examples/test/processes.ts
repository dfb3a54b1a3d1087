/**
 * Runs programs of `examples/src` as processes against a sandbox in the test.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Sandbox from "@pawl/testkit/Sandbox"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"

/** Starts a program and returns the first group of its first line that matches. SIGTERM ends it with the scope. */
export const start = Effect.fnUntraced(function* (
  program: string,
  pattern: RegExp,
  env: Readonly<Record<string, string>> = {}
) {
  const { baseUrl } = yield* Sandbox.Sandbox
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, [new URL(`../src/${program}`, import.meta.url).pathname], {
        env: {
          ...process.env,
          NO_COLOR: "1",
          PAWL_BASE_URL: baseUrl,
          PAWL_MERCHANT_KEY: "sandbox-key",
          PAWL_MERCHANT_SECRET: "sandbox-secret",
          PORT: "0",
          ...env
        },
        stdio: ["ignore", "pipe", "inherit"]
      })
    ),
    (child) =>
      Effect.promise(async () => {
        const exited = child.exitCode === null ? once(child, "exit") : undefined
        child.kill()
        await exited
      })
  )
  return yield* Effect.promise(async () => {
    for await (const line of createInterface({ input: child.stdout })) {
      const found = pattern.exec(line)?.[1]
      if (found !== undefined) return found
    }
    throw new Error(`${program} ended without a line that matches ${pattern}`)
  })
})

/** Runs a test with a sandbox. */
export const withSandbox = <A, E>(
  test: Effect.Effect<A, E, Sandbox.Services | Layer.Success<typeof client> | Scope.Scope>
): Promise<A> =>
  test.pipe(
    Effect.scoped,
    Effect.provide(Layer.provideMerge(Sandbox.layer({ pace: "50 millis" }), client)),
    Effect.runPromise
  )

const client = NodeHttpClient.layerUndici
