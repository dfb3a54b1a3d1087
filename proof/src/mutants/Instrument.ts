/**
 * Puts all mutants of a source into it, each behind a question: is it switched on?
 */
import { apply } from "./Edit.ts"
import type { Numbered } from "./Mutant.ts"

export const question = "__pawlMutant"

interface Site {
  readonly start: number
  readonly end: number
  readonly mutants: Array<Numbered>
  readonly inner: Array<Site>
}

export const instrument = (source: string, mutants: ReadonlyArray<Numbered>): string => {
  const sites = new Map<string, Site>()
  for (const mutant of mutants) {
    const [start, end] = mutant.site
    const site = sites.get(`${start}-${end}`) ?? { start, end, mutants: [], inner: [] }
    sites.set(`${start}-${end}`, site)
    site.mutants.push(mutant)
  }
  const root: Site = { start: 0, end: source.length, mutants: [], inner: [] }
  const around: Array<Site> = [root]
  for (const site of [...sites.values()].toSorted(
    (one, two) => one.start - two.start || two.end - one.end
  )) {
    while ((around.at(-1) as Site).end < site.end) around.pop()
    ;(around.at(-1) as Site).inner.push(site)
    around.push(site)
  }
  return `const ${question} = globalThis.${question};${written(source, root)}`
}

const written = (source: string, { end, inner, mutants, start }: Site): string => {
  let [text, from] = ["", start]
  for (const site of inner) {
    text += source.slice(from, site.start) + written(source, site)
    from = site.end
  }
  text += source.slice(from, end)
  if (mutants.length === 0) return text
  const switched = mutants.map(
    (mutant) => `${question}(${mutant.id}) ? (${apply(source, mutant, mutant.site)}) : `
  )
  // A statement begins with a word, because a parenthesis would continue the line before it.
  const prefix = mutants.some(({ isStatement }) => isStatement) ? "void " : ""
  return `${prefix}(${switched.join("")}(${text}))`
}
