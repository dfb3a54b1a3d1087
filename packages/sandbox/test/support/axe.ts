/**
 * The accessibility problems of a page, as axe finds them.
 */
import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import type { Page } from "playwright-core"
import { assert } from "vitest"

const source = readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

interface Report {
  readonly violations: ReadonlyArray<{
    readonly id: string
    readonly impact: string
    readonly nodes: ReadonlyArray<{ readonly html: string }>
  }>
}

/** Fails if axe finds anything on the page, of any impact. */
export const isAccessible = async (page: Page): Promise<void> => {
  await page.evaluate(await source)
  const { violations } = await page.evaluate<Report>("axe.run()")
  assert.deepStrictEqual(
    violations.map(({ id, impact, nodes }) => `${impact} ${id}: ${nodes[0]?.html}`),
    []
  )
}
