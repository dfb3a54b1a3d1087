import { join } from "node:path"
import { API } from "typescript/unstable/sync"
import { apply, type Mutant } from "./Mutant.ts"
import { packageOf, root } from "./Sources.ts"

let [changed, text] = [root, ""]
const api = new API({ fs: { readFile: (path) => (path === changed ? text : undefined) } })

/** Finds no errors in the modules that import the source; a name without a use is no error. */
export const isRefused = (mutant: Mutant, source: string): boolean => {
  const config = join(root, "packages", packageOf(mutant.file), "tsconfig.json")
  const before = changed
  changed = join(root, mutant.file)
  text = apply(source, mutant)
  const fileChanges = { changed: [before, changed] }
  const snapshot = api.updateSnapshot({ openProjects: [config], fileChanges })
  const errors = snapshot.getProject(config)?.program.getSemanticDiagnostics(changed) ?? []
  snapshot.dispose()
  return errors.some(({ reportsUnnecessary }) => reportsUnnecessary !== true)
}
