/** Tests of the laws of a store. Those of its facets play each history once, together. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Layer from "effect/Layer"
import * as Struct from "effect/Struct"
import * as fc from "fast-check"
import { beforeAll, describe, expect, it } from "vitest"
import { on } from "../../src/internal/laws/HistoryLaws.ts"
import * as Laws from "../../src/Laws.ts"

type Fresh<Store> = () => Layer.Layer<Store, unknown>

interface StoreLaws<Facet extends string, Step, Store> {
  readonly facets: Readonly<Record<Facet, Laws.LawText>>
  readonly steps: fc.Arbitrary<ReadonlyArray<Step>>
  readonly replay: (
    steps: ReadonlyArray<Step>,
    open: ReadonlyArray<Facet>
  ) => Effect.Effect<ReadonlyMap<Facet, unknown>, unknown, Store>
  readonly histories: ReadonlyArray<Laws.Law<Fresh<Store>, ReadonlyArray<Step>>>
  readonly examples: ReadonlyArray<Laws.Law<Fresh<Store>>>
}

/**
 * Makes the tests of a store.
 *
 * - `brokenFacets`: returns the broken laws of facets. The histories are those that each law draws by itself with the same options.
 * - `hold`: checks every law. A broken law of a facet reports by itself.
 */
export const make = <Facet extends string, Step, Store>({
  examples,
  facets,
  histories,
  replay,
  steps
}: StoreLaws<Facet, Step, Store>) => {
  const brokenFacets = async (
    fresh: Fresh<Store>,
    options: { readonly numRuns: number; readonly seed?: number }
  ): Promise<ReadonlySet<string>> => {
    const broken = new Set<Facet>()
    const holds = fc.asyncProperty(steps, async (history) => {
      const open = Struct.keys(facets).filter((facet) => !broken.has(facet))
      const exit = await Effect.runPromiseExit(on(fresh, replay(history, open)))
      for (const facet of Exit.isSuccess(exit) ? exit.value.keys() : open) broken.add(facet)
    })
    await fc.check(holds, options)
    return new Set([...broken].map((facet) => facets[facet].name))
  }
  const hold = (place: string, fresh: Fresh<Store>, numRuns: number) =>
    describe(`a store ${place}`, () => {
      let broken: ReadonlySet<string>
      beforeAll(async () => {
        broken = await brokenFacets(fresh, { numRuns })
      })
      it.for(histories)(`$name (${place})`, async (law) => {
        if (broken.has(law.name)) await Laws.run(law, fresh, { numRuns })
        expect([...broken]).not.toContain(law.name)
      })
      it.for(examples)(`$name (${place})`, (law) => Laws.run(law, fresh))
    })
  return { brokenFacets, hold }
}
