import { spawn } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterEach, assert, describe, it } from "vitest"

const file = new URL("../../src/bin/pawl-sandbox.ts", import.meta.url).pathname

const started: Array<ReturnType<typeof spawn>> = []

afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL")
})

/** Starts the command and gathers what it says. */
const start = (...args: ReadonlyArray<string>) => {
  const child = spawn(process.execPath, [file, ...args], { stdio: ["ignore", "pipe", "pipe"] })
  started.push(child)
  const said = { out: "", err: "" }
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (said.out += chunk))
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (said.err += chunk))
  const ended = once(child, "close").then(([code]) => code as number | null)
  const ready = async (): Promise<string> => {
    while (!said.out.includes("\n")) {
      await Promise.race([once(child.stdout, "data"), ended])
      if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}: ${said.err}`)
    }
    return said.out.slice("ready ".length, said.out.indexOf("\n"))
  }
  return { child, ended, ready, said }
}

const authenticate = (baseUrl: string, merchantKey: string, merchantSecret: string) =>
  fetch(`${baseUrl}/v1/auth`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ merchantKey, merchantSecret })
  })

describe("pawl-sandbox", () => {
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    it(`says one line on stdout once it serves, and ends on ${signal}`, async () => {
      const { child, ended, ready, said } = start("--port", "0")
      const baseUrl = await ready()
      assert.match(said.out, /^ready http:\/\/127\.0\.0\.1:[0-9]+\/api\n$/u)
      assert.strictEqual((await authenticate(baseUrl, "sandbox-key", "sandbox-secret")).status, 200)
      child.kill(signal)
      assert.include([0, 130], await ended)
      assert.match(said.out, /^ready [^\n]+\n$/u)
      assert.strictEqual(said.err, "")
    })
  }

  it("takes every flag it documents, and prints no secret", async () => {
    const secret = "s3cr3t-c4n4ry"
    const flags = `--port 0 --host 127.0.0.1 --merchant-key k --merchant-secret ${secret} --seed 7 --pace 200ms`
    const { child, ended, ready, said } = start(...flags.split(" "))
    const baseUrl = await ready()
    assert.strictEqual((await authenticate(baseUrl, "k", secret)).status, 200)
    assert.strictEqual((await authenticate(baseUrl, "sandbox-key", "sandbox-secret")).status, 401)
    child.kill("SIGTERM")
    await ended
    assert.notInclude(said.out + said.err, secret)
  })

  it("a port in use is one sentence and a failure", async () => {
    const server = createServer()
    await once(server.listen(0, "127.0.0.1"), "listening")
    const { port } = server.address() as AddressInfo
    const { ended, said } = start("--port", String(port))
    assert.strictEqual(await ended, 1)
    assert.strictEqual(said.out, "")
    assert.match(
      said.err,
      new RegExp(`^The sandbox cannot serve: [^\\n]*in use[^\\n]*${port}\\n$`, "u")
    )
    server.close()
  })

  const refused = [
    [["--prot", "4010"], "--prot"],
    [["--port", "http"], "--port"],
    [["--port", "65536"], "--port"],
    [["--host", "0.0.0.0"], "loopback"],
    [["--host", "shop.example"], "loopback"],
    [["--pace", "soon"], "--pace"],
    [["--pace=-1 seconds"], "--pace"],
    [["--merchant-secrte", "s3cr3t-c4n4ry"], "--merchant-secrte"]
  ] as const
  for (const [args, word] of refused) {
    it(`${args.join(" ")} is one sentence and a failure`, async () => {
      const { ended, said } = start(...args)
      assert.strictEqual(await ended, 1)
      assert.strictEqual(said.out, "")
      assert.match(said.err, /^[^\n]+\n$/u)
      assert.include(said.err, word)
      assert.notInclude(said.err, "c4n4ry")
    })
  }
})
