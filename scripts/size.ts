/**
 * What each part weighs in somebody's bundle: by esbuild, minified and gzipped. Node's own modules are left
 * out, and undici, which a client elsewhere does without.
 *
 * `limit` is a ratchet: what was reached, rounded up. It is only ever lowered, until it is `goal`. The
 * state model is held to its other promise as well: it imports nothing.
 *
 * Run by itself it prints a line a part, and exits 1 if one is too heavy.
 */
import { build } from "esbuild"
import { join } from "node:path"
import { gzipSync } from "node:zlib"

/** A part of pawl as somebody bundles it. */
export interface Part {
  readonly name: string
  /** What a user of it imports. */
  readonly imports: string
  /** Both in bytes. */
  readonly limit: number
  readonly goal: number
  /** The only modules that may be in it, where that is promised. */
  readonly alone?: ReadonlyArray<string>
}

const root = join(import.meta.dirname, "..")

/** The parts that are promised a size. */
export const parts: ReadonlyArray<Part> = [
  {
    name: "Status + Evidence",
    imports: `export * from "@pawl/core/Status"
      export * from "@pawl/core/Evidence"`,
    limit: 1000,
    goal: 1000,
    alone: ["packages/core/src/Status.ts", "packages/core/src/Evidence.ts"]
  },
  {
    name: "verifier",
    imports: `import { verifyWith } from "@pawl/webhook/Verification"
      import { createHmac } from "node:crypto"
      export const make = (secret) =>
        verifyWith({ current: (text) => createHmac("sha256", secret).update(text).digest() })`,
    limit: 3500,
    goal: 2500
  },
  {
    name: "verifier's layer",
    imports: `export { layer, Verifier } from "@pawl/webhook/Verifier"
      export { layer as hmac } from "@pawl/core/NodeHmac"`,
    limit: 17_500,
    goal: 17_500
  },
  {
    name: "receiver",
    imports: `export { toListener } from "@pawl/webhook/NodeReceiver"
      export { layer } from "@pawl/webhook/Receiver"
      export { layer as verifier } from "@pawl/webhook/Verifier"
      export { layerMemory } from "@pawl/webhook/Ledger"
      export { layer as hmac } from "@pawl/core/NodeHmac"
      export { layer as handler } from "@pawl/core/Handler"`,
    limit: 42_000,
    goal: 30_000
  },
  {
    name: "client",
    imports: `export { layer } from "@pawl/http/Pawl"`,
    limit: 65_000,
    goal: 45_000
  }
]

/** Bundles what a text imports, and says what it weighs and which modules are in it. */
export const weigh = async (
  contents: string
): Promise<{ readonly bytes: number; readonly modules: ReadonlyArray<string> }> => {
  const { metafile, outputFiles } = await build({
    // From the examples' room all packages can be imported.
    stdin: { contents, resolveDir: join(root, "examples"), sourcefile: "<entry>" },
    absWorkingDir: root,
    bundle: true,
    minify: true,
    format: "esm",
    platform: "node",
    external: ["undici"],
    metafile: true,
    write: false
  })
  return {
    bytes: gzipSync(outputFiles[0]?.contents ?? "", { level: 9 }).length,
    modules: Object.keys(metafile.inputs).filter((path) => !path.endsWith("<entry>"))
  }
}

/** Says what is wrong with a part of that weight. */
export const objections = (
  { alone, limit, name }: Pick<Part, "alone" | "limit" | "name">,
  { bytes, modules }: Awaited<ReturnType<typeof weigh>>
): ReadonlyArray<string> => [
  ...(bytes > limit ? [`${name} is ${bytes - limit} bytes over its ${limit}`] : []),
  ...(alone === undefined ? [] : modules.filter((path) => !alone.includes(path))).map(
    (path) => `${name} is to import nothing, and has ${path} in it`
  )
]

if (import.meta.main) {
  const wrong: Array<string> = []
  for (const part of parts) {
    const weight = await weigh(part.imports)
    wrong.push(...objections(part, weight))
    const { goal, limit, name } = part
    console.log(
      `${name.padEnd(18)}${String(weight.bytes).padStart(7)} bytes, of at most ${limit}${goal < limit ? `; the goal is ${goal}` : ""}`
    )
  }
  for (const each of wrong) console.log(each)
  process.exitCode = wrong.length === 0 ? 0 : 1
}
