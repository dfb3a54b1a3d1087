/**
 * A wrong setting ends a program on `Merchant.layerConfig`, the receiver and the sandbox with exit
 * code 1 and one sentence that says what to do.
 */
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
const noTls = "use https; http is for loopback hosts only"
const padded = "it must not be empty or have spaces or line breaks around it"
const closed = "its directory must exist, and both must be readable and writable"
const flagPadded = "without spaces around it"

describe("a program on Merchant.layerConfig", () => {
  const cases: ReadonlyArray<readonly [string, Environment, string]> = [
    [
      "a store that is not named",
      { PAWL_STORE: undefined },
      "Set PAWL_STORE in the environment: sqlite:FILE, postgres://USER@HOST/DATABASE, or memory, which is lost at the end"
    ],
    [
      "a missing variable",
      { PAWL_MERCHANT_KEY: undefined },
      "Set PAWL_MERCHANT_KEY in the environment: there is no default"
    ],
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
      "http for a host that is not loopback",
      { PAWL_BASE_URL: "http://payments.example/api" },
      `PAWL_BASE_URL cannot be used: ${noTls}`
    ],
    [
      "a blank secret",
      { PAWL_MERCHANT_SECRET: "  " },
      `PAWL_MERCHANT_SECRET cannot be used: ${padded}`
    ],
    [
      "a padded secret",
      { PAWL_MERCHANT_SECRET: "hunter2\n" },
      `PAWL_MERCHANT_SECRET cannot be used: ${padded}`
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

describe("a receiver in a program", () => {
  const cases: ReadonlyArray<readonly [string, Environment, string]> = [
    ["a missing secret", { PAWL_MERCHANT_SECRET: undefined }, "PAWL_MERCHANT_SECRET"],
    ["a padded secret", { PAWL_MERCHANT_SECRET: " hunter2" }, "PAWL_MERCHANT_SECRET"],
    [
      "a padded previous secret",
      { PAWL_MERCHANT_SECRET_PREVIOUS: "hunter2\n" },
      "PAWL_MERCHANT_SECRET_PREVIOUS"
    ]
  ]
  it.concurrent.for(cases)("explains %s", async ([, env, variable]) => {
    const which = variable.endsWith("PREVIOUS") ? "previous" : "current"
    expect(await refused("examples/src/receive.ts", [], { ...validEnvironment, ...env })).toBe(
      `The ${which} merchant secret (${variable} in the environment) cannot be used: ${padded}\n`
    )
  })
})

/** The arguments and environment of a receiver, and its faults with their sentences. */
type Start = readonly [
  args: ReadonlyArray<string>,
  env: Environment,
  faults: Readonly<Record<string, string>>
]

describe("the receiver", () => {
  const starts: ReadonlyArray<Start> = [
    [
      [],
      { PAWL_MERCHANT_SECRET: undefined, PAWL_BASE_URL: "https://payments.example/v1" },
      {
        "a missing variable":
          "PAWL_MERCHANT_SECRET is not set: it is the merchant's secret, from the operator of the service.",
        "a base URL without /api": `PAWL_BASE_URL cannot be used: ${noApi}.`
      }
    ],
    [
      ["--base-url", "http://payments.example/api"],
      { PAWL_MERCHANT_SECRET: "  ", PAWL_MERCHANT_SECRET_PREVIOUS: "hunter2\n" },
      {
        "a blank secret": `PAWL_MERCHANT_SECRET cannot be used: ${padded}.`,
        "http for a host that is not loopback, as a flag": `--base-url cannot be used: ${noTls}.`,
        "a padded previous secret":
          "PAWL_MERCHANT_SECRET_PREVIOUS cannot be used: give it without white space around it."
      }
    ],
    [
      ["--store", `sqlite:${folder}/not/there/a.db`],
      {},
      {
        "a file that cannot be opened": `The SQLite file ${folder}/not/there/a.db cannot be used: ${closed}`
      }
    ],
    [
      ["--store", `sqlite:${textFile}`],
      {},
      {
        "a file that is not a database": `The SQLite file ${textFile} cannot be used: file is not a database; name another file`
      }
    ],
    [
      [],
      { PAWL_STORE: "postgres://pawl:hunter2@127.0.0.1:9/pawl" },
      {
        "PostgreSQL that is down":
          "The PostgreSQL database cannot be used (connect ECONNREFUSED 127.0.0.1:9): start it, or correct the address of the store"
      }
    ]
  ]
  for (const [args, env, faults] of starts) {
    const program = "packages/receiver/src/bin/pawl-receiver.ts"
    let output: Promise<string> | undefined
    const start = () =>
      (output ??= refused(program, ["--port", "0", ...args], { ...validEnvironment, ...env }))
    it.concurrent.for(Object.entries(faults))("explains %s", async ([, sentence]) => {
      const lines = (await start()).split("\n")
      expect(lines).toContain(sentence)
      expect(lines).toHaveLength(Object.keys(faults).length + 1)
    })
  }
})

describe("the sandbox", () => {
  const cases: ReadonlyArray<readonly [string, ReadonlyArray<string>, Environment, string]> = [
    [
      "a blank secret",
      [],
      { PAWL_MERCHANT_SECRET: "  " },
      `Invalid value for flag --merchant-secret: "<redacted>". Expected a secret, here or in PAWL_MERCHANT_SECRET, that is not empty, ${flagPadded}`
    ],
    [
      "a padded secret",
      ["--merchant-secret", " hunter2"],
      {},
      `Invalid value for flag --merchant-secret: "<redacted>". Expected a secret, here or in PAWL_MERCHANT_SECRET, that is not empty, ${flagPadded}`
    ],
    [
      "a padded key",
      ["--merchant-key", "key "],
      {},
      `Invalid value for flag --merchant-key: "key ". Expected a key that is not empty, ${flagPadded}`
    ],
    [
      "a URL with a password",
      ["trigger", "succeed", "--base-url", "http://shop:hunter2@127.0.0.1:9/api"],
      {},
      'Invalid value for flag --base-url: "http://<redacted>@127.0.0.1:9/api". Expected a URL such as http://127.0.0.1:4010/api'
    ],
    [
      "a file that cannot be opened",
      ["--file", `${folder}/not/there/a.db`],
      {},
      `The sandbox cannot serve: The SQLite file ${folder}/not/there/a.db cannot be used: ${closed}`
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
