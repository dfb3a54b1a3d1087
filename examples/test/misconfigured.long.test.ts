/** A wrong setting ends a program with exit code 1 and one sentence that says what to do. */
import { start } from "@pawl/test-support/Program"
import * as Effect from "effect/Effect"
import { join } from "node:path"
import { describe, expect, it } from "vitest"

const root = new URL("../../", import.meta.url).pathname

type Environment = Readonly<Record<string, string | undefined>>

/** The settings of the programs, which a developer may have set. */
const unset = Object.fromEntries(
  Object.keys(process.env)
    .filter((name) => name.startsWith("PAWL_"))
    .map((name) => [name, undefined])
)

const refused = async (program: string, env: Environment) => {
  const { code, output } = await Effect.gen(function* () {
    const started = yield* start(process.execPath, [join(root, program)], {
      ...unset,
      NO_COLOR: "1",
      ...env
    })
    // A program that starts to serve would not end by itself.
    started.child.stdout.on("data", () => {
      if (/^ready /mu.test(started.stdout())) started.child.kill("SIGKILL")
    })
    const { code } = yield* started.exited
    return { code, output: started.stdout() + started.stderr() }
  }).pipe(Effect.scoped, Effect.runPromise)
  expect(code).toBe(1)
  // A log line begins with its time and its level.
  return output.replace(/^\[[\d:.]+\] ERROR \(#\d+\): (?:@pawl\/http\/)?Invalid\w+: /u, "")
}

const validEnvironment = {
  PAWL_BASE_URL: "http://127.0.0.1:9/api",
  PAWL_MERCHANT_KEY: "key",
  PAWL_MERCHANT_SECRET: "hunter2",
  PAWL_STORE: "memory"
}

const noApi = "give the address up to and including its last segment, /api"
const padded = "it must not be empty or have spaces or line breaks around it"

describe("a program on Merchant.layerConfig", () => {
  const cases: ReadonlyArray<readonly [string, Environment, string]> = [
    [
      "an empty environment",
      { PAWL_BASE_URL: undefined, PAWL_MERCHANT_KEY: undefined, PAWL_MERCHANT_SECRET: undefined },
      "Set PAWL_BASE_URL, PAWL_MERCHANT_KEY, PAWL_MERCHANT_SECRET in the environment: there is no default"
    ],
    [
      "a base URL without /api",
      { PAWL_BASE_URL: "https://payments.example/v1" },
      `PAWL_BASE_URL cannot be used: ${noApi}`
    ],
    [
      "a timeout that is not a duration",
      { PAWL_TOTAL_TIMEOUT: "soon" },
      "PAWL_TOTAL_TIMEOUT cannot be used: give a number above 0 and its unit, such as 10 seconds"
    ]
  ]
  it.concurrent.for(cases)("explains %s", async ([, env, sentence]) => {
    expect(await refused("examples/src/pay.ts", { ...validEnvironment, ...env })).toBe(
      `${sentence}\n`
    )
  })
})

it("a receiver in a program explains a padded secret", async () => {
  const env = { ...validEnvironment, PAWL_MERCHANT_SECRET_PREVIOUS: "hunter2\n" }
  expect(await refused("examples/src/receive.ts", env)).toBe(
    `The previous merchant secret (PAWL_MERCHANT_SECRET_PREVIOUS in the environment) cannot be used: ${padded}\n`
  )
})
