/**
 * Holds the state model to its promise: bundled by esbuild, `Status` and `Evidence` import nothing and
 * weigh less than 1 kB, minified and gzipped.
 */
import { build } from "esbuild"
import { gzipSync } from "node:zlib"

const limit = 1000
const entry = "<entry>"
const modules = ["Status.ts", "Evidence.ts"]

/** Prints the size, and tells whether the promise holds. */
export const isSmall = async (): Promise<boolean> => {
  const { metafile, outputFiles } = await build({
    stdin: {
      contents: modules.map((module) => `export * from "./${module}"\n`).join(""),
      resolveDir: `${import.meta.dirname}/../packages/core/src`,
      sourcefile: entry
    },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "neutral",
    metafile: true,
    write: false
  })
  const bytes = gzipSync(outputFiles[0]?.contents ?? "", { level: 9 }).length
  const others = Object.keys(metafile.inputs).filter(
    (path) => ![entry, ...modules].some((name) => path.endsWith(`packages/core/src/${name}`))
  )
  const verdict = bytes < limit ? "less than" : `FAILED: ${bytes - limit} too many for`
  const imported = others.length === 0 ? "nothing" : `FAILED: ${others.join(", ")}`
  console.log(`Status + Evidence: ${bytes} bytes gzipped, ${verdict} 1 kB; imports ${imported}`)
  return bytes < limit && others.length === 0
}

if (import.meta.main) process.exitCode = (await isSmall()) ? 0 : 1
