/**
 * The laws of a ledger: where callbacks land, and are worked on from.
 *
 * **Details**
 *
 * They are what `@pawl/webhook/Ledger` promises, of any layer of it: a store of your own is right when they
 * hold. Most are tried on histories, of callbacks, workers that are slow and people who re-drive, beside a
 * plain model of the ledger: each looks at one facet of what is kept. A few are one example each.
 *
 * What only one kind of store can promise is not here: that it outlives its process, or that many
 * processes may share it.
 *
 * **Gotchas**
 *
 * `awaitWork` is waited for: a ledger that wakes nobody is found by the timeout of the runner.
 *
 * **Example** (The ledger in memory)
 *
 * ```ts
 * import * as Laws from "@pawl/testkit/Laws"
 * import * as Ledger from "@pawl/testkit/Laws/Ledger"
 * import { layerMemory } from "@pawl/webhook/Ledger"
 *
 * for (const law of Ledger.laws) await Laws.run(law, () => layerMemory, { numRuns: 20 })
 * ```
 *
 * @since 0.1.0
 */
import * as Struct from "effect/Struct"
import { examples } from "../internal/laws/ledger/Examples.ts"
import { facets } from "../internal/laws/ledger/Facets.ts"
import * as LedgerLaw from "../internal/laws/ledger/LedgerLaw.ts"
import { replay } from "../internal/laws/ledger/Replay.ts"
import * as Steps from "../internal/laws/ledger/Steps.ts"
import * as Laws from "../Laws.ts"

/**
 * What is put to the test: a function that makes the layer of an empty ledger. It is built, and closed
 * again, for each example and each history.
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
 * The laws that are tried on histories, 100 of them each where nothing else is said; a history that broke one
 * once may be kept, and tried first.
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
    body: (fresh: Fresh, steps) => LedgerLaw.on(fresh, replay(steps, facet)),
    numRuns: 100
  })
)

/**
 * The laws of a ledger.
 *
 * @category laws
 * @since 0.1.0
 */
export const laws: ReadonlyArray<Laws.Law<Fresh>> = [...histories, ...examples]
