/** Returns the defaults with the options in their place. An option that is undefined changes nothing. */
export const changed = <A extends object>(
  defaults: A,
  options: { readonly [Name in keyof A]?: unknown } = {}
): A => {
  const all = { ...defaults }
  for (const name in all) all[name] = (options[name] ?? all[name]) as A[typeof name]
  return all
}
