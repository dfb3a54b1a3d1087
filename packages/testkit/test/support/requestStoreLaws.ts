import { type Ledger, layerMemory as ledgerMemory } from "@pawl/webhook/Ledger"
import { layerMemory, type RequestStore } from "@pawl/webhook/internal/ledger/RequestStore"
import * as Layer from "effect/Layer"
import { facets } from "../../src/internal/laws/requests/Facets.ts"
import { replay } from "../../src/internal/laws/requests/Replay.ts"
import * as Steps from "../../src/internal/laws/requests/Steps.ts"
import {
  type Fresh as FreshStore,
  requestHistories as histories,
  requestLaws as laws
} from "../../src/Laws/Store.ts"
import * as FacetLaws from "./facets.ts"

export type Fresh = FreshStore<RequestStore | Ledger>

/** The laws with one example each. */
export const examples = laws.slice(histories.length)

export const { brokenFacets, hold } = FacetLaws.make({
  facets,
  steps: Steps.histories,
  replay,
  histories,
  examples
})

export const inMemory: Fresh = () => Layer.provideMerge(layerMemory, Layer.fresh(ledgerMemory))
