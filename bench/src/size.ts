/**
 * What each part weighs in somebody's bundle: by esbuild, minified, and gzipped. Node's own modules are
 * left out, and undici, which a client elsewhere does without.
 */
import { build } from "esbuild"
import { gzipSync } from "node:zlib"
import type { Bench } from "./harness.ts"

const entries: ReadonlyMap<string, string> = new Map([
  ["Status + Evidence", `export * from "@pawl/core/Status"\nexport * from "@pawl/core/Evidence"\n`],
  [
    "verifier",
    `export { layer, Verifier } from "@pawl/webhook/Verifier"\n` +
      `export { layer as hmac } from "@pawl/core/NodeHmac"\n`
  ],
  [
    "receiver",
    `export { toListener } from "@pawl/webhook/NodeReceiver"\n` +
      `export { layer } from "@pawl/webhook/Receiver"\n` +
      `export { layer as verifier } from "@pawl/webhook/Verifier"\n` +
      `export { layerMemory } from "@pawl/webhook/Ledger"\n` +
      `export { layer as hmac } from "@pawl/core/NodeHmac"\n` +
      `export { layer as handler } from "@pawl/core/Handler"\n`
  ],
  ["client", `export { layer } from "@pawl/http/Pawl"\n`],
  ["stripe", `export { default } from "stripe"\n`],
  ["standardwebhooks", `export { Webhook } from "standardwebhooks"\n`],
  ["svix", `export { Webhook } from "svix"\n`]
])

/** Bundles what a text imports, and returns its bytes minified and gzipped. */
export const weigh = async (contents: string): Promise<number> => {
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
  goals: [
    { variant: "Status + Evidence", atMost: 1000 },
    { variant: "verifier", atMost: 2500 },
    { variant: "receiver", atMost: 30_000 },
    { variant: "client", atMost: 45_000 }
  ],
  run: async () => {
    const of = new Map<string, ReadonlyArray<number>>()
    for (const [name, contents] of entries) of.set(name, [await weigh(contents)])
    return { unit: "bytes", of }
  }
}
