import { run } from "@pawl/test-support/Program"
import { startInTest } from "@pawl/test-support/ProgramTests"
import * as Effect from "effect/Effect"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterEach, beforeEach, expect, it } from "vitest"

const file = fileURLToPath(new URL("../src/bin/pawl.ts", import.meta.url))

const doctor = (...args: ReadonlyArray<string>) =>
  Effect.runPromise(run(process.execPath, [file, "doctor", ...args]))

let folder = ""
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "pawl-doctor-"))
})
afterEach(() => rm(folder, { recursive: true }))

/** Writes a profile with readings. Returns the arguments of a sandbox that has it. */
const sandboxWith = async (readings: Readonly<Record<string, string>>) => {
  const profile = join(folder, "profile.json")
  await writeFile(profile, JSON.stringify({ readings }))
  return [file, "sandbox", "--port", "0", "--profile", profile]
}

const startSandbox = (args = [file, "sandbox", "--port", "0"]) =>
  startInTest(process.execPath, args).line(/^ready (\S+)$/mu)

it("finds a sandbox to be as its profile says, and tells what another profile gets wrong", async () => {
  const readings = { checksum: '":", lower-case hex', decimals: "cut off", receiverTime: "3 s" }
  const baseUrl = await startSandbox(await sandboxWith(readings))
  const profile = join(folder, "profile.json")
  const first = join(folder, "first")

  const as = await doctor("--base-url", baseUrl, "--fast", "--profile", profile, "--out", first)
  expect(as).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^At most \d+ requests/u) as unknown
  })
  expect(as.stdout).toMatch(/✓ +2 +Request checksum +":", lower-case hex +the same/u)
  expect(as.stdout).not.toMatch(/^[≈→✗?] +\d/mu)
  const written = JSON.parse(await readFile(join(first, "profile.json"), "utf8")) as object
  expect(written).toMatchObject({ readings, switches: { requestChecksumSeparator: ":" } })
  expect(await readFile(join(first, "profile.ts"), "utf8")).toContain("requestChecksumSeparator")

  const again = ["--base-url", baseUrl, "--out", join(folder, "second"), "--markdown"]
  const stopped = startInTest(process.execPath, [file, "doctor", ...again])
  await stopped.errorLine(/^ *8\/12/mu)
  stopped.child.kill("SIGINT")
  await stopped.errorLine(/^Interrupted: \d of 12 steps are in \S+; run the command again/mu)
  expect(await stopped.ended).toBe(130)
  const other = await doctor(...again, "--wait", "0s", "--against", join(first, "fixtures.json"))
  expect(other).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^Goes on after \d/mu) as unknown
  })
  expect(other.stdout).toContain('| → | 2 | Request checksum | "\\|", lower-case hex | ":", lower')
  expect(other.stdout).toContain("Nothing has changed since the fixtures.")
})

it("keeps the steps that it has paid for if a write fails, and does not begin again by itself", async () => {
  const fixtures = join(folder, "fixtures.json")
  const steps = async () =>
    (JSON.parse(await readFile(fixtures, "utf8")) as { readonly steps: ReadonlyArray<string> })
      .steps
  // A run at a wrong address has made nothing, and stops no other.
  const nowhere = await doctor("--base-url", "http://127.0.0.1:9/api", "--out", folder)
  expect([nowhere.code, await steps()]).toEqual([1, []])
  const baseUrl = await startSandbox()
  const args = ["doctor", "--base-url", baseUrl, "--fast", "--out", folder]
  // A file has at most 16 KiB, as on a full disk.
  const limited = ["-c", 'ulimit -f 16; exec "$0" "$@"', process.execPath, file, ...args]
  const full = await Effect.runPromise(run("bash", limited))
  expect(full.code).toBe(1)
  expect(full.stderr).toMatch(
    /^The service cannot be probed: \S+fixtures\.json cannot be used: EFBIG/mu
  )
  expect(full.stderr).not.toContain("    at ")
  expect((await steps()).length).toBeGreaterThan(0)
  for (const other of [
    ["--base-url", "http://127.0.0.1:9/api"],
    ["--base-url", baseUrl, "--units", "2"]
  ]) {
    const { code, stderr } = await doctor(...other, "--out", folder)
    expect([code, stderr]).toEqual([1, expect.stringContaining(`--base-url ${baseUrl} --units 1;`)])
    expect((await steps()).length).toBeGreaterThan(0)
  }
  await writeFile(fixtures, '{"baseUrl":')
  expect(await doctor(...args.slice(1))).toMatchObject({
    code: 1,
    stderr: `The service cannot be probed: ${fixtures} is not the fixtures of a run; --new makes all transactions again\n`
  })
})

