/**
 * Generates the types of a client from openapi.json with openapi-typescript. A test of the sandbox uses them.
 * Run `node runtimes/openapi.ts` after a change of openapi.json; that test fails when the types are older.
 *
 * It is in this workspace because the tool needs the API of TypeScript 5, and the main workspace has
 * TypeScript 7.
 */
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import openapiTS, { astToString } from "openapi-typescript"

const root = join(import.meta.dirname, "..")
const output = join(root, "packages/sandbox/test/support/openapi.d.ts")

const document = readFileSync(join(root, "packages/sandbox/openapi.json"), "utf8")
// Removes empty types.
const types = astToString(await openapiTS(document)).replaceAll(
  /^export type .+ = Record<string, never>;?\n/gmu,
  ""
)
const sha256 = createHash("sha256").update(document).digest("hex")

writeFileSync(
  output,
  `/* oxlint-disable */
/**
 * Written by openapi-typescript (runtimes/openapi.ts), from the openapi.json with this SHA-256:
 * ${sha256}
 */
${types}`
)
execFileSync(join(root, "node_modules/.bin/oxfmt"), [output])
