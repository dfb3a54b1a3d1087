/** Packages that a program may do without. */

/** Returns the sentence that says which package to install, if its absence caused the error. */
export const sentence = (error: unknown, needing: string): string | undefined => {
  const { code, message = "" } = error as { readonly code?: unknown; readonly message?: string }
  const [, name] =
    /^(?:Cannot|Could not) find package '(@[^/']+\/[^/']+|[^/']+)/u.exec(message) ?? []
  if (code !== "ERR_MODULE_NOT_FOUND" || name === undefined) return undefined
  const flag = name === "@pawl/receiver" ? "" : "--save-dev "
  return `${needing} needs the package ${name}: npm install ${flag}${name}`
}
