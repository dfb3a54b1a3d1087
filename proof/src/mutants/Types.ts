/** Finds the mutants that TypeScript refuses. */
import { spawnSync } from "node:child_process"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { apply, type Mutant } from "./Mutant.ts"

/** The most copies that are compiled at once. */
const batch = 300

/**
 * Lists the mutants that do not compile. Each is a copy of its source in a root of its own, which
 * the compiler takes for a part of the sources. A copy without a change shows errors that are no
 * mutant's fault. Errors in the modules that import the source are not found.
 */
export const refused = (
  root: string,
  name: string,
  mutants: ReadonlyArray<Mutant>,
  read: (path: string) => string
): ReadonlyArray<Mutant> => {
  const folder = join(root, "packages", name, `dist/mutants-${process.pid}`)
  const found: Array<Mutant> = []
  for (let from = 0; from < mutants.length; from += batch) {
    const some = mutants.slice(from, from + batch)
    const files = [...new Set(some.map(({ file }) => file))]
    const copies = [
      ...files.map((file) => ({ file, root: `of-${files.indexOf(file)}`, text: read(file) })),
      ...some.map((mutant) => ({
        file: mutant.file,
        root: `${mutant.id}`,
        text: apply(read(mutant.file), mutant)
      }))
    ]
    for (const copy of copies) {
      const path = join(folder, copy.root, relative(`packages/${name}/src`, copy.file))
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, copy.text)
    }
    const compilerOptions = {
      rootDir: root,
      rootDirs: ["../../src", ...copies.map((copy) => copy.root)],
      noEmit: true,
      composite: false,
      incremental: false,
      allowImportingTsExtensions: true,
      noUnusedLocals: false,
      noUnusedParameters: false
    }
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({
        extends: "../../tsconfig.json",
        compilerOptions,
        include: ["."],
        exclude: []
      })
    )
    const tsc = spawnSync(
      join(root, "node_modules/.bin/tsc"),
      ["-p", folder, "--pretty", "false"],
      {
        cwd: folder,
        encoding: "utf8"
      }
    )
    const errors = new Set([...tsc.stdout.matchAll(/^([\w-]+)\//gmu)].map(([, at]) => at))
    found.push(
      ...some.filter(
        ({ file, id }) => errors.has(`${id}`) && !errors.has(`of-${files.indexOf(file)}`)
      )
    )
    rmSync(folder, { recursive: true })
  }
  return found
}
