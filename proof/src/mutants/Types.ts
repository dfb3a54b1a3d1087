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
    const roots = new Set<string>()
    const copy = (copyRoot: string, file: string, text: string): void => {
      roots.add(copyRoot)
      const path = join(folder, copyRoot, relative(`packages/${name}/src`, file))
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, text)
    }
    for (const mutant of some) {
      const source = read(mutant.file)
      copy(unchanged(mutant), mutant.file, source)
      copy(`${mutant.id}`, mutant.file, apply(source, mutant))
    }
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(configOf(root, roots)))
    const command = ["-p", folder, "--pretty", "false"]
    const tsc = spawnSync(join(root, "node_modules/.bin/tsc"), command, {
      cwd: folder,
      encoding: "utf8"
    })
    const errors = new Set([...tsc.stdout.matchAll(/^([\w.-]+)\//gmu)].map(([, at]) => at))
    found.push(
      ...some.filter((mutant) => errors.has(`${mutant.id}`) && !errors.has(unchanged(mutant)))
    )
    rmSync(folder, { recursive: true })
  }
  return found
}

const unchanged = ({ file }: Mutant): string => file.replaceAll("/", "-")

const configOf = (root: string, copies: ReadonlySet<string>) => ({
  extends: "../../tsconfig.json",
  compilerOptions: {
    rootDir: root,
    rootDirs: ["../../src", ...copies],
    noEmit: true,
    composite: false,
    incremental: false,
    allowImportingTsExtensions: true,
    noUnusedLocals: false,
    noUnusedParameters: false
  },
  include: ["."],
  exclude: []
})