it("--fast does not read an endless answer of another service", async () => {
  const server = createServer((_, response) => {
    const write = () => {
      while (response.write(Buffer.alloc(65_536, " ")));
    }
    response.on("drain", write)
    write()
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  const { code, stderr } = await doctor("--base-url", `http://127.0.0.1:${port}/api`, "--fast")
  expect([code, stderr]).toEqual([1, expect.stringContaining("is not a sandbox whose clock")])
  server.closeAllConnections()
  server.close()
})

it("a sandbox does not start with a reading that it cannot have, and names it", async () => {
  const started = run(process.execPath, await sandboxWith({ decimals: "kept" }))
  expect(await Effect.runPromise(started)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("decimals: kept") as unknown
  })
})

it.each(["http", "https"])("says why a service does not answer by %s", async (scheme) => {
  const { code, stderr } = await doctor("--base-url", `${scheme}://127.0.0.1:1/api`)
  expect(code).toBe(1)
  expect(stderr).toContain("The service could not be reached (the connection was refused)")
  expect(stderr).not.toContain("Warning")
})

it.each(["http://127.0.0.1:1", "http://127.0.0.1:1/api/v1", "http://127.0.0.1:1/api?shop=1"])(
  "refuses %s, which does not end in /api",
  async (url) => {
    const { code, stderr } = await doctor("--base-url", url)
    expect(code).toBe(1)
    expect(stderr).toMatch(/^Invalid value for flag --base-url: [^\n]+, which ends in \/api\n$/u)
  }
)

it("--plan sends nothing", async () => {
  const { code, stdout } = await doctor("--plan", "--base-url", "https://nowhere.invalid/api")
  expect(code).toBe(0)
  expect(stdout).toMatch(/^ *22 +Gaps of polling/mu)
})

it("refuses a host that may be production, unless its name is given once more", async () => {
  const args = ["--base-url", "https://pay.invalid/api", "--production", "--production-host"]
  const { code, stderr, stdout } = await doctor(...args, "other.invalid")
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
  expect(stderr).toMatch(/^The service cannot be probed: pay\.invalid may be production.+\n$/u)
})

it("prints the lines of the guide's report, of a service that differs in four points", async () => {
  const readings = {
    token: "data.accessToken",
    checksum: '":", lower-case hex',
    after401: "dropped",
    limits: "x-ratelimit-limit"
  }
  const baseUrl = await startSandbox(await sandboxWith(readings))
  const { stderr, stdout } = await doctor("--base-url", baseUrl, "--fast", "--out", folder)
  const printed = `${stderr}\n${stdout}`
    .replaceAll(baseUrl, "URL")
    .replaceAll(folder, "pawl-doctor")
  const guide = await readFile(
    new URL("../../../docs/guides/first-day.md", import.meta.url),
    "utf8"
  )
  const [, sample = ""] = /A shortened report,[^]*?```text\n([^]*?)```/u.exec(guide) ?? []
  const parts = sample.replace(/http:\S+/u, "URL").split("…")
  expect(parts.length).toBeGreaterThan(10)
  for (const part of parts) expect(printed).toContain(part.trim())
})
