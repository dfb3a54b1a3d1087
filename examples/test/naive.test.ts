/**
 * Runs `pawl-conform` against the incorrect handler and checks the laws that it breaks.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { text } from "node:stream/consumers"
import { afterAll, expect, it } from "vitest"

const root = new URL("../../", import.meta.url)
const program = new URL("examples/src/naive.ts", root).pathname
const conform = new URL("packages/testkit/src/bin/pawl-conform.ts", root).pathname
const env = { ...process.env, PAWL_MERCHANT_SECRET: "sandbox-secret", PORT: "0" }

const handler = spawn(process.execPath, [program], { env, stdio: ["ignore", "pipe", "inherit"] })
afterAll(() => handler.kill())

it("breaks the laws about forged statuses, lost writes and malformed callbacks", async () => {
  const [line] = (await once(handler.stdout.setEncoding("utf8"), "data")) as [string]
  const url = line.trim().slice("ready ".length)
  const state = new URL("/transactions", url).href
  const args = [
    conform,
    url,
    "--api-port",
    "0",
    "--state",
    state,
    "--settle-timeout",
    "1",
    "--seed",
    "1"
  ]
  const run = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "inherit"] })
  const out = await text(run.stdout)
  for (const broken of [
    "a genuine callback is answered 200",
    "a body larger than 64 KiB is answered 413",
    "a content type or encoding other than plain JSON is answered 415",
    "a body that is not one well-formed JSON object is answered 400",
    "an ambiguous signed field is answered 400",
    "a callback of an ambiguous kind is answered 400",
    "a terminal status is reported only after the service has it",
    "after two terminal statuses the receiver reports the service's last one",
    "concurrent callbacks end at the same status as sequential ones"
  ]) {
    expect(out).toContain(`✗ ${broken} (`)
  }
  expect(out).toContain("✓ a repeated callback is answered 200, like the first (")
  expect(out).toContain('"orderAmount":')
  // The run uses new transaction ids, not those of an earlier run.
  expect((await fetch(`${state}/card/100001`)).status).toBe(404)
})
