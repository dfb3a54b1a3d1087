/**
 * The package check: each published package consists of ES modules, runs no script at its
 * installation, and depends only on packages that docs/guides/security.md lists with a reason.
 */
import { find, read, report } from "./repository.ts"

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

/**
 * The paths of a module in the workspace, and in the published package, where internal modules are
 * private.
 */
const layouts = [
  { of: "exports", modules: "./src/*.ts", internal: "./src/internal/*.ts" },
  {
    of: "publishConfig",
    modules: { types: "./dist/*.d.ts", default: "./dist/*.js" },
    internal: null
  }
] as const

export const objections = (manifest: Manifest): ReadonlyArray<string> => {
  const {
    dependencies,
    engines,
    name,
    peerDependencies,
    publishConfig,
    scripts,
    sideEffects,
    type
  } = manifest
  const laidOut = layouts.every(({ internal, modules, of }) => {
    const exports = of === "exports" ? manifest.exports : publishConfig?.exports
    return (
      JSON.stringify(exports?.["./*"]) === JSON.stringify(modules) &&
      exports?.["./internal/*"] === internal &&
      exports["./bin/*"] === null
    )
  })
  return Object.entries({
    'lacks "type": "module"': type === "module",
    'lacks "sideEffects": false': sideEffects === false,
    "has scripts, which may run when it is installed": scripts === undefined,
    "does not say which Node it needs": engines?.node !== undefined,
    "is not public": publishConfig?.access === "public",
    // A program without Effect installs pawl alone.
    "does not have effect as a peer":
      (name === "pawl" ? dependencies : peerDependencies)?.effect !== undefined,
    "exports more than its public modules, or fewer: internal and bin stay private": laidOut
  }).flatMap(([objection, holds]) => (holds ? [] : [`${name} ${objection}`]))
}

const dependenciesOf = ({
  dependencies,
  name,
  peerDependencies
}: Manifest): ReadonlyArray<string> =>
  Object.keys({ ...dependencies, ...peerDependencies })
    .filter((each) => !each.startsWith("@pawl/"))
    .map((each) => `${name} ${each}`)

/** The table is `| package | dependency | … | why |`. */
export const unexplained = (manifests: ReadonlyArray<Manifest>, page: string) => {
  const rows = page.matchAll(/^\| `((?:@pawl\/)?\w+)` +\| `([^`]+)` +\|.*\| +\S[^|]*\|$/gmu)
  const explained = Array.from(rows, ([, name, dependency]) => `${name} ${dependency}`)
  const all = manifests.flatMap(dependenciesOf)
  return [
    ...all
      .filter((each) => !explained.includes(each))
      .map((each) => `${each}: docs/guides/security.md gives no reason for it`),
    ...explained
      .filter((each) => !all.includes(each))
      .map((each) => `${each}: no package depends on it`)
  ]
}

if (import.meta.main) {
  const manifests = find("packages/*/package.json").map(
    (path) => JSON.parse(read(path)) as Manifest
  )
  const versions = new Set(manifests.map(({ version }) => version))
  report([
    ...manifests.flatMap(objections),
    ...unexplained(manifests, read("docs/guides/security.md")),
    ...(versions.size === 1 ? [] : [`the packages have ${versions.size} versions`])
  ])
}
