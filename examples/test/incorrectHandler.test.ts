/**
 * Runs `pawl-conform` against the incorrect handler and checks the laws that it breaks.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { text } from "node:stream/consumers"
import { afterAll, expect, it } from "vitest"

const root = new URL("../../", import.meta.url)
const program = new URL("examples/src/incorrectHandler.ts", root).pathname
const conform = new URL("packages/testkit/src/bin/pawl-conform.ts", root).pathname
const env = { ...process.env, PAWL_MERCHANT_SECRET: "sandbox-secret", PORT: "0" }

const handler = spawn(process.execPath, [program], { env, stdio: ["ignore", "pipe", "inherit"] })
afterAll(() => handler.kill())

it("breaks the laws about forged statuses, lost writes and malformed callbacks", async () => {
  const [line] = (await once(handler.stdout.setEncoding("utf8"), "data")) as [string]
  const url = line.trim().slice("ready ".length)
  const state = new URL("/transactions", url).href
  const args = [conform, url, "--api-port", "0", "--state", state, "--patience", "1", "--seed", "1"]
  const run = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "inherit"] })
  const out = await text(run.stdout)
  for (const broken of [
    "a genuine callback is answered 200",
    "what is larger than 64 KiB is answered 413",
    "what is not plain JSON by its header is answered 415",
    "a body that is no sound JSON object is answered 400",
    "a signed field that can be read in two ways is answered 400",
    "a callback whose kind is in doubt is answered 400",
    "an end is believed only when the service said so",
    "of two ends the one that the service says last is believed",
    "callbacks that come at once leave what they leave one by one"
  ]) {
    expect(out).toContain(`✗ ${broken} (`)
  }
  expect(out).toContain("✓ a repeat is answered 200 as the first was (")
  expect(out).toContain('"orderAmount":')
  // The run uses new transaction ids, not those of an earlier run.
  expect((await fetch(`${state}/card/100001`)).status).toBe(404)
})
