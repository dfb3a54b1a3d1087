import * as Ledger from "@pawl/webhook/Ledger"
import * as NodePostgres from "@pawl/webhook/NodePostgres"
import { layerMemory, RequestStore } from "@pawl/webhook/internal/ledger/RequestStore"
import { server } from "@pawl/test-support/Postgres"
import { describeWithDatabase } from "@pawl/test-support/PostgresTests"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Fresh, requestLaws as laws } from "../src/Laws/Store.ts"
import { breaks, broken } from "@pawl/test-support/LawTests"
import { describeBugs } from "@pawl/test-support/PlantedBugs"
import { emptied, requests } from "./support/storeLaws.ts"
import { requestStores } from "./support/requestStores.ts"

await describeWithDatabase((database) => {
  const postgres = emptied(NodePostgres.layer({ ...server, database, maxConnections: 4 }))
  requests.hold("in PostgreSQL", () => postgres, 3)
})

const options = { seed: 10, numRuns: 150 }

describeBugs(
  "a request store",
  laws,
  requestStores,
  async (plant) => {
    const planted = Effect.map(RequestStore, (store) => ({ ...store, ...plant(store) }))
    const fresh: Fresh<RequestStore | Ledger.Ledger> = () =>
      Layer.provideMerge(
        Layer.effect(RequestStore, planted).pipe(Layer.provide(layerMemory)),
        Layer.fresh(Ledger.layerMemory)
      )
    const facets = await requests.brokenFacets(fresh, options)
    return { broken: [...facets, ...broken(await breaks(requests.examples, fresh, options))] }
  },
  { hasSteps: false }
)
