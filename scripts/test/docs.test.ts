/**
 * Type-checks and runs every example of the documentation, with its assertions.
 */
import { execFile } from "node:child_process"
import { globSync } from "node:fs"
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { promisify } from "node:util"
import { parseSync } from "oxc-parser"
import { afterAll, describe, expect, it } from "vitest"
import { snippets, toModule } from "../snippets.ts"

const root = resolve(import.meta.dirname, "../..")
const paths = globSync(
  ["{README,CONTRIBUTING}.md", "docs/**/*.md", "packages/*/README.md", "packages/*/src/**/*.ts"],
  { cwd: root, exclude: (path) => path.endsWith(".d.ts") }
).filter((path) => !path.startsWith("docs/api/"))

// The examples can import every package.
const home = join(root, "examples/dist")
await mkdir(home, { recursive: true })
const folder = await mkdtemp(join(home, "docs-"))
afterAll(() => rm(folder, { recursive: true }))

const write = async (path: string, line: number, text: string): Promise<string> => {
  const file = join(folder, path, `${line}.ts`)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
  return file
}

/** Returns the type errors of files, by the rules of the workspace but for unused names. */
const typeErrors = async (files: ReadonlyArray<string>): Promise<string> => {
  const config = {
    extends: join(root, "tsconfig.base.json"),
    compilerOptions: {
      composite: false,
      incremental: false,
      noEmit: true,
      noUnusedLocals: false,
      rootDir: root
    },
    files
  }
  const project = join(await mkdtemp(join(folder, "project-")), "tsconfig.json")
  await writeFile(project, JSON.stringify(config))
  const tsc = join(root, "node_modules/.bin/tsc")
  const said = await new Promise<string>((done) => {
    execFile(tsc, ["-p", project, "--pretty", "false"], { cwd: folder }, (error, stdout, stderr) =>
      done(`${stdout}${stderr}${error !== null && stdout === "" ? error.message : ""}`)
    )
  })
  return said.replaceAll(/\/\d+\.ts(?=\()/gu, "")
}

const examples = await Promise.all(
  paths.toSorted().map(async (path) => snippets(path, await readFile(join(root, path), "utf8")))
).then((found) =>
  Promise.all(
    found.flat().map(async (snippet) => {
      const { runs, text } = toModule(snippet)
      const { line, path } = snippet
      return { name: `${path}:${line}`, runs, file: await write(path, line, text) }
    })
  )
)

/** An example with a type error, checked together with the others. */
const wrong = toModule({ path: "a.md", line: 7, code: 'export const a: number = "1"' })
const wrongFile = await write("a.md", 7, wrong.text)
const allErrors = typeErrors([...examples.map(({ file }) => file), wrongFile]).then((text) =>
  text.trimEnd().split("\n")
)
const isOfWrong = (line: string): boolean => line.startsWith("a.md(")

describe("the examples of the documentation", () => {
  it("pass the type check", { timeout: 120_000 }, async () => {
    expect((await allErrors).filter((line) => !isOfWrong(line))).toEqual([])
  })

  it.for(examples.filter(({ runs }) => runs))("$name does what it says", async ({ file }) => {
    await import(file)
  })
})

describe("an example that is not run", () => {
  const pages = paths.filter((path) => path.endsWith(".md"))
  const blocks = async (language: string) => {
    const found = pages.map(async (path) =>
      snippets(path, await readFile(join(root, path), "utf8"), language)
    )
    return (await Promise.all(found)).flat()
  }

  it("is valid JSON or JavaScript, as its page says", async () => {
    const [json, js] = await Promise.all([blocks("json"), blocks("js")])
    expect(json.length * js.length).toBeGreaterThan(0)
    for (const { code, line, path } of json) {
      expect(() => JSON.parse(code), `${path}:${line}`).not.toThrow()
    }
    for (const { code, line, path } of js) {
      expect(parseSync("block.js", code).errors, `${path}:${line}`).toEqual([])
    }
  })

  it.for([
    ["receiver", "packages/webhook/src/bin/pawl-receiver.ts"],
    ["sandbox", "packages/testkit/src/bin/pawl-sandbox.ts"]
  ] as const)("has %s take the flags it is given", async ([command, bin]) => {
    const { stdout } = await promisify(execFile)(process.execPath, [join(root, bin), "--help"])
    const known = stdout.match(/--[a-z-]+/gu)
    const texts = await Promise.all(pages.map((path) => readFile(join(root, path), "utf8")))
    const given = Array.from(
      texts.join("\n").matchAll(new RegExp(`pnpm@[\\d.]+ ${command} ([^\`\\n]*)`, "gu")),
      ([, args = ""]) => args.match(/--[a-z-]+/gu) ?? []
    ).flat()
    expect(given.length).toBeGreaterThan(0)
    for (const flag of given) expect(known).toContain(flag)
  })
})

describe("the guide for production", async () => {
  const page = await readFile(join(root, "docs/guides/production.md"), "utf8")
  const sources = await Promise.all(
    [
      "internal/Alarm",
      "internal/ClockWatch",
      "Order",
      "Journal",
      "Metrics",
      "Receiver",
      "Teller",
      "Worker"
    ]
      .map((name) => `packages/webhook/src/${name}.ts`)
      .concat("packages/http/src/Metrics.ts")
      .map((path) => readFile(join(root, path), "utf8"))
  )
  const code = sources.join("\n")

  it("names only metrics that exist", () => {
    const named = page.match(/pawl_(?:http|webhook)_\w+/gu) ?? []
    expect(named.length).toBeGreaterThan(8)
    for (const name of named) expect(code).toContain(name)
  })

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
      "a dead letter",
      "a callback in quarantine",
      "the operation is registered already with another account, amount or currency"
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

describe("a wrong example", () => {
  it("is reported by the type check, with its line", { timeout: 120_000 }, async () => {
    expect((await allErrors).filter(isOfWrong)).toEqual([
      expect.stringMatching(/^a\.md\(7,14\): error TS2322/u)
    ])
  })

  it("is reported when its assertion fails", async () => {
    const broken = async (code: string) => {
      const { text } = toModule({ path: "b.md", line: 2, code })
      const file = await write("b.md", Math.random(), text)
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
})
