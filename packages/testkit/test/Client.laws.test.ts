/**
 * The laws of a client over ours, over one written by hand, and over that with a bug.
 */
import { describe, it } from "vitest"
import * as Laws from "../src/Laws.ts"
import { laws, ours } from "../src/Laws/Client.ts"
import { byHand } from "./support/byHand.ts"
import { clients } from "./support/clients.ts"
import { describeTeeth } from "./support/teeth.ts"

describe("the laws of a client hold", () => {
  it.for(laws)("for ours: $name", (law) => Laws.run(law, ours))
  it.for(laws)("for one written by hand: $name", (law) => Laws.run(law, byHand()))
  it.for(laws)("for one that only creates and reads: $name", (law) =>
    Laws.run(
      law,
      (service) => {
        const { create, status } = byHand()(service)
        return { create, status }
      },
      { numRuns: 5 }
    )
  )
})

describeTeeth("a client", laws, clients, byHand)
