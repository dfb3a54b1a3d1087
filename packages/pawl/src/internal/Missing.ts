/**
 * The packages that a program may do without: what to say when one of them is needed and missing.
 */

/**
 * Returns the sentence that says which package to install, if a module could not be loaded because its package is missing.
 * A package of tests and development is a development dependency.
 */
export const sentence = (error: unknown, needing: string): string | undefined => {
  const { code, message = "" } = error as { readonly code?: unknown; readonly message?: string }
  const [, name] = /^Cannot find package '(@[^/']+\/[^/']+|[^/']+)/u.exec(message) ?? []
  if (code !== "ERR_MODULE_NOT_FOUND" || name === undefined) return undefined
  const flag = name === "@pawl/receiver" ? "" : "--save-dev "
  return `${needing} needs the package ${name}: npm install ${flag}${name}`
}
