/** Packs the seven built packages as npm tarballs into a folder: `pnpm packages DIR`. */
import { execFile } from "node:child_process"
import { mkdirSync } from "node:fs"
import { join, resolve } from "node:path"
import { promisify } from "node:util"
import { packages, root } from "./repository.ts"

export const pack = async (source: string, destination: string) => {
  const args = ["pack", "--json", "--pack-destination", destination]
  const { stdout } = await promisify(execFile)("pnpm", args, { cwd: source })
  const { filename, files } = JSON.parse(stdout) as {
    readonly filename: string
    readonly files: ReadonlyArray<{ readonly path: string }>
  }
  return { tarball: resolve(destination, filename), files: files.map(({ path }) => path) }
}

if (import.meta.main) {
  const [folder] = process.argv.slice(2)
  if (folder === undefined) {
    console.error("pnpm packages DIR: the folder for the tarballs is missing")
    process.exit(1)
  }
  mkdirSync(folder, { recursive: true })
  for (const name of packages) {
    console.log((await pack(join(root, "packages", name), resolve(folder))).tarball)
  }
}
