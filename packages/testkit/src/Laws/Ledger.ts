/**
 * The laws of a ledger: where callbacks land, and are worked on from.
 *
 * **Details**
 *
 * They are what `@pawl/webhook/Ledger` promises, of any layer of it: a store of your own is right when they
 * hold. Most are one example each, to read and to be told by what is wrong. The last is tried on histories,
 * of callbacks, workers that are slow and people who re-drive, beside a plain model of the ledger.
 *
 * What only one kind of store can promise is not here: that it outlives its process, or that many
 * processes may share it.
 *
 * **Gotchas**
 *
 * `woken` is waited for: a ledger that wakes nobody is found by the timeout of the runner.
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
import { accepting } from "../internal/laws/LedgerAccepting.ts"
import { keeping } from "../internal/laws/LedgerKeeping.ts"
import * as LedgerLaw from "../internal/laws/LedgerLaw.ts"
import { leasing } from "../internal/laws/LedgerLeasing.ts"
import { replay } from "../internal/laws/LedgerModel.ts"
import { registering } from "../internal/laws/LedgerRegistering.ts"
import * as Steps from "../internal/laws/LedgerSteps.ts"
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
 * The law that is tried on histories, 500 of them where nothing else is said.
 *
 * @category laws
 * @since 0.1.0
 */
export const history: Laws.Law<Fresh, ReadonlyArray<Step>> = Laws.propertyEffect(
  {
    name: "any history leaves the rows, leases and due times that a plain model has",
    section: "docs/decisions/0008",
    explanation:
      "Callbacks, registrations, leases, writes, re-drives and clean-ups come in any order, and workers are slow: what is left depends on nothing but what was done."
  },
  {
    arbitrary: Steps.histories,
    show: Steps.show,
    body: (fresh, steps) => LedgerLaw.on(fresh, replay(steps)),
    numRuns: 500
  }
)

/**
 * The laws of a ledger.
 *
 * @category laws
 * @since 0.1.0
 */
export const laws: ReadonlyArray<Laws.Law<Fresh>> = [
  ...accepting,
  ...registering,
  ...leasing,
  ...keeping,
  history
]
