/**
 * Measures the bundle size of each part of pawl and of its peers: bundled by esbuild, minified and
 * gzipped, without the modules of Node and without undici, which only the Node transport needs.
 */
import { parts, weigh, weightOf } from "../../scripts/size.ts"
import type { Bench } from "./harness.ts"

export const effectAlone = `
  import * as Schema from "effect/Schema"
  export * as Layer from "effect/Layer"
  export { make } from "effect/ManagedRuntime"
  export const decode = Schema.decodeUnknownResult(Schema.Struct({ name: Schema.String }))
`

const peers: ReadonlyMap<string, string> = new Map([
  ["effect: Layer and Schema", effectAlone],
  ["stripe", `export { default } from "stripe"`],
  ["standardwebhooks", `export { Webhook } from "standardwebhooks"`],
  ["svix", `export { Webhook } from "svix"`]
])

export const size: Bench = {
  what: "bundle size, minified and gzipped",
  goals: parts.map(({ goal, name }) => ({ variant: name, atMost: goal })),
  run: async () => {
    const of = new Map<string, ReadonlyArray<number>>()
    for (const part of parts) of.set(part.name, [(await weightOf(part)).bytes])
    for (const [name, contents] of peers)
      of.set(name, [(await weigh(contents, import.meta.dirname)).bytes])
    return { unit: "bytes", of }
  }
}
