/**
 * The laws of the stores of `@pawl/webhook`: properties that every layer of `Ledger` and of
 * `RequestStore` has.
 *
 * **Details**
 *
 * Most laws play histories of callbacks or callers, slow workers and redrives to the store, and
 * compare one facet with the rule of its rows (`@pawl/webhook/internal/rule/RowRule`,
 * `RequestRule`). The others have one example each. The laws do not test durability, or several
 * processes.
 *
 * **Gotchas**
 *
 * If a ledger never wakes a worker, the laws of `awaitWork` end by the test runner's timeout.
 *
 * **Example** (The stores in memory)
 *
 * ```ts
 * import * as Laws from "@pawl/testkit/Laws"
 * import * as Store from "@pawl/testkit/Laws/Store"
 * import * as Ledger from "@pawl/webhook/Ledger"
 * import * as RequestStore from "@pawl/webhook/internal/ledger/RequestStore"
 * import * as Layer from "effect/Layer"
 *
 * const ledger = () => Ledger.layerMemory
 * for (const law of Store.ledgerLaws) await Laws.run(law, ledger, { numRuns: 5 })
 *
 * const both = () => Layer.provideMerge(RequestStore.layerMemory, Layer.fresh(Ledger.layerMemory))
 * for (const law of Store.requestLaws) await Laws.run(law, both, { numRuns: 5 })
 * ```
 *
 * @since 0.1.0
 */
import type { Ledger } from "@pawl/webhook/Ledger"
import type { RequestStore } from "@pawl/webhook/internal/ledger/RequestStore"
import * as HistoryLaws from "../internal/laws/HistoryLaws.ts"
import * as LedgerExamples from "../internal/laws/ledger/Examples.ts"
import * as LedgerFacets from "../internal/laws/ledger/Facets.ts"
import * as LedgerReplay from "../internal/laws/ledger/Replay.ts"
import * as LedgerSteps from "../internal/laws/ledger/Steps.ts"
import { workLaws } from "../internal/laws/ledger/WorkLaws.ts"
import * as RequestExamples from "../internal/laws/requests/Examples.ts"
import * as RequestFacets from "../internal/laws/requests/Facets.ts"
import * as RequestReplay from "../internal/laws/requests/Replay.ts"
import * as RequestSteps from "../internal/laws/requests/Steps.ts"
import type * as Laws from "../Laws.ts"

export type { Fresh } from "../internal/laws/HistoryLaws.ts"

/**
 * The laws of a ledger that play histories, 100 by default. A history that broke a law may be
 * stored and tried first.
 *
 * @category laws
 * @since 0.1.0
 */
export const ledgerHistories: ReadonlyArray<
  Laws.Law<HistoryLaws.Fresh<Ledger>, ReadonlyArray<LedgerSteps.Step>>
> = HistoryLaws.make({ ...LedgerFacets, ...LedgerReplay, ...LedgerSteps })

/**
 * The laws of a ledger.
 *
 * @category laws
 * @since 0.1.0
 */
export const ledgerLaws: ReadonlyArray<Laws.Law<HistoryLaws.Fresh<Ledger>>> = [
  ...ledgerHistories,
  ...LedgerExamples.examples,
  ...workLaws
]

/**
 * The laws of a request store that play histories, 100 by default.
 *
 * @category laws
 * @since 0.1.0
 */
export const requestHistories: ReadonlyArray<
  Laws.Law<HistoryLaws.Fresh<RequestStore | Ledger>, ReadonlyArray<RequestSteps.Step>>
> = HistoryLaws.make({ ...RequestFacets, ...RequestReplay, ...RequestSteps })

/**
 * The laws of a request store and its ledger.
 *
 * @category laws
 * @since 0.1.0
 */
export const requestLaws: ReadonlyArray<Laws.Law<HistoryLaws.Fresh<RequestStore | Ledger>>> = [
  ...requestHistories,
  ...RequestExamples.examples
]
