/**
 * What is published: four packages of ES modules that run nothing when they are installed, and depend on no
 * more than docs/guides/security.md lists, with the reason for each.
 *
 * Run by itself it prints one line a finding and exits 1 if there are any.
 */
import { globSync, readFileSync } from "node:fs"
import { resolve } from "node:path"

interface Manifest {
  readonly name: string
  readonly version: string
  readonly type?: string
  readonly sideEffects?: boolean
  readonly scripts?: Readonly<Record<string, string>>
  readonly engines?: Readonly<Record<string, string>>
  readonly exports?: Readonly<Record<string, unknown>>
  readonly publishConfig?: {
    readonly access?: string
    readonly exports?: Readonly<Record<string, unknown>>
  }
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

/** Where a module of a package is, in the workspace and as npm has it. */
const layouts = [
  { of: "exports", modules: "./src/*.ts" },
  { of: "publishConfig", modules: { types: "./dist/*.d.ts", default: "./dist/*.js" } }
] as const

/** Says what is wrong with a package by itself. */
export const objections = (manifest: Manifest): ReadonlyArray<string> => {
  const { engines, name, peerDependencies, publishConfig, scripts, sideEffects, type } = manifest
  const laidOut = layouts.every(({ modules, of }) => {
    const exports = of === "exports" ? manifest.exports : publishConfig?.exports
    return (
      JSON.stringify(exports?.["./*"]) === JSON.stringify(modules) &&
      exports?.["./internal/*"] === null &&
      exports["./bin/*"] === null
    )
  })
  return Object.entries({
    'is to have "type": "module"': type === "module",
    'is to have "sideEffects": false': sideEffects === false,
    "runs scripts, when it is installed perhaps": scripts === undefined,
    "is to say which Node it needs": engines?.node !== undefined,
    "is to be public": publishConfig?.access === "public",
    "is to have effect as a peer": peerDependencies?.effect !== undefined,
    "is to export its modules, and none of internal and bin": laidOut
  }).flatMap(([objection, holds]) => (holds ? [] : [`${name} ${objection}`]))
}

/** What a package asks for besides our own, as `package dependency`. */
const asked = ({ dependencies, name, peerDependencies }: Manifest): ReadonlyArray<string> =>
  Object.keys({ ...dependencies, ...peerDependencies })
    .filter((each) => !each.startsWith("@pawl/"))
    .map((each) => `${name} ${each}`)

/** Holds what the packages ask for against the table of a page: `| package | dependency | … | why |`. */
export const unexplained = (
  manifests: ReadonlyArray<Manifest>,
  page: string
): ReadonlyArray<string> => {
  const rows = page.matchAll(/^\| `(@pawl\/\w+)` +\| `([^`]+)` +\|.*\| +\S[^|]*\|$/gmu)
  const explained = Array.from(rows, ([, name, dependency]) => `${name} ${dependency}`)
  const all = manifests.flatMap(asked)
  return [
    ...all
      .filter((each) => !explained.includes(each))
      .map((each) => `${each}: no reason is given for it`),
    ...explained.filter((each) => !all.includes(each)).map((each) => `${each}: is not asked for`)
  ]
}

if (import.meta.main) {
  const root = resolve(import.meta.dirname, "..")
  const read = (path: string): string => readFileSync(resolve(root, path), "utf8")
  const manifests = globSync("packages/*/package.json", { cwd: root })
    .toSorted()
    .map((path) => JSON.parse(read(path)) as Manifest)
  const versions = new Set(manifests.map(({ version }) => version))
  const found = [
    ...manifests.flatMap(objections),
    ...unexplained(manifests, read("docs/guides/security.md")),
    ...(versions.size === 1 ? [] : [`the packages have ${versions.size} versions`])
  ]
  for (const finding of found) console.log(finding)
  process.exitCode = found.length === 0 ? 0 : 1
}
