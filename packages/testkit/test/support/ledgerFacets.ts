/**
 * The laws of all facets of a ledger, checked together: each history is played once.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Struct from "effect/Struct"
import * as fc from "fast-check"
import { type Facet, facets } from "../../src/internal/laws/ledger/Facets.ts"
import { on } from "../../src/internal/laws/ledger/LedgerLaw.ts"
import { replay } from "../../src/internal/laws/ledger/Replay.ts"
import { histories } from "../../src/internal/laws/ledger/Steps.ts"
import type { Fresh } from "../../src/Laws/Ledger.ts"

/**
 * Returns the names of the laws of facets that a ledger breaks. The histories are those that each law draws with the
 * same options, so the laws that break are the same as when each law plays them by itself.
 */
export const brokenFacets = async (
  fresh: Fresh,
  options: { readonly numRuns: number; readonly seed?: number }
): Promise<ReadonlySet<string>> => {
  const broken = new Set<Facet>()
  const holds = fc.asyncProperty(histories, async (steps) => {
    const open = Struct.keys(facets).filter((facet) => !broken.has(facet))
    const exit = await Effect.runPromiseExit(on(fresh, replay(steps, open)))
    for (const facet of Exit.isSuccess(exit) ? exit.value.keys() : open) broken.add(facet)
  })
  await fc.check(holds, options)
  return new Set([...broken].map((facet) => facets[facet].name))
}
