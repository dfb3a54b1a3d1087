import { makeFolder } from "../../test-support/src/Folder.ts"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { objections } from "../published.ts"

const folder = makeFolder()

const packageWith = (name: string, types: string, fields: object) => {
  const path = join(folder, name)
  mkdirSync(path)
  const manifest = {
    name,
    version: "1.0.0",
    license: "MIT",
    type: "module",
    engines: { node: ">=22" },
    exports: { ".": { types: "./index.d.ts", default: "./index.js" } },
    ...fields
  }
  writeFileSync(join(path, "package.json"), JSON.stringify(manifest))
  writeFileSync(join(path, "index.js"), "export const one = 1\n")
  writeFileSync(join(path, "index.d.ts"), types)
  return path
}

const types = "export declare const one: number\n"

it("has no objection to a sound package", async () => {
  expect(await objections(packageWith("sound", types, {}))).toEqual([])
})

it("says that a module is not in the tarball", async () => {
  const found = await objections(packageWith("missing", types, { files: ["index.d.ts"] }))
  expect(found.join()).toContain("missing: ")
})

it("says that the types import a module that is not there", async () => {
  const broken = 'export { one } from "./missing.js"\n'
  const found = await objections(packageWith("wrong", broken, {}))
  expect(found.join()).toContain("InternalResolutionError")
})

it("says that the types import a private module of another package", async () => {
  const inferred = 'export declare const one: import("@pawl/testkit/internal/SeededRandom").Any\n'
  const found = await objections(packageWith("private", inferred, {}))
  expect(found.join()).toContain("imports ./internal/SeededRandom of @pawl/testkit")
})
