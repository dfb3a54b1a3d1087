import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Program from "@pawl/test-support/Program"
import { live } from "@pawl/test-support/Tests"
import { Gateway } from "@pawl/testkit/Gateway"
import * as Sandbox from "@pawl/sandbox/Sandbox"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { mkdtemp, rm } from "node:fs/promises"
import * as FreePort from "@pawl/test-support/FreePort"
import { tmpdir } from "node:os"
import { join } from "node:path"

export const settings = Effect.map(Sandbox.Sandbox, ({ baseUrl }) => ({
  PAWL_BASE_URL: baseUrl,
  PAWL_MERCHANT_KEY: "sandbox-key",
  PAWL_MERCHANT_SECRET: "sandbox-secret"
}))

/**
 * Starts a program. Returns the first group of its first line that matches. It is killed when the
 * scope ends.
 */
export const start = Effect.fnUntraced(function* (
  program: string,
  pattern: RegExp,
  env: Readonly<Record<string, string>> = {}
) {
  const path = new URL(`../src/${program}`, import.meta.url).pathname
  const all = { NO_COLOR: "1", PORT: "0", ...(yield* settings), ...env }
  const { line } = yield* Program.start(process.execPath, [path], all)
  return yield* line(pattern)
})

export const sandboxed = live.with(() =>
  Layer.provideMerge(Sandbox.layer({ pace: "50 millis" }), NodeHttpClient.layerUndici)
)

export const freePort = Effect.map(Effect.promise(FreePort.freePort), String)

export const temporary = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "pawl-examples-"))),
  (directory) => Effect.promise(() => rm(directory, { recursive: true }))
)

/**
 * The command that runs Node with a clock ahead by some milliseconds. A lease is over without
 * waiting for it.
 */
export const nodeAheadBy = (ahead: number): readonly [string, string, string] => [
  process.execPath,
  "--import",
  `data:text/javascript,const now = Date.now; Date.now = () => now() + ${ahead}`
]

/** `attempts` is the number of earlier attempts. */
export const pay = (page: string, number = "4242424242424242", attempts = "0") =>
  Effect.flatMap(Gateway, ({ checkout }) =>
    checkout.submit(page.split("/").at(-1) ?? "", {
      act: "card",
      attempts,
      number,
      expiry: "04/30",
      cvc: "737",
      name: "Ada Lovelace"
    })
  )
