import { execFile } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { sandbox } from "pawl/testing"
import { afterAll, expect, it } from "vitest"
import { freePort } from "@pawl/test-support/FreePort"

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
    onPrinted,
    until = /$^/u,
    variables = {}
  }: {
    readonly flags?: ReadonlyArray<string>
    readonly until?: RegExp
    readonly variables?: Readonly<Record<string, string>>
    readonly onPrinted?: (printed: string) => void
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
      onPrinted?.(printed)
      if (until.test(printed)) child.kill()
    })
  })
}

it("the test passes in node:test", async () => {
  const output = await run("order.test.mjs", test, { flags: ["--test"] })
  expect(output).toMatch(/pass 1\b/u)
  expect(output).toMatch(/fail 0\b/u)
})

const variablesOf = (
  { baseUrl, merchantKey, merchantSecret }: Awaited<ReturnType<typeof sandbox>>,
  port: string
) => ({
  PAWL_BASE_URL: baseUrl,
  PAWL_MERCHANT_KEY: merchantKey,
  PAWL_MERCHANT_SECRET: merchantSecret,
  PAWL_PUBLIC_URL: `http://127.0.0.1:${port}`
})

/** The lines that `@nestjs/cli new` makes. */
const generated = new Set([
  'import { Module } from "@nestjs/common"',
  'import { AppController } from "./app.controller.js"',
  "export class AppModule {}",
  "@Controller()",
  "export class AppController {",
  "}"
])

it.for(["Next", "Nest"])("%s takes ten lines beside those of its generator", (name) => {
  const [, section = ""] = readme.split(`### ${name}\n`)
  const [page = ""] = section.split("```sh")
  const own = Array.from(page.matchAll(/^```typescript\n(.+?)^```$/gmsu)).flatMap(([, code = ""]) =>
    code.split("\n").filter((line) => !/^(?:\/\/|$)/u.test(line) && !generated.has(line.trim()))
  )
  expect(own).toHaveLength(10)
})

it("the quick start has ten lines, is that of the guide, and pays once", async () => {
  expect(programs(guide)[0]).toBe(quickStart)
  expect(quickStart.split("\n").filter((line) => line !== "").length).toBeLessThanOrEqual(10)
  await using service = await sandbox({ pace: "1 hour" })
  const port = String(await freePort())
  const variables = variablesOf(service, port)
  for (const variable of Object.keys(variables)) expect(guide).toContain(variable)
  const start = (until: RegExp) =>
    run("shop.mjs", `${quickStart.replace("3000", port)}\nconsole.log("answered")`, {
      until,
      variables,
      onPrinted: (printed) => {
        if (printed.includes(" is NEW\n")) void service.clock.advance("3 hours")
      }
    })
  const output = await start(/ is SUCCEED\n/u)
  expect(output).toMatch(/order-17 is NEW\n(?:.*\n)*order-17 is SUCCEED/u)
  await start(/answered\n/u)
  expect(await service.service.transactions()).toHaveLength(1)
})

it("the guide's second block catches a lost response, and onChange gets the outcome", async () => {
  await using service = await sandbox({ pace: "10 millis" })
  await service.service.addFault({
    endpoint: "POST /v1/payments/apm",
    fault: "reset-after",
    times: 1
  })
  const port = String(await freePort())
  const [, caught = ""] = programs(guide)
  const code = quickStart
    .replace("3000", port)
    .replace("pawl.db", "caught.db")
    .replace(/^await pawl\.apmPayments.*\n/mu, caught)
  const variables = { ...variablesOf(service, port), PAWL_MAX_ATTEMPTS: "1" }
  const output = await run("caught.mjs", code, { until: / is SUCCEED\n/u, variables })
  expect(output).toMatch(/^order-17: .*may have taken effect/mu)
  expect(output).toMatch(/^order-17 is SUCCEED$/mu)
  expect(await service.service.transactions()).toHaveLength(1)
})
