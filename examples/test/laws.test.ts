import * as Laws from "@pawl/testkit/Laws"
import * as Handler from "@pawl/testkit/Laws/Handler"
import * as Rule from "@pawl/testkit/Laws/Rule"
import * as Store from "@pawl/testkit/Laws/Store"
import { readFileSync, writeFileSync } from "node:fs"
import { expect, it } from "vitest"
import { ledger, rule, shop } from "../src/laws/merchantCode.ts"
import { transition } from "./transition.ts"

/** Counterexamples of earlier runs. Every run tries them first. */
const file = `${import.meta.dirname}/../src/laws/counterexamples.json`
const counterexamples: Record<string, Array<never>> = JSON.parse(readFileSync(file, "utf8"))
const run = <Subject>(law: Laws.Law<Subject>, subject: Subject) =>
  Laws.run(law, subject, { examples: counterexamples[law.name] ?? [], numRuns: 20 }).catch(
    (error) => {
      const isKept = (each: unknown) =>
        JSON.stringify(each) === JSON.stringify(error.counterexample)
      const others = (counterexamples[law.name] ?? []).filter((each) => !isKept(each))
      const all = { ...counterexamples, [law.name]: [...others, error.counterexample] }
      writeFileSync(file, JSON.stringify(all, null, 2))
      throw error
    }
  )

it.for(Rule.laws)("our rule: $name", (law) => run(law, Rule.fold<string | undefined>(rule)))
it.for(Store.ledgerLaws)("our ledger: $name", (law) => run(law, () => ledger))
it.for(Handler.laws)("our handler: $name", (law) => run(law, shop))

it("our handler decides by rank first, because the numbers start again after an older backup", async () => {
  const order = { requestId: "order-17", amount: "10.00", currency: "EUR", refunds: [] }
  const { read, start } = await shop(order)
  const onChange = await start()
  const stocks = []
  for (const [to, sequence] of [
    ["SUCCEED", 4],
    ["PENDING", 5],
    ["CHARGEBACK", 1]
  ] as const) {
    const card = { ...transition("1", sequence), requestId: order.requestId, to }
    await onChange(card)
    stocks.push((await read()).stock)
  }
  expect(stocks).toEqual([1, 1, 0])
})

it("find the handler that forgets its sequence", async () => {
  const forgetful: Handler.Open = async (order) => {
    const { read, start } = await shop(order)
    let last = 0
    return {
      read,
      start: async () => {
        const onChange = await start()
        return (transition) => onChange({ ...transition, sequence: ++last })
      }
    }
  }
  const runs = Handler.laws.map((law) => Laws.run(law, forgetful, { numRuns: 200 }))
  const results = await Promise.allSettled(runs)
  expect(Handler.laws.filter((_, at) => results[at]?.status === "rejected")).toMatchObject([
    { name: "a call that ends after a later one changes nothing" }
  ])
})
