/**
 * What each part weighs in somebody's bundle, beside what others weigh: by esbuild, minified and gzipped.
 * Node's own modules are left out, and undici, which a client elsewhere does without.
 */
import { build } from "esbuild"
import { gzipSync } from "node:zlib"
import { parts } from "../../scripts/size.ts"
import type { Bench } from "./harness.ts"

/** What of Effect nobody goes without who runs layers and decodes with a schema. */
export const effectAlone = `
  import * as Schema from "effect/Schema"
  export * as Layer from "effect/Layer"
  export { make } from "effect/ManagedRuntime"
  export const decode = Schema.decodeUnknownResult(Schema.Struct({ name: Schema.String }))
`

const entries: ReadonlyMap<string, string> = new Map([
  ...parts.map(({ imports, name }) => [name, imports] as const),
  ["effect: layers, a schema", effectAlone],
  ["stripe", `export { default } from "stripe"`],
  ["standardwebhooks", `export { Webhook } from "standardwebhooks"`],
  ["svix", `export { Webhook } from "svix"`]
])

/** Bundles what a text imports, and returns its bytes minified and gzipped. */
const weigh = async (contents: string): Promise<number> => {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: import.meta.dirname },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "node",
    external: ["undici"],
    write: false
  })
  return gzipSync(outputFiles[0]?.contents ?? "", { level: 9 }).length
}

export const size: Bench = {
  what: "what is bundled, minified and gzipped",
  goals: parts.map(({ goal, name }) => ({ variant: name, atMost: goal })),
  run: async () => {
    const of = new Map<string, ReadonlyArray<number>>()
    for (const [name, contents] of entries) of.set(name, [await weigh(contents)])
    return { unit: "bytes", of }
  }
}
