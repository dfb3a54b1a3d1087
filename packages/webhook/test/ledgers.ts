/**
 * Runs the laws of the ledger over a layer.
 */
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { describe, it } from "@effect/vitest"
import { Ledger } from "../src/Ledger.ts"
import { history, laws } from "./LedgerLaws.ts"

/** `layer` makes an empty ledger each time it is built. */
export const hold = (name: string, layer: Layer.Layer<Ledger, unknown>, numRuns = 500) =>
  describe(`The laws ${name}`, () => {
    for (const { check, name } of laws) {
      it.effect(name, () => Effect.provide(Effect.flatMap(Ledger, check), layer, { local: true }))
    }
    it("any history: leaves the rows, leases and due times that a plain model has", () =>
      history.check(layer, numRuns))
  })
