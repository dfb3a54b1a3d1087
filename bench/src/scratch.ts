import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

let root: string | undefined

/** Makes a new folder, which is removed when the process ends, after Ctrl-C too. */
export const scratch = (): string => {
  if (root === undefined) {
    const made = mkdtempSync(join(tmpdir(), "pawl-bench-"))
    process.once("exit", () => rmSync(made, { recursive: true, force: true }))
    root = made
  }
  return mkdtempSync(join(root, "run-"))
}
