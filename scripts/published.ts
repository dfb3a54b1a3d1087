/**
 * Checks the packages as npm would get them: packs each built one for `publint` and
 * `arethetypeswrong`. Its types may import of the other packages only their exports.
 */
import { checkPackage, createPackageFromTarballData, type Package } from "@arethetypeswrong/core"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { publint } from "publint"
import { formatMessage } from "publint/utils"
import { pack } from "./pack.ts"
import { find, packages, read, report, root } from "./repository.ts"

/** ES modules are not imported in these ways. */
const ignored: ReadonlyArray<string> = ["node10", "node16-cjs"]

const published = new Map(
  find("packages/*/package.json").map((path) => {
    const { name, publishConfig } = JSON.parse(read(path)) as {
      readonly name: string
      readonly publishConfig: { readonly exports: Readonly<Record<string, unknown>> }
    }
    return [name, publishConfig.exports]
  })
)

const privateImports = (unpacked: Package): ReadonlyArray<string> =>
  unpacked
    .listFiles()
    .filter((path) => path.endsWith(".d.ts") && !path.includes("/dist/bin/"))
    .flatMap((path) =>
      Array.from(
        unpacked
          .readFile(path)
          .matchAll(/(?:\bfrom |\bimport\()"(@pawl\/\w+|pawl)\/(internal\/[^"]+)"/gu),
        ([, name = "", path = ""]) => ({ name, module: `./${path}` })
      )
        .filter(({ module, name }) => published.get(name)?.[module] === undefined)
        .map(({ module, name }) => `${path} imports ${module} of ${name}, which does not export it`)
    )

const objectionsTo = async (tarball: Uint8Array<ArrayBuffer>): Promise<ReadonlyArray<string>> => {
  const unpacked = createPackageFromTarballData(tarball)
  const { messages, pkg } = await publint({ pack: { tarball: tarball.buffer }, strict: true })
  const analysis = await checkPackage(unpacked)
  const problems: ReadonlyArray<{ readonly kind: string; readonly resolutionKind?: string }> =
    analysis.types === false ? [{ kind: "NoTypes" }] : analysis.problems
  return [
    ...messages.map((message) => `${pkg.name}: ${formatMessage(message, pkg, { color: false })}`),
    ...problems
      .filter(({ resolutionKind = "" }) => !ignored.includes(resolutionKind))
      .map((problem) => `${pkg.name}: ${JSON.stringify(problem)}`),
    ...privateImports(unpacked)
  ]
}

export const objections = async (folder: string): Promise<ReadonlyArray<string>> => {
  const destination = mkdtempSync(join(tmpdir(), "pawl-published-"))
  try {
    const { tarball } = await pack(folder, destination)
    return await objectionsTo(new Uint8Array(readFileSync(tarball)))
  } finally {
    rmSync(destination, { recursive: true })
  }
}

if (import.meta.main) {
  const folders = packages.map((name) => join(root, "packages", name))
  report((await Promise.all(folders.map(objections))).flat())
}
