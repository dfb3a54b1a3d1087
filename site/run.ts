/**
 * Builds the documentation as a site, `site/dist`, and checks it: `pnpm site [--pictures FOLDER]`.
 *
 * Without Chromium the accessibility is not checked; in CI that is a failure.
 */
import { join } from "node:path"
import { parseArgs } from "node:util"
import { build } from "vitepress"
import { executablePath, isThere } from "../packages/sandbox/test/support/browser.ts"
import * as Browse from "./browse.ts"
import * as Built from "./built.ts"

const { values } = parseArgs({ options: { pictures: { type: "string" } } })
const site = join(import.meta.dirname, "dist")
const seconds = (): string => `${(performance.now() / 1000).toFixed(0)} s`

await build(import.meta.dirname)
const { faults, links, pages } = Built.check(site)
console.log(`${seconds()}: ${pages} pages, ${links} links, ${faults.length} faults`)
const found = [...faults]
if (isThere) {
  const seen = await Browse.check(site, values.pictures)
  console.log(
    `${seconds()}: ${Browse.paths.length} pages and the search in Chromium, ${seen.length} faults`
  )
  found.push(...seen)
} else {
  console.log(`There is no ${executablePath}: the accessibility is not checked.`)
}
for (const fault of found) console.log(fault)
if (found.length > 0 || (!isThere && process.env["CI"] === "true")) process.exitCode = 1
