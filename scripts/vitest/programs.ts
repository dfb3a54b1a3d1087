/**
 * Bundles the programs that many tests start, once a run. A bundle starts in a third of the CPU
 * time that hundreds of modules take. `Program.start` finds it below `PAWL_BUNDLES`, at the path of
 * the source.
 */
import { type Plugin, build } from "esbuild"
import { globSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import type { TestProject } from "vitest/node"

const root = resolve(import.meta.dirname, "../..")
const programs = [
  "packages/*/src/bin/pawl*.ts",
  "packages/{receiver,testkit,webhook}/test/*Child.ts",
  "examples/src/{pay,payoutRun,receive}.ts",
  "proof/src/main.ts",
  "proof/src/rel/{committing,recorded}Receiver.ts",
  "proof/src/rel/create/merchant.ts"
]

/** Gives each source its own URL, relative to which it reads other files, and leaves undici out. */
const asInSource: Plugin = {
  name: "as-in-source",
  setup: ({ onLoad, onResolve }) => {
    // Its names are not known before it runs, so a bundle cannot export them.
    onResolve({ filter: /^undici($|\/)/ }, ({ importer, path }) => ({
      path: createRequire(importer).resolve(path),
      external: true
    }))
    onLoad({ filter: /\.ts$/ }, async ({ path }) => ({
      loader: "ts",
      contents: (await readFile(path, "utf8")).replaceAll(
        "import.meta.url",
        JSON.stringify(pathToFileURL(path))
      )
    }))
  }
}

export const setup = async ({ config: { watch } }: TestProject): Promise<void> => {
  const folder = process.env["PAWL_BUNDLES"]
  // In watch mode a bundle would become outdated.
  if (folder === undefined || watch) return
  await build({
    absWorkingDir: root,
    entryPoints: globSync(programs, { cwd: root }),
    outbase: root,
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    banner: {
      js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);'
    },
    plugins: [asInSource],
    logLevel: "warning"
  })
}
