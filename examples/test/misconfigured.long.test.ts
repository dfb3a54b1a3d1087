/** A wrong setting ends a program on `Merchant.layerConfig` and the sandbox with exit code 1 and one sentence that says what to do. */
import { start } from "@pawl/test-support/Program"
import * as Effect from "effect/Effect"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"

const root = new URL("../../", import.meta.url).pathname
const folder = await mkdtemp(join(tmpdir(), "pawl-"))
afterAll(() => rm(folder, { recursive: true }))
const textFile = join(folder, "prose.txt")
await writeFile(textFile, "This is a text file, not a database.\n".repeat(100))

type Environment = Readonly<Record<string, string | undefined>>

/** The settings of the programs, which a developer may have set. */
const unset = Object.fromEntries(
  Object.keys(process.env)
    .filter((name) => name.startsWith("PAWL_"))
    .map((name) => [name, undefined])
)

const refused = async (program: string, args: ReadonlyArray<string>, env: Environment) => {
  const { code, output } = await Effect.gen(function* () {
    const started = yield* start(process.execPath, [join(root, program), ...args], {
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
const flagPadded = "without spaces around it"

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
    expect(await refused("examples/src/pay.ts", [], { ...validEnvironment, ...env })).toBe(
      `${sentence}\n`
    )
  })
})

it("a receiver in a program explains a padded secret", async () => {
  const env = { ...validEnvironment, PAWL_MERCHANT_SECRET_PREVIOUS: "hunter2\n" }
  expect(await refused("examples/src/receive.ts", [], env)).toBe(
    `The previous merchant secret (PAWL_MERCHANT_SECRET_PREVIOUS in the environment) cannot be used: ${padded}\n`
  )
})

describe("the sandbox", () => {
  const cases: ReadonlyArray<readonly [string, ReadonlyArray<string>, Environment, string]> = [
    [
      "a padded secret",
      ["--merchant-secret", " hunter2"],
      {},
      `Invalid value for flag --merchant-secret: "<redacted>". Expected a secret, here or in PAWL_MERCHANT_SECRET, that is not empty, ${flagPadded}`
    ],
    [
      "a URL with a password",
      ["trigger", "succeed", "--base-url", "http://shop:hunter2@127.0.0.1:9/api"],
      {},
      'Invalid value for flag --base-url: "http://<redacted>@127.0.0.1:9/api". Expected a URL such as http://127.0.0.1:4010/api'
    ],
    [
      "a file that is not a database",
      ["--file", textFile],
      {},
      `The sandbox cannot serve: The SQLite file ${textFile} cannot be used: file is not a database; name another file`
    ]
  ]
  it.concurrent.for(cases)("explains %s", async ([, args, env, sentence]) => {
    const program = "packages/sandbox/src/bin/pawl-sandbox.ts"
    const given = args[0] === "trigger" ? args : ["--port", "0", ...args]
    expect(await refused(program, given, env)).toBe(`${sentence}\n`)
  })
})
