import { makeFolder } from "@pawl/test-support/Folder"
import { freePort } from "@pawl/test-support/FreePort"
import { run } from "@pawl/test-support/Program"
import { startIn } from "@pawl/test-support/ProgramTests"
import { checksum } from "@pawl/test-support/Service"
import * as Effect from "effect/Effect"
import { readFile } from "node:fs/promises"
import type { IncomingMessage } from "node:http"
import { join } from "node:path"
import { json } from "node:stream/consumers"
import { assert, describe, it } from "vitest"
import * as Receiver from "@pawl/testkit/Laws/Receiver"
import { listen } from "../support/wire.ts"

const bin = new URL("../../src/bin/pawl-conform.ts", import.meta.url).pathname
const receiver = new URL("../../../receiver/src/bin/pawl-receiver.ts", import.meta.url).pathname

const secret = "s3cr3t-c4n4ry"

const conform = async (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string | undefined>> = {}
) => {
  const { code, stderr, stdout } = await Effect.runPromise(
    run(process.execPath, [bin, ...args], { PAWL_MERCHANT_SECRET: "", ...env })
  )
  return { code, out: stdout, err: stderr }
}

/** Checks the amount as text. */
const isSigned = async (request: IncomingMessage, secret: string): Promise<boolean> => {
  if (request.method !== "POST") return false
  const body = (await json(request)) as Readonly<Record<string, string>>
  const method = request.url?.includes("paymentMethod=card") ? "card" : "apm"
  return checksum(method, body, secret) === request.headers["x-checksum"]
}

const withSecret = ["--merchant-secret", secret]
const folder = makeFolder()

