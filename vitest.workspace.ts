/**
 * Every test of the workspace in one run, one project per package.
 */
import { defineConfig } from "vitest/config"

/** Where `.ci/run` reads the counts from. */
const report = "node_modules/.cache/vitest/report.json"

const project = (name: string, root: string, testTimeout: number) => ({
  test: {
    name,
    root,
    testTimeout,
    hookTimeout: testTimeout,
    include: ["test/**/*.test.ts"],
    setupFiles: [`${import.meta.dirname}/scripts/vitest/setup.ts`]
  }
})

export default defineConfig({
  test: {
    // Many a file waits for processes, or for a browser: a core kept free for them would be idle.
    maxWorkers: "100%",
    globalSetup: "scripts/vitest/seed.ts",
    reporters:
      process.env.CI === undefined ? ["default"] : ["default", ["json", { outputFile: report }]],
    projects: [
      project("@pawl/core", "packages/core", 60_000),
      project("@pawl/http", "packages/http", 60_000),
      project("@pawl/webhook", "packages/webhook", 60_000),
      project("@pawl/testkit", "packages/testkit", 60_000),
      // These start whole processes.
      project("@pawl/examples", "examples", 120_000),
      project("@pawl/proof", "proof", 120_000),
      project("scripts", "scripts", 60_000)
    ]
  }
})
