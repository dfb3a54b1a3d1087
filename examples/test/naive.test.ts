/**
 * The naive handler, and what the laws of a receiver find wrong with it.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { text } from "node:stream/consumers"
import { afterAll, expect, it } from "vitest"

const root = new URL("../../", import.meta.url)
const naive = new URL("examples/src/naive.ts", root).pathname
const conform = new URL("packages/testkit/src/bin/pawl-conform.ts", root).pathname
const env = { ...process.env, PAWL_MERCHANT_SECRET: "sandbox-secret", PORT: "0" }

const handler = spawn(process.execPath, [naive], { env, stdio: ["ignore", "pipe", "inherit"] })
afterAll(() => handler.kill())

it("is found wrong: forgeries are believed, writes are lost, and strange callbacks let in", async () => {
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
  // Its transactions are none that an earlier run had.
  expect((await fetch(`${state}/card/100001`)).status).toBe(404)
})
