import { makeFolder } from "../../test-support/src/Folder.ts"
import { execFile, execFileSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { stripTypeScriptTypes } from "node:module"
import { delimiter, dirname, join } from "node:path"
import { describe, expect, it } from "vitest"
import { find, read, root } from "../repository.ts"

interface Manifest {
  readonly bin?: Readonly<Record<string, string>>
  readonly engines: { readonly node: string }
}

const bins = find("packages/*/package.json").flatMap((path) => {
  const { bin = {}, engines } = JSON.parse(read(path)) as Manifest
  return Object.entries(bin).map(([name, file]) => ({
    name,
    file: join(root, dirname(path), file),
    oldest: engines.node.replace(">=", "")
  }))
})

const folder = makeFolder()

const run = (program: string, ...args: ReadonlyArray<string>) =>
  new Promise<{ readonly code: unknown; readonly out: string; readonly err: string }>((done) => {
    execFile(program, args, (error, out, err) => done({ code: error?.code ?? 0, out, err }))
  })

/** Has a Node say that it is of another version. */
const posing = (version: string) => {
  const versions = `{ ...process.versions, node: "${version}" }`
  return `data:text/javascript,Object.defineProperties(process, { version: { value: "v${version}" }, versions: { value: ${versions} } })`
}

/** The older Nodes of this machine, by version. */
const older = new Map(
  process.env["PATH"]?.split(delimiter).flatMap((path) => {
    try {
      const program = join(path, "node")
      const version = execFileSync(program, ["--version"], { encoding: "utf8" }).trim()
      return Number.parseInt(version.slice(1)) < 22 ? [[version, program] as const] : []
    } catch {
      return []
    }
  })
)
if (older.size === 0) console.warn("There is no Node before 22 here: only one that says it is")

it("there are four commands", () => {
  expect(bins.map(({ name }) => name).toSorted()).toEqual([
    "pawl",
    "pawl-conform",
    "pawl-receiver",
    "pawl-sandbox"
  ])
})

describe.for(bins)("$name", ({ file, name, oldest }) => {
  const [major, minor] = oldest.split(".").map(Number)
  const needs = (version: string) => ({
    code: 1,
    out: "",
    err: `${name} needs Node ${oldest} or newer; this is ${version}\n`
  })

  it.for([`${Number(major) - 2}.99.0`, `${major}.9.0`, `${major}.${Number(minor) - 1}.9`])(
    "says in one sentence that Node %s is too old",
    async (version) => {
      const said = await run(process.execPath, "--import", posing(version), file, "--version")
      expect(said).toEqual(needs(`v${version}`))
    }
  )

  it(`runs in Node ${oldest}.0`, async () => {
    const said = await run(process.execPath, "--import", posing(`${oldest}.0`), file, "--version")
    expect(said).toMatchObject({ code: 0, err: "" })
  })

  it.for([...older])("says so in Node %s itself", async ([version, program]) => {
    const script = join(folder, `${name}.mjs`)
    writeFileSync(script, stripTypeScriptTypes(readFileSync(file, "utf8")))
    expect(await run(program, script)).toEqual(needs(version))
  })
})

it.for(["@effect/platform-node", "effect"])(
  "pawl-receiver says that it needs %s, and how to install it",
  async (missing) => {
    const receiver = join(root, "packages/receiver")
    const copy = mkdtempSync(join(folder, "receiver-"))
    cpSync(join(receiver, "src"), join(copy, "src"), { recursive: true })
    cpSync(join(receiver, "package.json"), join(copy, "package.json"))
    const names = ["effect", "@pawl/core", "@pawl/http", "@pawl/webhook", "@effect/platform-node"]
    for (const name of names) {
      const link = join(copy, "node_modules", name)
      mkdirSync(dirname(link), { recursive: true })
      if (name !== missing) symlinkSync(join(receiver, "node_modules", name), link)
    }
    const bin = join(copy, "src/bin/pawl-receiver.ts")
    expect(await run(process.execPath, bin, "--version")).toEqual({
      code: 1,
      out: "",
      err: `pawl-receiver needs ${missing}: npm install ${missing}\n`
    })
  }
)
