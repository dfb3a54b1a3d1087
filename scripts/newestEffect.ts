/**
 * Tries the workspace against the newest Effect of the registry: `pnpm newest-effect`.
 *
 * In a temporary copy it sets Effect's packages to `latest`, checks all types, runs the tests of
 * `@pawl/core` and the demo.
 */
import { execFileSync } from "node:child_process"
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { files, root } from "./repository.ts"

const folder = mkdtempSync(join(tmpdir(), "pawl-newest-effect-"))

const withNewest = (workspace: string): string =>
  workspace.replaceAll(/^( +(?:effect|"@effect\/[\w-]+"): ).+$/gmu, "$1latest")

const run = (program: string, ...args: ReadonlyArray<string>): void => {
  console.log(`== ${program} ${args.join(" ")}`)
  execFileSync(program, args, {
    cwd: folder,
    stdio: "inherit",
    env: {
      ...process.env,
      PATH: `${join(folder, "node_modules/.bin")}:${process.env.PATH ?? ""}`
    }
  })
}

const versionOf = (name: string): string => {
  const manifest = readFileSync(join(folder, "packages/core/node_modules", name, "package.json"))
  return (JSON.parse(manifest.toString()) as { readonly version: string }).version
}

if (import.meta.main) {
  try {
    for (const file of files()) cpSync(join(root, file), join(folder, file))
    const catalog = join(folder, "pnpm-workspace.yaml")
    writeFileSync(catalog, withNewest(readFileSync(catalog, "utf8")))
    run("npx", "-y", "pnpm@12.18.0", "install", "--no-frozen-lockfile", "--loglevel", "error")
    console.log(`effect ${versionOf("effect")}`)
    run("tsc", "-b", "--pretty", "false")
    run("vitest", "run", "--config", "vitest.workspace.ts", "packages/core/test")
    run("node", "examples/src/demo.ts")
    console.log("newest-effect passed")
  } catch (error) {
    console.log(error instanceof Error ? error.message : String(error))
    console.log("newest-effect FAILED")
    process.exitCode = 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
