import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"

/** Makes a folder that is deleted after the tests of the file or suite. */
export const makeFolder = (root = tmpdir()): string => {
  const folder = mkdtempSync(join(root, "pawl-"))
  afterAll(() => rmSync(folder, { recursive: true }))
  return folder
}
