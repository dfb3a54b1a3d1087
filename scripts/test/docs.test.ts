/** Runs every example of the documentation. `check examples` type-checks them. */
import { bundleOf } from "../../test-support/src/Program.ts"
import { execFile } from "node:child_process"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { parseSync } from "oxc-parser"
import { afterAll, describe, expect, it } from "vitest"
import { makeFolder, paths, write, writeAll } from "../examples.ts"
import { find, read, root } from "../repository.ts"
import { snippets } from "../snippets.ts"

const folder = await makeFolder()
afterAll(() => rm(folder, { recursive: true }))
const examples = await writeAll(folder)

describe("the examples of the documentation", () => {
  it.for(examples.filter(({ runs }) => runs))("$name does what it says", async ({ file }) => {
    await import(file)
  })
})

it("every picture is made by a benchmark or by a test, which fails when its page changed", () => {
  const shown = find("packages/*/test/*.browser.test.ts").flatMap((path) =>
    Array.from(
      read(path).matchAll(/Picture\.shows\(page, "([^"]+)"/gu),
      ([, name = ""]) => `docs/images/${name}`
    )
  )
  const kept = find("docs/images/*").filter((name) => !name.includes("/bench-"))
  expect(kept).toEqual(shown.toSorted())
})

describe("an example that is not run", () => {
  const pages = paths.filter((path) => path.endsWith(".md"))
  const blocks = (language: string) => pages.flatMap((path) => snippets(path, read(path), language))

  it("is valid JSON or JavaScript, as its page says", () => {
    const [json, js] = [blocks("json"), blocks("js")]
    expect(json.length * js.length).toBeGreaterThan(0)
    for (const { code, line, path } of json) {
      expect(() => JSON.parse(code), `${path}:${line}`).not.toThrow()
    }
    for (const { code, line, path } of js) {
      expect(parseSync("block.js", code).errors, `${path}:${line}`).toEqual([])
    }
  })

  it("gives no process a secret as an argument, which every user of a machine can read", () => {
    const others = find(
      "{.ci,.github,deploy,examples/{src,test},packages/*/src}/**/*.{sh,ts,js,html,yml,yaml,service}"
    )
    const secret =
      /--(?:[a-z-]*(?:secret|token|password|card))(?: +|=)["'$A-Za-z0-9]\S*|(?:-H|--header) +"authorization: \w+ \$\{?PAWL_\w+/giu
    const found = [...pages, ...others].flatMap((path) =>
      Array.from(read(path).matchAll(secret), ([each]) => `${path}: ${each}`)
    )
    expect(found).toEqual([])
  })

  it.for([
    ["receiver", "packages/receiver/src/bin/pawl-receiver.ts"],
    ["sandbox", "packages/sandbox/src/bin/pawl-sandbox.ts"]
  ] as const)("has %s take the flags it is given", async ([command, bin]) => {
    const { stdout } = await promisify(execFile)(process.execPath, [
      bundleOf(join(root, bin)),
      "--help"
    ])
    const known = stdout.match(/--[a-z-]+/gu)
    const given = Array.from(
      pages
        .map(read)
        .join("\n")
        .matchAll(new RegExp(`pnpm@[\\d.]+ ${command} ([^\`\\n]*)`, "gu")),
      ([, args = ""]) => args.match(/--[a-z-]+/gu) ?? []
    ).flat()
    expect(given.length).toBeGreaterThan(0)
    for (const flag of given) expect(known).toContain(flag)
  })
})

describe("a page of docs/guides or docs/flows", () => {
  const opening = /^# .+\n\nFor [^.;]+; \w+ minutes?\b/u
  it.for(find("docs/{guides,flows}/*.md"))(
    "%s says first for whom it is and how long it takes to read",
    (path) => expect(read(path)).toMatch(opening)
  )
})

describe("the guide for production", () => {
  const page = read("docs/guides/production.md")
  const sources = find(
    "packages/{webhook/src/{*,internal/{doors,ledger,requests,rule,work}/*},receiver/src/internal/merchants/*}.ts"
  )
  // Reasons of one alarm, and reasons for an error.
  const others = /\/(?:Backlog|CallbackUrl|NodeSqlite)\.ts$/u
  const code = sources
    .filter((path) => !others.test(path))
    .map(read)
    .join("\n")

  it("says what to do about every alarm", () => {
    const rows =
      page.slice(page.indexOf("## 6."), page.indexOf("## 7.")).match(/^\| [^|]+/gmu) ?? []
    const alarms = rows.slice(2).map((row) =>
      row
        .slice(2)
        .replace(/: ….*$/u, "")
        .trim()
    )
    /** Alarms whose texts name a reason or a field. */
    const composed = [
      "more work falls due than is done",
      "a dead letter",
      "a callback in quarantine",
      "a parked request",
      "the operation is already registered with another account, amount, currency or requestId"
    ]
    for (const alarm of alarms) if (!composed.includes(alarm)) expect(code).toContain(alarm)
    const raised = code.matchAll(
      /^const \w+ =\s+"((?:callbacks|the previous)[^":]+)|return "([^"]+ [^"]+)"/gmu
    )
    const reasons = Array.from(raised, ([, one, other]) => one ?? other ?? "")
    expect(reasons.length).toBeGreaterThan(5)
    for (const reason of reasons) expect(alarms.join("\n")).toContain(reason)
  })
})

it("each promise about a payment links a test or a run", () => {
  const rows = read("docs/promises.md").match(/^\| [A-Z].*$/gmu) ?? []
  expect(rows.length).toBeGreaterThan(10)
  for (const row of rows) expect(row).toMatch(/\]\(\.\.\/[^)#]+\.ts\)/u)
})

it("a wrong example is reported when its assertion fails", async () => {
  let line = 2
  const broken = async (code: string) => {
    const { file } = await write(folder, { path: "b.md", line: line++, code })
    return import(file).then(
      () => "kept",
      (error: unknown) => String(error)
    )
  }
  expect(await broken("[1, { a: 2 }] // => [1, { a: 2 }]")).toBe("kept")
  expect(await broken("[1, { a: 2 }] // => [1, { a: 3 }]")).toMatch(/AssertionError/u)
  expect(await broken("({ a: undefined }) // => {}")).toMatch(/AssertionError/u)
  expect(await broken('throw new Error("no")')).toMatch(/Error: no/u)
})
