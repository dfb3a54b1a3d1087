/**
 * Has somebody else's tool read the contract: openapi-typescript writes the types of a client from
 * openapi.json, which a test of the testkit then drives. `node runtimes/openapi.ts` after a change of
 * openapi.json; the test says so when it was forgotten.
 *
 * It is here because the tool needs the API of TypeScript 5, and the workspace has TypeScript 7.
 */
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import openapiTS, { astToString } from "openapi-typescript"

const root = join(import.meta.dirname, "..")
const written = join(root, "packages/testkit/test/support/openapi.d.ts")

const document = readFileSync(join(root, "packages/http/openapi.json"), "utf8")
// Without what the document has none of.
const types = astToString(await openapiTS(document)).replaceAll(
  /^export type .+ = Record<string, never>;?\n/gmu,
  ""
)
const sha256 = createHash("sha256").update(document).digest("hex")

writeFileSync(
  written,
  `/* oxlint-disable */
/**
 * Written by openapi-typescript (runtimes/openapi.ts), from the openapi.json with this SHA-256:
 * ${sha256}
 */
${types}`
)
execFileSync(join(root, "node_modules/.bin/oxfmt"), [written])
