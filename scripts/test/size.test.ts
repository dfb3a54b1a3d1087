import { build, type Plugin } from "esbuild"
import { join } from "node:path"
import { expect, it } from "vitest"
import { objections, weigh } from "../size.ts"

const part = { name: "part", limit: 1000, alone: ["a.ts"] }

it("accepts a part of exactly its limit", () => {
  expect(objections(part, { bytes: 1000, modules: ["a.ts"] })).toEqual([])
})

it("reports one byte above the limit, and a module that may not be there", () => {
  expect(objections(part, { bytes: 1001, modules: ["a.ts", "b.ts"] })).toEqual([
    "part is 1 bytes over its 1000",
    "part must import nothing, but its bundle contains b.ts"
  ])
})

it("measures the imports of an application with everything they need", async () => {
  const status = await weigh('export { rank } from "@pawl/core/Status"')
  expect(status.modules).toEqual(["packages/core/src/Status.ts"])
  const evidence = await weigh('export { standing } from "@pawl/core/Evidence"')
  expect(evidence.modules).toHaveLength(2)
  expect(evidence.bytes).toBeGreaterThan(status.bytes)
})

/** Vite bundles an empty module for an optional peer dependency that is not installed. */
const asVite: Plugin = {
  name: "as Vite",
  setup: ({ onLoad, onResolve }) => {
    onResolve({ filter: /^@effect\/sql-pg\// }, ({ path }) => ({ path, namespace: "absent" }))
    onLoad({ filter: /./, namespace: "absent" }, () => ({ contents: "export default {}" }))
  }
}

it("bundles an application with Vite without the driver of PostgreSQL", async () => {
  const { errors } = await build({
    entryPoints: [join(import.meta.dirname, "../../packages/webhook/src/NodePostgres.ts")],
    bundle: true,
    platform: "node",
    format: "esm",
    write: false,
    logLevel: "silent",
    plugins: [asVite]
  })
  expect(errors).toEqual([])
})
