import { bundleOf } from "@pawl/test-support/Program"
import { startInTest } from "@pawl/test-support/ProgramTests"
import * as Effect from "effect/Effect"
import { assert, describe, it } from "vitest"
import { credentials, payment } from "@pawl/test-support/TestGateway"
import { call, listen, receiver } from "../support/wire.ts"

const file = new URL("../../src/bin/pawl-sandbox.ts", import.meta.url).pathname

const env = { PAWL_MERCHANT_SECRET: undefined, PAWL_SANDBOX_TOKEN: undefined }

const onPipe = (...args: ReadonlyArray<string>) => onPort("0", ...args)

const onPort = (port: string, ...args: ReadonlyArray<string>) =>
  startInTest(process.execPath, [file, "--port", port, "--seed", "1", ...args], env)

/** Starts the command on a terminal, which joins its two outputs. */
const onTerminal = (...args: ReadonlyArray<string>) => {
  const command = [process.execPath, bundleOf(file), "--port", "0", "--seed", "1", ...args]
  return startInTest("script", ["-qefc", command.join(" "), "/dev/null"], env)
}

const ready = /^ready (http:\/\/127\.0\.0\.1:\d+\/api)\r?$/mu

/** Makes a payment whose receiver answers 401, and a request with a card number in its path. */
const use = (baseUrl: string) =>
  Effect.gen(function* () {
    const { url } = yield* receiver((_, { transactionStatus }) => [
      transactionStatus === "PENDING" ? 401 : 200
    ])
    const { json } = yield* call("POST", `${baseUrl}/v1/auth`, { body: credentials })
    const { accessToken } = json as { readonly accessToken: string }
    const callbackUrl = `${url}/callback?c4n4ry=1#c4n4ry`
    const body = payment({ requestId: "c4n4ry", callbackUrl })
    yield* call("POST", `${baseUrl}/v1/payments/apm`, { body, token: accessToken })
    yield* call("GET", `${baseUrl}/v1/payments/card/4242424242424242`)
    return accessToken
  })

const linesOf = (text: string) =>
  text
    .replaceAll("\r", "")
    .split("\n")
    .map((line) => line.replace(/^\d\d:\d\d:\d\d {2}/u, ""))

const undeliveredLine =
  "100001  PENDING  POST /callback answered 401 (is the merchant secret of your receiver the sandbox's?); next try in 2 min"

