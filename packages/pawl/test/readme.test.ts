/**
 * Runs the programs of the README as a user does.
 */
import { execFile } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { sandbox } from "pawl/testing"
import { afterAll, expect, it } from "vitest"
import { freePort } from "./doors.ts"

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8")
const [quickStart = "", test = ""] = Array.from(
  readme.matchAll(/^```js\n(.+?)^```$/gmsu),
  ([, code = ""]) => code
)

// A folder in the package, from which `pawl` can be imported.
const folder = mkdtempSync(new URL("../dist-test-", import.meta.url).pathname)
afterAll(() => rmSync(folder, { recursive: true }))

/** Runs a program for at most `timeout` milliseconds, and returns what it printed. */
const run = (name: string, code: string, timeout: number, ...flags: ReadonlyArray<string>) => {
  writeFileSync(join(folder, name), code)
  return new Promise<string>((resolve) => {
    // A test runner tells the tests beneath it apart by this variable.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env
    execFile(
      process.execPath,
      [...flags, name],
      { cwd: folder, timeout, env },
      (_error, out, err) => resolve(out + err)
    )
  })
}

it("the test passes in node:test", async () => {
  const output = await run("order.test.mjs", test, 30_000, "--test")
  expect(output).toMatch(/pass 1\b/u)
  expect(output).toMatch(/fail 0\b/u)
})

it("the quick start pays", async () => {
  await using service = await sandbox({ pace: "10 millis" })
  expect(quickStart).toContain("http://127.0.0.1:4010/api")
  const code = quickStart
    .replace("http://127.0.0.1:4010/api", service.baseUrl)
    .replaceAll("3000", String(await freePort()))
  const output = await run("shop.mjs", code, 10_000)
  expect(output).toMatch(/order-\d+ is NEW/u)
  expect(output).toMatch(/order-\d+ is SUCCEED/u)
})
