/**
 * The public names: those that users may import, and those for siblings.
 *
 * `docs/names.txt` lists every public name, so a review sees each change. A name is `experimental`
 * if its comment, or that of its module, has the tag `@experimental`; else `stable`. An internal
 * module is published only if another package imports it.
 *
 * `--write` writes the list and the internal modules of each package.json.
 */
import { writeFileSync } from "node:fs"
import { relative, resolve } from "node:path"
import { type Directive, parseSync, type Statement } from "oxc-parser"
import { imports } from "./imports.ts"
import { find, nameOf, packages, read, report, root } from "./repository.ts"

export interface Name {
  readonly name: string
  readonly stability: "stable" | "experimental"
}

/** A namespace that is exported under a name counts as that name. */
const exported = (statement: Directive | Statement): ReadonlyArray<string> => {
  if (statement.type === "ExportAllDeclaration") {
    const { exported: name, source } = statement
    return [name?.type === "Identifier" ? name.name : `* of ${source.value}`]
  }
  if (statement.type !== "ExportNamedDeclaration") return []
  const { declaration, specifiers } = statement
  const listed = specifiers.flatMap(({ exported: name }) =>
    name.type === "Identifier" ? name.name : []
  )
  if (declaration === null) return listed
  if (declaration.type === "VariableDeclaration") {
    return declaration.declarations.flatMap(({ id }) => (id.type === "Identifier" ? id.name : []))
  }
  return "id" in declaration && declaration.id?.type === "Identifier" ? [declaration.id.name] : []
}

/** A schema and its type are one name. */
export const namesOf = (source: string): ReadonlyArray<Name> => {
  const { comments, program } = parseSync("module.ts", source)
  const isExperimental = (text: string | undefined): boolean => /@experimental\b/u.test(text ?? "")
  const isWhole = isExperimental(comments[0]?.value)
  const names = new Map<string, Name["stability"]>()
  for (const statement of program.body) {
    const doc = comments.findLast(({ end }) => end <= statement.start)
    const isOwn = doc !== undefined && source.slice(doc.end, statement.start).trim() === ""
    const stability = isWhole || (isOwn && isExperimental(doc.value)) ? "experimental" : "stable"
    for (const name of exported(statement)) names.set(name, stability)
  }
  return Array.from(names, ([name, stability]) => ({ name, stability })).toSorted((one, two) =>
    one.name < two.name ? -1 : 1
  )
}

export const internalOf = (name: string, siblings: ReadonlyArray<string>) => {
  const start = `${name}/internal/`
  const all = siblings.flatMap((source) =>
    imports(source).flatMap(({ specifier }) =>
      specifier?.startsWith(start) === true ? specifier.slice(name.length + 1) : []
    )
  )
  return [...new Set(all)].toSorted()
}

interface Manifest {
  readonly publishConfig: { readonly exports: Readonly<Record<string, unknown>> }
}

export const withInternal = (
  exports: Readonly<Record<string, unknown>>,
  modules: ReadonlyArray<string>
): Readonly<Record<string, unknown>> => {
  const others = Object.entries(exports).filter(([path]) => !path.startsWith("./internal/"))
  const entries = modules.map((path) => [
    `./${path}`,
    { types: `./dist/${path}.d.ts`, default: `./dist/${path}.js` }
  ])
  return Object.fromEntries([...others, ...entries, ["./internal/*", null]])
}

if (import.meta.main) {
  const isWriting = process.argv.includes("--write")
  const sourcesOf = (folder: string) => find(`packages/${folder}/src/**/*.ts`)
  const found: Array<string> = []
  const keep = (path: string, text: string): void => {
    if (isWriting) writeFileSync(resolve(root, path), text)
    else if (read(path) !== text) found.push(`${path} is out of date: run pnpm names --write`)
  }

  const lines: Array<string> = []
  for (const folder of packages) {
    const modules = sourcesOf(folder)
      .map((path) => relative(`packages/${folder}/src`, path).replace(/\.ts$/u, ""))
      .filter((path) => path !== "index" && !/^(?:internal|bin)\//u.test(path))
    const all = modules.flatMap((path) =>
      namesOf(read(`packages/${folder}/src/${path}.ts`)).map((each) => ({ ...each, path }))
    )
    lines.push(`${nameOf(folder)}: ${all.length} names in ${modules.length} modules`)
    lines.push(
      ...all.map(
        ({ name, path, stability }) => `${stability.padEnd(13)}${nameOf(folder)}/${path} ${name}`
      ),
      ""
    )
    const manifest = JSON.parse(read(`packages/${folder}/package.json`)) as Manifest
    const siblings = packages
      .filter((each) => each !== folder)
      .flatMap(sourcesOf)
      .map(read)
    const exports = withInternal(
      manifest.publishConfig.exports,
      internalOf(nameOf(folder), siblings)
    )
    const publishConfig = { ...manifest.publishConfig, exports }
    keep(
      `packages/${folder}/package.json`,
      `${JSON.stringify({ ...manifest, publishConfig }, undefined, 2)}\n`
    )
  }
  keep("docs/names.txt", lines.join("\n"))
  for (const line of lines) if (line.includes(": ") && isWriting) console.log(line)
  report(found)
}