// Linux alone has `script` of util-linux, and the owner of a socket in /proc.
describe.skipIf(process.platform !== "linux")("pawl-sandbox", () => {
  it("prints addresses, credentials and a line for each change on a terminal", async () => {
    const { line, stdout } = onTerminal()
    const baseUrl = await line(ready)
    const { origin } = new URL(baseUrl)
    const accessToken = await Effect.runPromise(
      Effect.gen(function* () {
        const accessToken = yield* use(baseUrl)
        yield* Effect.promise(() => line(/SUCCEED {2}POST[^\n]*\n/u))
        return accessToken
      }).pipe(Effect.scoped)
    )
    const lines = linesOf(stdout())
    for (const expected of [
      `ready ${baseUrl}`,
      `service  ${baseUrl}`,
      `console  ${origin}/`,
      `docs     ${origin}/docs`,
      `PAWL_BASE_URL=${baseUrl}`,
      "PAWL_MERCHANT_KEY=sandbox-key",
      "PAWL_MERCHANT_SECRET=sandbox-secret",
      "POST /api/v1/auth answered 200",
      "POST /api/v1/payments/apm answered 200  100001",
      "GET /api/v1/payments/card/… answered 401",
      "100001  apm-payment  NEW",
      "100001  NEW  POST /callback answered 200",
      undeliveredLine,
      "100001  apm-payment  SUCCEED"
    ]) {
      assert.include(lines, expected)
    }
    for (const secret of ["c4n4ry", "4242", accessToken]) assert.notInclude(stdout(), secret)
  })

  it("prints no credential that it was given", async () => {
    const { line, stdout } = onTerminal("--merchant-key k3y", "--merchant-secret c4n4ry")
    await line(/^# PAWL_MERCHANT_SECRET: [^\n]*\n/mu)
    assert.match(stdout(), /^# PAWL_MERCHANT_KEY: /mu)
    assert.notMatch(stdout(), /c4n4ry|k3y|sandbox-/u)
  })

  it("prints only the line ready on a terminal with --quiet, and on a pipe", async () => {
    for (const program of [onTerminal("--quiet"), onPipe(), onPipe("--quiet", "--json")]) {
      const baseUrl = await program.line(ready)
      await Effect.runPromise(Effect.scoped(use(baseUrl)))
      program.child.kill("SIGTERM")
      await program.ended
      assert.strictEqual(program.stdout().replaceAll("\r", ""), `ready ${baseUrl}\n`)
      // `script` says on its own stderr that it was ended.
      assert.notInclude(program.stderr(), "ready")
      assert.notInclude(program.stderr(), "POST")
    }
  })

  it("prints each change as a line of JSON on stderr with --json", async () => {
    const { errorLine, line, stderr, stdout } = onPipe("--json")
    const baseUrl = await line(ready)
    await Effect.runPromise(
      Effect.scoped(
        Effect.andThen(
          use(baseUrl),
          Effect.promise(() => errorLine(/"callback"[^\n]*"SUCCEED"[^\n]*\n/u))
        )
      )
    )
    assert.strictEqual(stdout(), `ready ${baseUrl}\n`)
    const entries = stderr()
      .trimEnd()
      .split("\n")
      .map((text) => JSON.parse(text) as Readonly<Record<string, unknown>>)
    assert.deepInclude(entries[0], { event: "ready", service: baseUrl })
    const [pending] = entries.filter((one) => one["event"] === "callback" && one["answer"] === 401)
    assert.deepInclude(pending, {
      transactionId: "100001",
      status: "PENDING",
      path: "/callback",
      attempt: 1
    })
    const statuses = entries.flatMap(({ event, status }) => (event === "status" ? status : []))
    assert.deepStrictEqual(statuses, ["NEW", "PENDING", "PROCESSING", "SUCCEED"])
    assert.notInclude(stderr(), "c4n4ry")
  })

  it("prints a warning as a line of JSON with --json", async () => {
    const { errorLine } = startInTest(process.execPath, [file, "--port", "0", "--json"], {
      ...env,
      NODE_ENV: "production"
    })
    const warning = JSON.parse(await errorLine(/^.+in production.+$/mu)) as {
      readonly level: string
    }
    assert.strictEqual(warning.level, "WARN")
  })

  it("prints a failed start, and a failed program, as a line of JSON with --json", async () => {
    const { port, server } = await listen()
    const failed = [
      onPort(port, "--json"),
      onPipe("--json", "--", process.execPath, "-e", "process.exit(7)")
    ]
    const said = [/^The sandbox cannot serve: /u, /^The program \S+ ended with 7$/u]
    for (const [at, { ended, stderr }] of failed.entries()) {
      assert.strictEqual(await ended, 1)
      const last = JSON.parse(stderr().trimEnd().split("\n").at(-1) ?? "") as Record<string, string>
      assert.strictEqual(last["event"], "failed")
      assert.match(last["message"] ?? "", said[at] ?? /^$/u)
    }
    server.close()
  })

  it("names the sandbox that has its port, and the process", async () => {
    const first = onPipe()
    const { port } = new URL(await first.line(ready))
    const { ended, stderr } = onPort(port)
    assert.strictEqual(await ended, 1)
    const owner = `in use by a pawl sandbox (process ${first.child.pid}, node); use that one or stop it`
    assert.include(stderr(), owner)
  })

  it("names another process that has its port, even if it never answers", async () => {
    const { port, server } = await listen()
    const { ended, stderr } = onPort(port)
    assert.strictEqual(await ended, 1)
    assert.include(stderr(), `in use by process ${process.pid}, node; stop the other process`)
    server.closeAllConnections()
    server.close()
  })
})
