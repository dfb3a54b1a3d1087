import assert from "node:assert"
import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import type { Page } from "playwright-core"

const source = readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

interface Report {
  readonly violations: ReadonlyArray<{
    readonly id: string
    readonly impact: string
    readonly nodes: ReadonlyArray<{ readonly html: string }>
  }>
}

export const violationsOf = async (page: Page): Promise<ReadonlyArray<string>> => {
  await page.evaluate(await source)
  const { violations } = await page.evaluate<Report>("axe.run()")
  return violations.map(({ id, impact, nodes }) => `${impact} ${id}: ${nodes[0]?.html}`)
}

export const isAccessible = async (page: Page): Promise<void> =>
  assert.deepStrictEqual(await violationsOf(page), [])
