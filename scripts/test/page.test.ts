import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"

const packages = join(import.meta.dirname, "../../packages")

it.each(["base.css", "panels.css", "dom.js", "format.js", "icon.svg"])(
  "the page of the receiver has the %s of the sandbox's console",
  (name) => {
    const [page, sandbox] = ["webhook/src/internal/page", "testkit/src/internal/console"].map(
      (folder) => readFileSync(join(packages, folder, name), "utf8")
    )
    expect(page).toBe(sandbox)
  }
)
