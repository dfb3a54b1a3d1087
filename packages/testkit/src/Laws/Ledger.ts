/**
 * The laws of a ledger: properties that every layer of `@pawl/webhook/Ledger` has.
 *
 * **Details**
 *
 * A store of your own is correct when the laws hold for it. Most laws play histories of callbacks, slow
 * workers and redrives to the ledger and compare it with `@pawl/webhook/internal/rule/RowRule`; each checks one facet of
 * the rows. The others have one example each.
 *
 * The laws do not test durability, or the use of one store by several processes: not every store has these.
 *
 * **Gotchas**
 *
 * The law of `awaitWork` waits for it: if the ledger never wakes a worker, the test runner's timeout ends the
 * law.
 *
 * **Example** (The ledger in memory)
 *
 * ```ts
 * import * as Laws from "@pawl/testkit/Laws"
 * import * as Ledger from "@pawl/testkit/Laws/Ledger"
 * import { layerMemory } from "@pawl/webhook/Ledger"
 *
 * for (const law of Ledger.laws) await Laws.run(law, () => layerMemory, { numRuns: 5 })
 * ```
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Struct from "effect/Struct"
import { examples } from "../internal/laws/ledger/Examples.ts"
import { facets } from "../internal/laws/ledger/Facets.ts"
import * as LedgerLaw from "../internal/laws/ledger/LedgerLaw.ts"
import { replay } from "../internal/laws/ledger/Replay.ts"
import * as Steps from "../internal/laws/ledger/Steps.ts"
import { workLaws } from "../internal/laws/ledger/WorkLaws.ts"
import * as Laws from "../Laws.ts"

/**
 * The subject of the laws: a function that makes the layer of an empty ledger. The layer is built and closed
 * for each example and each history.
 *
 * @category models
 * @since 0.1.0
 */
export type Fresh = LedgerLaw.Fresh

/**
 * One step of a history.
 *
 * @category models
 * @since 0.1.0
 */
export type Step = Steps.Step

/**
 * The laws that play histories, 100 by default. A history that broke a law may be stored and tried first.
 *
 * @category laws
 * @since 0.1.0
 */
export const histories: ReadonlyArray<Laws.Law<Fresh, ReadonlyArray<Step>>> = Struct.keys(
  facets
).map((facet) =>
  Laws.propertyEffect(facets[facet], {
    arbitrary: Steps.histories,
    show: Steps.show,
    body: (fresh: Fresh, steps) =>
      Effect.flatMap(
        LedgerLaw.on(fresh, replay(steps, [facet])),
        (mismatches) => mismatches.get(facet) ?? Effect.void
      ),
    numRuns: 100
  })
)

/**
 * The laws of a ledger.
 *
 * @category laws
 * @since 0.1.0
 */
export const laws: ReadonlyArray<Laws.Law<Fresh>> = [...histories, ...examples, ...workLaws]