// The first test mostly waits for callbacks; the others run meanwhile.
describe.concurrent("pawl-conform", () => {
  it("reports that all laws hold for pawl-receiver", async (test) => {
    const junit = join(folder, "held.xml")
    const port = String(await freePort())
    const args = [receiver, "--port", "0", "--admin-port", "0"]
    const { errorLine, line } = startIn(test, process.execPath, args, {
      PAWL_BASE_URL: `http://127.0.0.1:${port}/api`,
      PAWL_MERCHANT_KEY: "key",
      PAWL_MERCHANT_SECRET: secret
    })
    const url = await line(/^ready (\S+)$/mu)
    const state = `${await errorLine(/admin API is at (http:[^"]+)/u)}/transactions`
    const command = `${url} --api-port ${port} --merchant-key key --state ${state} --junit ${junit}`
    const { code, err, out } = await conform([...command.split(" "), ...withSecret])
    for (const { name } of Receiver.laws) assert.include(out, `  ✓ ${name} (`)
    assert.match(out, new RegExp(`\nAll ${Receiver.laws.length} laws hold\\.\n$`, "u"))
    assert.strictEqual(err, "")
    assert.strictEqual(code, 0)
    assert.include(
      await readFile(junit, "utf8"),
      `<testsuite name="conform" tests="${Receiver.laws.length}" failures="0"`
    )
    assert.notInclude(out, "c4n4ry")
  })

  it("runs only the laws about answers without --state, and reports the first failure", async () => {
    const { server, url: origin } = await listen((_, response) => response.end())
    const url = `${origin}/callback?shop=1`
    const run = () =>
      conform([url, "--api-port", "0", "--seed", "7"], { PAWL_MERCHANT_SECRET: secret })
    const { code, err, out } = await run()
    server.close()
    assert.strictEqual(code, 1)
    assert.strictEqual(err, "")
    assert.match(
      out,
      /\nLaws of the specification\n {3}1 {2}✓ a genuine callback is answered 200 \(/u
    )
    assert.match(out, /\nLaws of pawl, where the specification is silent\n/u)
    assert.include(out, "\nThe specification's laws: 2 of 2 hold.\n")
    assert.match(out, /\n7 of 12 laws do not hold\. The first of them:\n/u)
    assert.include(out, "  ✗ a checksum that is not exactly right is answered 401")
    assert.include(out, "  1. card callback, without a checksum arrives\n")
    assert.include(out, `curl -g -s -w ' %{http_code}\\n' -X POST '${url}&paymentMethod=card'`)
    assert.include(out, "run it again with --seed 7 --only 9;")
    assert.match(out, /Only the laws about answers ran\. Give --state URL[^\n]*\n$/u)
    assert.notInclude(out, "Reported statuses")
    assert.notInclude(out, "c4n4ry")
  })

  it("has the sandbox's credentials by default, and runs only the laws of --only", async () => {
    const { server, url } = await listen((request, response) => {
      const isRight = isSigned(request, "sandbox-secret")
      void isRight.then((isRight) => response.writeHead(isRight ? 200 : 401).end())
    })
    const only = ["--only", "genuine callback IS answered", "--only", "2"]
    const { code, out } = await conform([url, "--api-port", "0", ...only], {
      PAWL_MERCHANT_SECRET: undefined
    })
    server.close()
    assert.match(out, /key sandbox-key, the sandbox's merchant secret,/u)
    assert.match(out, /\n {3}1 {2}✓ a genuine callback/u)
    assert.match(out, /\n {3}2 {2}✓ a repeated callback/u)
    assert.match(out, /\nAll 2 laws hold\./u)
    assert.strictEqual(code, 0)
  })

  it("reports the checked laws and exits with 130 when it is interrupted", async (test) => {
    // It does not answer law 11, which sends other methods too.
    const { server, url } = await listen(({ method = "" }, response) => {
      if (["GET", "POST"].includes(method)) response.writeHead(method === "GET" ? 405 : 200).end()
    })
    const junit = join(folder, "interrupted.xml")
    const only = ["--only", "1", "--only", "11", "--junit", junit]
    const args = [bin, url, "--api-port", "0", ...only]
    const { child, ended, line, stdout } = startIn(test, process.execPath, args)
    await line(/^ {3}1 {2}✓/mu)
    child.kill("SIGINT")
    assert.strictEqual(await ended, 130)
    assert.include(stdout(), "\nInterrupted: 1 of 2 laws were checked.\n\nThe one law holds.\n")
    assert.match(await readFile(junit, "utf8"), /tests="2" [^]*Interrupted: 1 of 2 laws/u)
    server.closeAllConnections()
    server.close()
  })

  it("names the law during which the receiver ended, and runs no law after it", async () => {
    const { server, url } = await listen((request, response) => {
      if (request.headers["content-type"] === "text/plain") {
        server.close()
        server.closeAllConnections()
      } else response.writeHead(200).end()
    })
    const only = ["--only", "content type", "--only", "well-formed"]
    const { code, out } = await conform([url, ...withSecret, "--api-port", "0", ...only])
    assert.include(out, "The receiver ended during law 13 (a content type or encoding other than")
    assert.include(
      out,
      "the receiver closed the connection without one, so it broke on this request"
    )
    assert.include(out, "1 of 1 laws does not hold")
    assert.strictEqual(code, 1)
  })

  it("reports in one sentence that a GET request ended the receiver", async () => {
    const { server, url } = await listen(() => {
      server.close()
      server.closeAllConnections()
    })
    const { code, err } = await conform([url, ...withSecret, "--api-port", "0"])
    assert.match(
      err,
      /^The laws cannot run: the receiver at [^\n]* ended when a GET [^\n]* 405 [^\n]*\n$/u
    )
    assert.strictEqual(code, 1)
  })

  it("reports in one sentence that the receiver does not respond", async () => {
    const url = `http://127.0.0.1:${await freePort()}/callback`
    const { code, err, out } = await conform([url, ...withSecret, "--api-port", "0"])
    assert.strictEqual(code, 1)
    assert.match(err, /^The laws cannot run: no response from [^\n]*start your receiver[^\n]*\n$/u)
    assert.notInclude(out + err, "c4n4ry")
  })

  it("reports in one sentence that the reported status cannot be read", async () => {
    for (const [status, reason] of [
      [500, "it answers 500"],
      [200, "it answers no JSON"]
    ] as const) {
      const { server, url } = await listen((_, response) =>
        response.writeHead(status).end("\u001b[31m")
      )
      const { code, err } = await conform([url, ...withSecret, "--api-port", "0", "--state", url])
      server.close()
      assert.strictEqual(code, 1)
      assert.match(err, /^The laws cannot run: the reported status cannot be read [^\n]*\n$/u)
      assert.include(err, `: ${reason}\n`)
    }
  })

  it("reports in one sentence that its port is taken", async () => {
    const { port, server } = await listen()
    const junit = join(folder, "refused.xml")
    const args = ["http://127.0.0.1:9/", ...withSecret, "--api-port", port, "--junit", junit]
    const { code, err } = await conform(args)
    server.close()
    assert.strictEqual(code, 1)
    assert.match(
      err,
      new RegExp(`^The laws cannot run: [^\\n]*port ${port} [^\\n]*--api-port[^\\n]*\\n$`, "u")
    )
    const xml = await readFile(junit, "utf8")
    assert.include(xml, '<testsuite name="conform" tests="1" failures="0" errors="1"')
    assert.include(xml, `<error message="${err.trimEnd()}"/>`)
  })

  const url = "http://127.0.0.1:4020/callback"
  const refused = [
    [[...withSecret], "url"],
    [["4020", ...withSecret], "http://127.0.0.1:4020/callback"],
    [[url, "--merchant-secret="], "--merchant-secret"],
    [[url, "--merchant-secret", `${secret} `], "PAWL_MERCHANT_SECRET"],
    [[url, ...withSecret, "--only", "99"], "from 1 to 22"],
    [[url, ...withSecret, "--only", "rank of the reported"], "--state"],
    [[url, "--merchant-secrte", secret], "--merchant-secrte"],
    [[url, ...withSecret, "--state", "4020"], "--state"],
    [[url, ...withSecret, "--state", `${url}?shop=1`], "--state"],
    [[url, ...withSecret, "--settle-timeout", "0"], "--settle-timeout"],
    [[url, ...withSecret, "--junit", "/nowhere/at/all.xml"], "/nowhere/at/all.xml"],
    [[url, ...withSecret, "--summary", "/nowhere/at/all.md"], "/nowhere/at/all.md"]
  ] as const
  for (const [args, word] of refused) {
    it(`${args.join(" ")} fails with one sentence`, async () => {
      const { code, err, out } = await conform(args)
      assert.strictEqual(code, 1)
      assert.strictEqual(out, "")
      assert.match(err, /^[^\n]+\n$/u)
      assert.include(err, word)
      assert.notInclude(err, "c4n4ry")
    })
  }
})
