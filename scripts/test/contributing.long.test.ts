/** Tries "Add a field" of CONTRIBUTING.md in a copy of the repository. */
import { makeFolder } from "../../test-support/src/Folder.ts"
import { execFileSync, spawnSync } from "node:child_process"
import { cpSync, globSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { read, root } from "../repository.ts"

const copy = makeFolder()

/** Makes the changes of a diff whose hunks name the replaced lines, not their numbers. */
const apply = (diff: string) => {
  for (const [, path = "", hunk = ""] of diff.matchAll(
    /^\+\+\+ b\/(.+)\n@@\n((?:[ +-].*\n)+?)(?=---|$)/gmu
  )) {
    const lines = hunk.split("\n").filter((line) => line !== "")
    const side = (other: string) =>
      lines.flatMap((line) => (line.startsWith(other) ? [] : [line.slice(1)])).join("\n")
    const file = join(copy, path)
    const source = readFileSync(file, "utf8")
    expect(source.split(side("+"))).toHaveLength(2)
    writeFileSync(
      file,
      source.replace(side("+"), () => side("-"))
    )
  }
}

/** Prints the document that `vitest -u` writes to openapi.json. */
const print = `
  import { createRequire } from "node:module"
  const require = createRequire(process.cwd() + "/packages/sandbox/src/index.ts")
  const { fromApi } = await import(require.resolve("effect/http-api/OpenApi"))
  const { Api } = await import(process.cwd() + "/packages/sandbox/src/internal/contract/Api.ts")
  console.log(JSON.stringify(fromApi(Api)))
`

it("a field is added as CONTRIBUTING.md says", () => {
  const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8"
  })
  for (const file of files.trimEnd().split("\n")) cpSync(join(root, file), join(copy, file))
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"))
  // The links of a workspace package lead to its neighbours in the copy.
  for (const links of globSync("{packages/*,test-support}/node_modules", { cwd: root })) {
    cpSync(join(root, links), join(copy, links), { recursive: true, verbatimSymlinks: true })
  }
  const [, diff = ""] = /^```diff\n(.+?)^```/msu.exec(read("CONTRIBUTING.md")) ?? []
  const node = (...args: ReadonlyArray<string>) => {
    const { status, stderr, stdout } = spawnSync(process.execPath, args, {
      cwd: copy,
      encoding: "utf8"
    })
    return { status, output: stdout + stderr }
  }
  apply(diff)
  expect(node("node_modules/typescript/bin/tsc", "-b", "packages/core")).toEqual({
    status: 0,
    output: ""
  })
  const document = node("--input-type=module", "--eval", print)
  expect(document.output).toContain("Channel of the sale")
})
