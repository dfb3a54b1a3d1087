import { execFile } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { sandbox } from "pawl/testing"
import { afterAll, expect, it } from "vitest"
import { freePort } from "./doors.ts"

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8")
const guide = readFileSync(new URL("../../../docs/guides/quick-start.md", import.meta.url), "utf8")
const programs = (page: string) =>
  Array.from(page.matchAll(/^```js\n(.+?)^```$/gmsu), ([, code = ""]) => code)
const [quickStart = ""] = programs(readme)
const test = programs(readme).find((code) => code.includes("node:test")) ?? ""

// A folder in the package, from which `pawl` can be imported.
const folder = mkdtempSync(new URL("../dist-test-", import.meta.url).pathname)
afterAll(() => rmSync(folder, { recursive: true }))

/** Runs a program to its end, or until it has printed a text. Returns its output. */
const run = (
  name: string,
  code: string,
  {
    flags = [],
    until = /$^/u,
    variables = {}
  }: {
    readonly flags?: ReadonlyArray<string>
    readonly until?: RegExp
    readonly variables?: Readonly<Record<string, string>>
  }
) => {
  writeFileSync(join(folder, name), code)
  return new Promise<string>((resolve) => {
    // A test runner tells the tests beneath it apart by this variable.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env
    let printed = ""
    const child = execFile(
      process.execPath,
      [...flags, name],
      { cwd: folder, env: { ...env, ...variables } },
      (_error, out, err) => resolve(out + err)
    )
    child.stdout?.on("data", (text: string) => {
      printed += text
      if (until.test(printed)) child.kill()
    })
  })
}

it("the test passes in node:test", async () => {
  const output = await run("order.test.mjs", test, { flags: ["--test"] })
  expect(output).toMatch(/pass 1\b/u)
  expect(output).toMatch(/fail 0\b/u)
})

it("the quick start has ten lines, is that of the guide, and pays once", async () => {
  expect(programs(guide)).toEqual([quickStart])
  expect(quickStart.split("\n").filter((line) => line !== "").length).toBeLessThanOrEqual(10)
  await using service = await sandbox({ pace: "10 millis" })
  const port = String(await freePort())
  const variables = {
    PAWL_BASE_URL: service.baseUrl,
    PAWL_MERCHANT_KEY: service.merchantKey,
    PAWL_MERCHANT_SECRET: service.merchantSecret,
    PAWL_PUBLIC_URL: `http://127.0.0.1:${port}`
  }
  for (const variable of Object.keys(variables)) expect(guide).toContain(variable)
  const start = (until: RegExp) =>
    run("shop.mjs", `${quickStart.replace("3000", port)}\nconsole.log("answered")`, {
      until,
      variables
    })
  const output = await start(/ is SUCCEED\n/u)
  expect(output).toMatch(/order-17 is NEW\n(?:.*\n)*order-17 is SUCCEED/u)
  await start(/answered\n/u)
  expect(await service.service.transactions()).toHaveLength(1)
})
