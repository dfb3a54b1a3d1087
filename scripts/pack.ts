/** Packs the seven built packages as npm tarballs into a folder: `pnpm packages DIR`. */
import { execFileSync } from "node:child_process"
import { mkdirSync } from "node:fs"
import { join, resolve } from "node:path"
import { packages, root } from "./repository.ts"

const pack = (folder: string): ReadonlyArray<string> => {
  mkdirSync(folder, { recursive: true })
  return packages.map((name) => {
    const output = execFileSync("pnpm", ["pack", "--json", "--pack-destination", folder], {
      cwd: join(root, "packages", name),
      encoding: "utf8"
    })
    return resolve(folder, (JSON.parse(output) as { readonly filename: string }).filename)
  })
}

if (import.meta.main) {
  const [folder] = process.argv.slice(2)
  if (folder === undefined) {
    console.error("pnpm packages DIR: the folder for the tarballs is missing")
    process.exit(1)
  }
  for (const tarball of pack(resolve(folder))) console.log(tarball)
}
