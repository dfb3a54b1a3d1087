import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Sandbox from "@pawl/testkit/Sandbox"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { spawn } from "node:child_process"
import { globSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { text } from "node:stream/consumers"
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
  const run = (env: NodeJS.ProcessEnv) => {
    const child = spawn(process.execPath, [program.pathname], {
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"]
    })
    return Promise.all([text(child.stdout), text(child.stderr)])
  }
  const [out] = await Effect.runPromise(
    Effect.gen(function* () {
      const { baseUrl } = yield* Sandbox.Sandbox
      return yield* Effect.promise(() =>
        run({
          PAWL_BASE_URL: baseUrl,
          PAWL_MERCHANT_KEY: "sandbox-key",
          PAWL_MERCHANT_SECRET: "sandbox-secret"
        })
      )
    }).pipe(Effect.provide(Layer.provide(Sandbox.layer(), NodeHttpClient.layerUndici)))
  )
  expect(out).toMatch(/100001 is NEW/)
})

it("lists every example in the table of the README", async () => {
  const table = await readFile(new URL("examples/README.md", root), "utf8")
  const cwd = new URL("examples", root).pathname
  const files = globSync("{src,python}/*.{ts,py}", { cwd })
  expect(files.length).toBeGreaterThan(10)
  for (const file of files) expect(table).toContain(`](${file})`)
})
