import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import * as Laws from "../src/Laws.ts"
import { laws, type Open, type Shop } from "../src/Laws/Handler.ts"
import { handlers, right, shop } from "./support/handlers.ts"
import { breaks, broken } from "./support/lawTests.ts"
import { describePlantedBugs } from "./support/plantedBugs.ts"
import { repeats } from "@pawl/test-support/Repeats"

const like =
  (change: (opened: Shop) => Shop): Open =>
  async (order) =>
    change(await shop()(order))

describe("the laws of a handler hold", () => {
  it.for(laws)("for a handwritten shop: $name", (law) =>
    Laws.run(law, shop(), { numRuns: repeats(1000) })
  )

  it("for a shop whose functions return promises, and one whose handler returns effects", async () => {
    const promises = like(({ read, start }) => ({
      start: async () => {
        const handle = await start()
        return (transition) => Promise.resolve(handle(transition))
      },
      read: async () => read()
    }))
    const effects = like(({ read, start }) => ({
      start: () => (transition) => Effect.promise(async () => (await start())(transition)),
      read
    }))
    expect(await breaks(laws, promises)).toEqual([])
    expect(await breaks(laws, effects)).toEqual([])
  })

  it("for a shop that has APM payments", async () => {
    const plant: Parameters<typeof shop>[0] = {
      // APM payments have no refunds, so REFUNDED takes everything.
      books: (stored, order) => ({
        ...right.books(stored, order),
        money: stored.some(({ to }) => to === "SUCCEED") ? order.amount : 0
      }),
      isOurs: (next, order) =>
        next.kind === "apm-payment" && right.isOurs({ ...next, kind: "card-payment" }, order)
    }
    const apm: Open = async (order) => ({ ...(await shop(plant)(order)), kind: "apm-payment" })
    expect(broken(await breaks(laws, apm))).toEqual([])
  })

  it("for a shop without money or stock in its books, as far as it has books", async () => {
    const without = like(({ start }) => ({ start, read: () => ({}) }))
    expect(await breaks(laws, without)).toEqual([])
  })
})

describePlantedBugs("a handler", laws, handlers, shop, 100)
