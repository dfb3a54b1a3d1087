import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { run } from "@pawl/test-support/Program"
import * as Sandbox from "@pawl/testkit/Sandbox"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { globSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { expect, it } from "vitest"

const root = new URL("../../", import.meta.url)
const program = new URL("examples/src/pay.ts", root)

it("has the tested program, of at most 15 lines", async () => {
  const readme = await readFile(new URL("README.md", root), "utf8")
  const source = await readFile(program, "utf8")
  expect(readme).toContain(`\`\`\`ts\n${source}\`\`\``)
  expect(source.trimEnd().split("\n").length).toBeLessThanOrEqual(15)
})

it("takes a payment with that program", async () => {
  const { stdout } = await Effect.runPromise(
    Effect.gen(function* () {
      const { baseUrl } = yield* Sandbox.Sandbox
      return yield* run(process.execPath, [program.pathname], {
        PAWL_BASE_URL: baseUrl,
        PAWL_MERCHANT_KEY: "sandbox-key",
        PAWL_MERCHANT_SECRET: "sandbox-secret"
      })
    }).pipe(Effect.provide(Layer.provide(Sandbox.layer({ seed: 1 }), NodeHttpClient.layerUndici)))
  )
  expect(stdout).toMatch(/100001 is NEW/)
})

it("lists every example in the table of the README", async () => {
  const table = await readFile(new URL("examples/README.md", root), "utf8")
  const cwd = new URL("examples", root).pathname
  const files = globSync("{src,python}/*.{ts,py}", { cwd })
  expect(files.length).toBeGreaterThan(10)
  for (const file of files) expect(table).toContain(`](${file})`)
})
