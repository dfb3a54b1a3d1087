/**
 * Writes each example of the documentation as a module, and type-checks all. A planted type error
 * shows that the check saw them.
 */
import { execFile } from "node:child_process"
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { find, read, report, root } from "./repository.ts"
import { snippets, toModule } from "./snippets.ts"

export const paths = find(
  "{README,CONTRIBUTING}.md",
  "docs/**/*.md",
  "packages/*/README.md",
  "packages/*/src/**/*.ts"
).filter((path) => !path.startsWith("docs/api/"))

/** Makes a folder whose modules can import every package. */
export const makeFolder = async (): Promise<string> => {
  const home = join(root, "examples/dist")
  await mkdir(home, { recursive: true })
  return mkdtemp(join(home, "docs-"))
}

export const write = async (folder: string, snippet: Parameters<typeof toModule>[0]) => {
  const { line, path } = snippet
  const { runs, text } = toModule(snippet)
  const file = join(folder, path, `${line}.ts`)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
  return { name: `${path}:${line}`, runs, file }
}

export const writeAll = (folder: string) => {
  const found = paths.flatMap((path) => snippets(path, read(path)))
  return Promise.all(found.map((snippet) => write(folder, snippet)))
}

/** Returns the type errors of files, by the rules of the workspace but for unused names. */
const typeErrors = async (folder: string, files: ReadonlyArray<string>) => {
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
  const project = join(folder, "tsconfig.json")
  await writeFile(project, JSON.stringify(config))
  const tsc = join(root, "node_modules/.bin/tsc")
  const output = await new Promise<string>((done) => {
    execFile(tsc, ["-p", project, "--pretty", "false"], { cwd: folder }, (error, stdout, stderr) =>
      done(`${stdout}${stderr}${error !== null && stdout === "" ? error.message : ""}`)
    )
  })
  return output
    .replaceAll(/\/\d+\.ts(?=\()/gu, "")
    .trimEnd()
    .split("\n")
}

if (import.meta.main) {
  const folder = await makeFolder()
  try {
    const examples = await writeAll(folder)
    const code = 'export const a: number = "1"'
    const wrong = await write(folder, { path: "wrong.md", line: 7, code })
    const errors = await typeErrors(
      folder,
      [...examples, wrong].map(({ file }) => file)
    )
    const isOfWrong = (line: string): boolean => line.startsWith("wrong.md(7,14): error TS2322")
    const found = errors.filter((line) => !isOfWrong(line))
    if (!errors.some(isOfWrong)) found.push("the error of a wrong example was not reported")
    report(found)
  } finally {
    await rm(folder, { recursive: true })
  }
}
