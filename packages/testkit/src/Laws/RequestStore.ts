/**
 * The laws of a request store: properties that every layer of `@pawl/webhook/internal/ledger/RequestStore` has.
 *
 * **Details**
 *
 * A store of your own is correct when the laws hold for it. Most laws play histories of callers, slow workers and
 * redrives to the store and compare it with `@pawl/webhook/internal/rule/RequestRule`; each checks one facet of the rows. The others
 * have one example each, and are about the store and its ledger together.
 *
 * The laws do not test durability, or the use of one store by several processes: not every store has these.
 *
 * **Example** (The store in memory)
 *
 * ```ts
 * import * as Laws from "@pawl/testkit/Laws"
 * import * as RequestStore from "@pawl/testkit/Laws/RequestStore"
 * import * as Ledger from "@pawl/webhook/Ledger"
 * import * as Requests from "@pawl/webhook/Requests"
 * import * as Layer from "effect/Layer"
 *
 * const fresh = () => Layer.provideMerge(Requests.layerStore, Layer.fresh(Ledger.layerMemory))
 * for (const law of RequestStore.laws) await Laws.run(law, fresh, { numRuns: 5 })
 * ```
 *
 * @since 0.1.0
 */
import type { Ledger } from "@pawl/webhook/Ledger"
import type { RequestStore } from "@pawl/webhook/internal/ledger/RequestStore"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Struct from "effect/Struct"
import { on } from "../internal/laws/ledger/LedgerLaw.ts"
import { examples } from "../internal/laws/requests/Examples.ts"
import { facets } from "../internal/laws/requests/Facets.ts"
import { replay } from "../internal/laws/requests/Replay.ts"
import * as Steps from "../internal/laws/requests/Steps.ts"
import * as Laws from "../Laws.ts"

/**
 * The subject of the laws: a function that makes the layer of an empty store and its empty ledger. The layer is built
 * and closed for each example and each history.
 *
 * @category models
 * @since 0.1.0
 */
export type Fresh = () => Layer.Layer<RequestStore | Ledger, unknown>

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
        on(fresh, replay(steps, [facet])),
        (mismatches) => mismatches.get(facet) ?? Effect.void
      ),
    numRuns: 100
  })
)

/**
 * The laws of a request store.
 *
 * @category laws
 * @since 0.1.0
 */
export const laws: ReadonlyArray<Laws.Law<Fresh>> = [...histories, ...examples]
