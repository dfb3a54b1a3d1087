/**
 * A package with stable imports only accepts every Effect 4, any other one minor of Effect;
 * docs/effect.md lists the unstable parts.
 */
import { existsSync, globSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { find, packages, read, root } from "../repository.ts"

const effect = "packages/core/node_modules/effect/src"

/** The stability of a module, which is the first tag of its file, and of each export. */
const marksOf = (module: string) => {
  const text = read(`${effect}/${module}.ts`)
  const exports = new Map<string, string>()
  const tag = "@stability (\\w+)"
  const comment = `/\\*\\*((?:(?!\\*/)[\\s\\S])*)\\*/\\s*`
  const declaration =
    "export (?:declare )?(?:abstract )?\\w+ (\\w+)|(?:export \\{\\s*)?\\w+ as (\\w+)"
  for (const [, doc = "", one, other] of text.matchAll(
    new RegExp(`${comment}(?:${declaration})`, "gu")
  )) {
    const [, mark] = new RegExp(tag, "u").exec(doc) ?? []
    const name = one ?? other
    if (mark !== undefined && name !== undefined) exports.set(name, mark)
  }
  const [, module_ = ""] = new RegExp(tag, "u").exec(text) ?? []
  return { module: module_, exports }
}

/** A folder without a stable module is named as a whole. */
const partOf = (module: string): string => {
  const [folder = "", file] = module.split("/")
  if (file === undefined) return folder
  const siblings = globSync(`${folder}/*.ts`, { cwd: join(root, effect) })
  const isUnstable = siblings.every(
    (path) => marksOf(path.replace(/\.ts$/u, "")).module !== "stable"
  )
  return isUnstable ? folder : module
}

const importing = /import (?:type )?(?:\* as (\w+)|\{([^}]*)\}) from "effect\/([\w/-]+)"/gu

const unstablePartsOf = (name: string): ReadonlySet<string> => {
  const parts = new Set<string>()
  for (const path of find(`packages/${name}/src/**/*.ts`)) {
    const code = read(path).replaceAll(/\/\*[\s\S]*?\*\//gu, "")
    for (const [, namespace, names = "", module = ""] of code.matchAll(importing)) {
      const marks = marksOf(module)
      if (marks.module !== "stable") parts.add(partOf(module))
      const used =
        namespace === undefined
          ? Array.from(names.matchAll(/\w+/gu), ([each]) => each)
          : Array.from(
              code.matchAll(new RegExp(`\\b${namespace}\\.(\\w+)`, "gu")),
              ([, each]) => each
            )
      for (const each of used) {
        const mark = marks.exports.get(each ?? "")
        expect(mark, `${path} uses ${module}.${each}`).not.toBe("experimental")
        if (marks.module === "stable" && mark === "unstable") parts.add(`${module}.${each}`)
      }
    }
  }
  return parts
}

it("finds the marks of Effect", () => {
  expect(existsSync(join(root, effect))).toBe(true)
  expect(marksOf("Effect").exports.get("succeed")).toBe("stable")
  expect(marksOf("http/HttpClient").module).toBe("unstable")
})

it.for(packages.filter((name) => name !== "pawl"))(
  "@pawl/%s accepts the versions of Effect that its imports allow",
  (name) => {
    const parts = unstablePartsOf(name)
    const manifest = JSON.parse(read(`packages/${name}/package.json`)) as {
      readonly peerDependencies: Readonly<Record<string, string>>
    }
    expect(manifest.peerDependencies.effect).toBe(parts.size === 0 ? "^4.1.0" : "~4.1.0")

    const row =
      new RegExp(`^\\| \`@pawl/${name}\` .*$`, "mu").exec(read("docs/effect.md"))?.[0] ?? ""
    const [, , peer = "", listed = ""] = row.split("|")
    expect(peer).toContain(`\`${manifest.peerDependencies.effect}\``)
    const [ofEffect = ""] = listed.split(";")
    expect(Array.from(ofEffect.matchAll(/`([^`]+)`/gu), ([, part]) => part)).toEqual(
      [...parts].toSorted((one, other) => (one < other ? -1 : 1))
    )
  }
)
