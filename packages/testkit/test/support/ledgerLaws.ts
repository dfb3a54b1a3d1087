import * as NodeSqlite from "@pawl/webhook/NodeSqlite"
import { facets } from "../../src/internal/laws/ledger/Facets.ts"
import { replay } from "../../src/internal/laws/ledger/Replay.ts"
import * as Steps from "../../src/internal/laws/ledger/Steps.ts"
import { ledgerHistories as histories, ledgerLaws as laws } from "../../src/Laws/Store.ts"
import * as FacetLaws from "./facets.ts"
import { emptied } from "./sqlStore.ts"

/** The laws with one example each. */
export const examples = laws.slice(histories.length)

export const { brokenFacets, hold } = FacetLaws.make({
  facets,
  steps: Steps.histories,
  replay,
  histories,
  examples
})

export const sqlite = (filename = ":memory:") => emptied(NodeSqlite.layer({ filename }))
