/** Tests of the laws of a store. Those of its facets play each history once, together. */
import { empty } from "@pawl/test-support/Places"
import type { Ledger } from "@pawl/webhook/Ledger"
import * as LedgerSql from "@pawl/webhook/LedgerSql"
import * as NodeSqlite from "@pawl/webhook/NodeSqlite"
import type { Records } from "@pawl/webhook/internal/records/Records"
import type { RequestStore } from "@pawl/webhook/internal/ledger/RequestStore"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import type { SqlClient } from "effect/sql/SqlClient"
import * as Struct from "effect/Struct"
import * as fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { on } from "../../src/internal/laws/HistoryLaws.ts"
import * as LedgerFacets from "../../src/internal/laws/ledger/Facets.ts"
import * as LedgerReplay from "../../src/internal/laws/ledger/Replay.ts"
import * as LedgerSteps from "../../src/internal/laws/ledger/Steps.ts"
import * as RequestFacets from "../../src/internal/laws/requests/Facets.ts"
import * as RequestReplay from "../../src/internal/laws/requests/Replay.ts"
import * as RequestSteps from "../../src/internal/laws/requests/Steps.ts"
import * as Laws from "../../src/Laws.ts"
import * as StoreLaws from "../../src/Laws/Store.ts"

type Fresh<Store> = () => Layer.Layer<Store, unknown>

interface Tested<Facet extends string, Step, Store> {
  readonly facets: Readonly<Record<Facet, Laws.LawText>>
  readonly steps: fc.Arbitrary<ReadonlyArray<Step>>
  readonly replay: (
    steps: ReadonlyArray<Step>,
    open: ReadonlyArray<Facet>
  ) => Effect.Effect<ReadonlyMap<Facet, unknown>, unknown, Store>
  readonly histories: ReadonlyArray<Laws.Law<Fresh<Store>, ReadonlyArray<Step>>>
  readonly laws: ReadonlyArray<Laws.Law<Fresh<Store>>>
}

/**
 * Makes the tests of a store.
 *
 * - `examples`: the laws with one example each.
 * - `brokenFacets`: returns the broken laws of facets, with the histories that each law draws by itself.
 * - `hold`: checks every law. A broken law of a facet reports by itself.
 */
const make = <Facet extends string, Step, Store>({
  facets,
  histories,
  laws,
  replay,
  steps
}: Tested<Facet, Step, Store>) => {
  const examples = laws.slice(histories.length)
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
  return { brokenFacets, examples, hold }
}

export const ledger = make({
  facets: LedgerFacets.facets,
  steps: LedgerSteps.histories,
  replay: LedgerReplay.replay,
  histories: StoreLaws.ledgerHistories,
  laws: StoreLaws.ledgerLaws
})

export const requests = make({
  facets: RequestFacets.facets,
  steps: RequestSteps.histories,
  replay: RequestReplay.replay,
  histories: StoreLaws.requestHistories,
  laws: StoreLaws.requestLaws
})

/** Empties the tables each time it is built. The client is closed after the tests. */
export const emptied = <E>(
  client: Layer.Layer<SqlClient, E>
): Layer.Layer<Ledger | Records | RequestStore, E | LedgerSql.StartError> => {
  const runtime = ManagedRuntime.make(client)
  afterAll(() => runtime.dispose())
  return LedgerSql.layer.pipe(
    Layer.tap(() => empty),
    Layer.fresh,
    Layer.provide(Layer.effectContext(runtime.contextEffect))
  )
}

export const sqlite = (filename = ":memory:") => emptied(NodeSqlite.layer({ filename }))
