import { makeFolder } from "@pawl/test-support/Folder"
import { files } from "@pawl/test-support/Stores"
import { startInTest } from "@pawl/test-support/ProgramTests"
import { chmod, readdir, readFile, stat } from "node:fs/promises"
import { DatabaseSync } from "node:sqlite"
import { setTimeout } from "node:timers/promises"
import { assert, describe, it } from "vitest"
import { payment } from "@pawl/test-support/TestGateway"
import { listen } from "../support/wire.ts"

const file = new URL("../../src/bin/pawl-sandbox.ts", import.meta.url).pathname

const start = (...args: ReadonlyArray<string>) => startWith({}, ...args)

const startWith = (env: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) => {
  const program = startInTest(process.execPath, [file, ...args], env)
  return { ...program, ready: () => program.line(/^ready (\S+)$/mu) }
}

const authenticate = (baseUrl: string, merchantKey: string, merchantSecret: string) =>
  fetch(`${baseUrl}/v1/auth`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ merchantKey, merchantSecret })
  })

const storeFile = files()

describe("pawl-sandbox", () => {
  const place = makeFolder()

  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
    it(`says one line on stdout once it serves, and ends on ${signal}`, async () => {
      const { child, ended, ready, stderr, stdout } = start("--port", "0")
      const baseUrl = await ready()
      assert.match(stdout(), /^ready http:\/\/127\.0\.0\.1:[0-9]+\/api\n$/u)
      assert.strictEqual((await authenticate(baseUrl, "sandbox-key", "sandbox-secret")).status, 200)
      child.kill(signal)
      assert.strictEqual(await ended, 0)
      assert.match(stdout(), /^ready [^\n]+\n$/u)
      assert.strictEqual(stderr(), "")
    })
  }

  it("D07: takes every documented flag, binds to all interfaces with a token, and prints no secret", async () => {
    const secret = "s3cr3t-c4n4ry"
    const flags = `--port 0 --host 0.0.0.0 --token t0ken --merchant-key k --merchant-secret ${secret} --seed 7 --pace 200ms`
    const { child, ended, ready, stderr, stdout } = start(...flags.split(" "))
    const baseUrl = (await ready()).replace(/\/\/[^:]+/u, "//127.0.0.1")
    assert.strictEqual((await authenticate(baseUrl, "k", secret)).status, 200)
    assert.strictEqual((await authenticate(baseUrl, "sandbox-key", "sandbox-secret")).status, 401)
    const url = baseUrl.replace("/api", "/sandbox/transactions")
    assert.strictEqual((await fetch(url)).status, 401)
    const headers = { authorization: "Bearer t0ken" }
    assert.strictEqual((await fetch(url, { headers })).status, 200)
    child.kill("SIGTERM")
    await ended
    for (const hidden of [secret, "t0ken"]) assert.notInclude(stdout() + stderr(), hidden)
  })

  it("a port in use fails with one sentence", async () => {
    const { port, server } = await listen()
    const { ended, stderr, stdout } = start("--port", port)
    assert.strictEqual(await ended, 1)
    assert.strictEqual(stdout(), "")
    assert.match(
      stderr(),
      new RegExp(
        `^The sandbox cannot serve: port ${port} of [^\\n]* in use[^\\n]*; [^\\n]*--port[^\\n]*\\n$`,
        "u"
      )
    )
    server.close()
  })

  it("takes the secret from PAWL_MERCHANT_SECRET, and warns in production (D09)", async () => {
    const env = { PAWL_MERCHANT_SECRET: "from-the-environment", NODE_ENV: "production" }
    const { child, ended, ready, stderr, stdout } = startWith(env, "--port", "0")
    const baseUrl = await ready()
    const answer = await authenticate(baseUrl, "sandbox-key", "from-the-environment")
    assert.strictEqual(answer.status, 200)
    child.kill("SIGTERM")
    await ended
    assert.match(stderr(), /^[^\n]*in production[^\n]*\n$/u)
    assert.notInclude(stdout() + stderr(), "from-the-environment")
  })

  it("prints the version of its package, and its defaults", async () => {
    const { version } = JSON.parse(
      await readFile(new URL("../../../testkit/package.json", import.meta.url), "utf8")
    ) as { readonly version: string }
    const versionRun = start("--version")
    await versionRun.ended
    assert.include(versionRun.stdout(), version)
    const help = start("--help")
    await help.ended
    for (const text of [
      "4010",
      "127.0.0.1",
      "sandbox-key",
      "sandbox-secret",
      "200ms",
      "24h",
      "memory"
    ]) {
      assert.include(help.stdout(), `(default: ${text})`)
    }
  })

  it("caches the compiled modules for its next start", async () => {
    const env = { TMPDIR: place, NODE_COMPILE_CACHE: "" }
    const { child, ended, ready } = startWith(env, "--port", "0")
    await ready()
    child.kill("SIGTERM")
    await ended
    assert.deepStrictEqual(await readdir(place), ["node-compile-cache"])
  })

  it("stops at once while browsers listen to its events", async () => {
    const { child, ended, ready } = start("--port", "0")
    const events = (await ready()).replace("/api", "/sandbox/events")
    const listening = await Promise.all(Array.from({ length: 5 }, () => fetch(events)))
    // A first event shows that the browser is connected.
    for (const { body } of listening) await body?.getReader().read()
    child.kill("SIGTERM")
    // The server waits 20 seconds for other open responses.
    const late = setTimeout(15_000, undefined, { ref: false })
    assert.strictEqual(await Promise.race([ended, late]), 0)
  })

  it("X03: killed during delivery, it continues from its file, and remembers every request", async () => {
    const args = ["--port", "0", "--pace", "20 seconds", "--file", storeFile().filename]
    const callbacks: Array<string> = []
    const count = 20
    let isUp = false
    const { server, url } = await listen((request, response) => {
      request.setEncoding("utf8").on("data", (text: string) => {
        const { transactionId, transactionStatus } = JSON.parse(text) as Record<string, string>
        if (isUp) callbacks.push(`${transactionId} ${transactionStatus}`)
        response.writeHead(isUp ? 200 : 503).end()
      })
    })
    const callbackUrl = `${url}/cb`
    /** The last payment has no callback, because posting one would save the state. */
    const send = async (baseUrl: string, at: number) => {
      const login = await authenticate(baseUrl, "sandbox-key", "sandbox-secret")
      const { accessToken } = (await login.json()) as { readonly accessToken: string }
      const answer = await fetch(`${baseUrl}/v1/payments/apm`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${accessToken}` },
        body: JSON.stringify(
          payment({ requestId: `r-${at}`, callbackUrl: at < count ? callbackUrl : undefined })
        )
      })
      assert.strictEqual(answer.status, 200)
      return await answer.text()
    }
    const advance = async (baseUrl: string, text: string) => {
      const body = JSON.stringify({ advance: text })
      await fetch(baseUrl.replace("/api", "/sandbox/clock"), { method: "POST", body })
    }
    const answers: Array<string> = []
    const first = start(...args)
    const baseUrl = await first.ready()
    for (let at = 0; at < count; at++) answers.push(await send(baseUrl, at))
    await advance(baseUrl, "30 seconds")
    const last = await send(baseUrl, count)
    first.child.kill("SIGKILL")
    await first.ended
    isUp = true
    const second = start(...args)
    const again = await second.ready()
    for (let at = 0; at < count; at++) assert.strictEqual(await send(again, at), answers[at])
    assert.strictEqual(await send(again, count), last)
    await advance(again, "3 minutes")
    const expected = answers.flatMap((answer) => {
      const { transactionId } = JSON.parse(answer) as { readonly transactionId: string }
      return ["NEW", "PENDING", "PROCESSING", "SUCCEED"].map((one) => `${transactionId} ${one}`)
    })
    assert.sameMembers([...new Set(callbacks)], expected)
    server.close()
  })

  it("two sandboxes do not share a file, and one that was killed does not keep it", async () => {
    const { filename } = storeFile()
    const args = ["--port", "0", "--file", filename]
    const first = start(...args)
    await first.ready()
    const second = start(...args)
    const served = second.ready().catch(() => second.ended)
    assert.strictEqual(await Promise.race([second.ended, served]), 1)
    assert.strictEqual(second.stdout(), "")
    assert.strictEqual(
      second.stderr(),
      `The sandbox cannot serve: The SQLite file ${filename} cannot be used: another process has locked it; end that process, or name another file\n`
    )
    first.child.kill("SIGKILL")
    await first.ended
    await start(...args).ready()
  })

  it("a file that another process has open, or another program has tables in, is refused", async () => {
    const { filename } = storeFile()
    const other = new DatabaseSync(filename)
    other.exec("PRAGMA journal_mode = WAL; CREATE TABLE items (id TEXT)")
    const { ended, stderr } = start("--port", "0", "--file", filename)
    assert.strictEqual(await ended, 1)
    assert.strictEqual(
      stderr(),
      "The sandbox cannot serve: The file of the sandbox cannot be used: another process has opened it; end that process, or name another file\n"
    )
    other.exec("CREATE TABLE notes (id TEXT); PRAGMA journal_mode = DELETE")
    other.close()
    await chmod(filename, 0o644)
    const before = await readFile(filename)
    const foreign = start("--port", "0", "--file", filename)
    const served = foreign.ready().catch(() => foreign.ended)
    assert.strictEqual(await Promise.race([foreign.ended, served]), 1)
    assert.strictEqual(
      foreign.stderr(),
      `The sandbox cannot serve: The SQLite file ${filename} cannot be used: it is no file of pawl; name another file\n`
    )
    assert.strictEqual((await stat(filename)).mode & 0o777, 0o644)
    assert.deepStrictEqual(await readFile(filename), before)
  })

  const refused = [
    [["--prot", "4010"], "--prot"],
    [["--port", "http"], "--port"],
    [["--port", "0", "--token", "s3cr3t c4n4ry"], "without white space"],
    [["--port", "65536"], "--port"],
    [["--host", "0.0.0.0"], "token"],
    [["--host", "shop.example"], "token"],
    [["--host", "::"], "token"],
    [
      ["--host", "192.0.2.1", "--token", "s3cr3t-c4n4ry", "--port", "0"],
      "this machine has no such address; choose one that it has, such as 127.0.0.1"
    ],
    [["--token="], "--token"],
    [["--host="], "Missing value for flag --host. Expected a text that is not empty"],
    [["--file="], "Missing value for flag --file. Expected a text that is not empty"],
    [["--allow-callback", "http://shop.example/"], "shop.example or 10.0.0.7:8080"],
    [["--merchant-key="], "--merchant-key"],
    [["--merchant-secret="], "--merchant-secret"],
    [
      ["--merchant-secret", " s3cr3t-c4n4ry"],
      '"<redacted>". Expected a secret, here or in PAWL_MERCHANT_SECRET, that is not empty, without spaces around it'
    ],
    [
      ["trigger", "succeed", "--base-url", "http://shop:s3cr3t-c4n4ry@127.0.0.1:9/api"],
      '"http://<redacted>@127.0.0.1:9/api". Expected a URL such as http://127.0.0.1:4010/api'
    ],
    [["--file", "/nowhere/at/all.db"], "/nowhere/at/all.db"],
    [["--port", "0", "--file", file], "cannot be used: file is not a database; name another file"],
    [["--pace", "soon"], "--pace"],
    [["--pace=-1 seconds"], "--pace"],
    [["--merchant-secrte", "s3cr3t-c4n4ry"], "--merchant-secrte"],
    [["--port", "0", "triger"], "-- before a program"]
  ] as const
  for (const [args, word] of refused) {
    it(`${args.join(" ")} fails with one sentence`, async () => {
      const { ended, stderr, stdout } = start(...args)
      assert.strictEqual(await ended, 1)
      assert.strictEqual(stdout(), "")
      assert.match(stderr(), /^[^\n]+\n$/u)
      assert.include(stderr(), word)
      assert.notInclude(stderr(), "c4n4ry")
    })
  }
})

describe("pawl-sandbox -- PROGRAM", () => {
  const withProgram = (code: string, ...args: ReadonlyArray<string>) =>
    start("--port", "0", ...args, "--", process.execPath, "--input-type=module", "-e", code)

  it("gives the program its settings, and ends with it", async () => {
    const { ended, stderr, stdout } = withProgram(
      `const { PAWL_BASE_URL, PAWL_MERCHANT_KEY: merchantKey, PAWL_MERCHANT_SECRET: merchantSecret } = process.env
       const body = JSON.stringify({ merchantKey, merchantSecret })
       const headers = { "content-type": "application/json" }
       const { status } = await fetch(PAWL_BASE_URL + "/v1/auth", { method: "POST", headers, body })
       const { PAWL_PORT, PAWL_PUBLIC_URL, PAWL_STORE, PORT } = process.env
       console.log(status, PAWL_STORE, PAWL_PORT, PORT, PAWL_PUBLIC_URL)`,
      "--merchant-key=k",
      "--merchant-secret=s"
    )
    assert.strictEqual(await ended, 0)
    assert.match(
      stdout(),
      /^ready [^\n]+\n200 sqlite:pawl\.db 3000 3000 http:\/\/127\.0\.0\.1:3000\n$/u
    )
    assert.strictEqual(stderr(), "")
  })

  it("gives the program a setting whose variable is empty", async () => {
    const names = ["PAWL_PORT", "PAWL_PUBLIC_URL", "PAWL_STORE", "PORT"]
    const code = `console.log(${JSON.stringify(names)}.map((name) => process.env[name]).join(" "))`
    const empty = Object.fromEntries(names.map((name) => [name, ""]))
    const { line } = startWith(empty, "--port", "0", "--", process.execPath, "-e", code)
    assert.strictEqual(
      await line(/^(3000 .*)$/mu),
      "3000 http://127.0.0.1:3000 sqlite:pawl.db 3000"
    )
  })

  it("says how the program failed, and exits with 1", async () => {
    const failing = withProgram("process.exit(7)")
    assert.strictEqual(await failing.ended, 1)
    assert.match(failing.stderr(), /^The program [^\n]+ ended with 7\n$/u)
    const absent = start("--port", "0", "--", "no-such-program")
    assert.strictEqual(await absent.ended, 1)
    assert.match(absent.stderr(), /^The program no-such-program cannot be run: [^\n]+\n$/u)
  })

  it("serves the program until it has ended on SIGTERM", async () => {
    const { child, ended, line } = withProgram(
      `process.on("SIGTERM", async () => {
         const { status } = await fetch(new URL("/openapi.json", process.env.PAWL_BASE_URL))
         console.log("served " + status)
         process.exit()
       })
       setInterval(() => {}, 1000)
       console.log("running")`
    )
    await line(/^(running)$/mu)
    child.kill("SIGTERM")
    assert.strictEqual(await line(/^served (\d+)$/mu), "200")
    assert.strictEqual(await ended, 0)
  })
})
