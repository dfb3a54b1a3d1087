/**
 * Every example of the documentation is type-checked, run, and held to what it promises.
 */
import { execFile } from "node:child_process"
import { globSync } from "node:fs"
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { snippets, toModule } from "../snippets.ts"

const root = resolve(import.meta.dirname, "../..")
const paths = globSync(
  ["{README,CONTRIBUTING}.md", "docs/**/*.md", "packages/*/README.md", "packages/*/src/**/*.ts"],
  { cwd: root, exclude: (path) => path.endsWith(".d.ts") }
)

// The examples' room, because all packages can be imported from there.
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

/** What tsc says of some files, by the checks of the workspace; an example need not use all it names. */
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

describe("the examples of the documentation", () => {
  it("fit their types", { timeout: 120_000 }, async () => {
    expect(await typeErrors(examples.map(({ file }) => file))).toBe("")
  })

  it.for(examples.filter(({ runs }) => runs))("$name does what it says", async ({ file }) => {
    await import(file)
  })
})

describe("an example that is wrong", () => {
  it("is found by its types, on its line", { timeout: 120_000 }, async () => {
    const { text } = toModule({ path: "a.md", line: 7, code: 'export const a: number = "1"' })
    expect(await typeErrors([await write("a.md", 7, text)])).toMatch(
      /^a\.md\(7,14\): error TS2322/u
    )
  })

  it("is found by what it does", async () => {
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
