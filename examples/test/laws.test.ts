import * as Generators from "@pawl/testkit/Generators"
import * as Laws from "@pawl/testkit/Laws"
import * as Reducer from "@pawl/testkit/Laws/Reducer"
import * as Rule from "@pawl/testkit/Laws/Rule"
import * as Store from "@pawl/testkit/Laws/Store"
import { readFileSync, writeFileSync } from "node:fs"
import { it } from "vitest"
import { ledger, rule, warehouse } from "../src/laws/merchantCode.ts"

/** Counterexamples of earlier runs. Every run tries them first. */
const file = `${import.meta.dirname}/../src/laws/counterexamples.json`
const counterexamples: Record<string, Array<never>> = JSON.parse(readFileSync(file, "utf8"))
const run = <Subject>(law: Laws.Law<Subject>, subject: Subject) =>
  Laws.run(law, subject, { examples: counterexamples[law.name] ?? [], numRuns: 200 }).catch(
    (error) => {
      const isKept = (each: unknown) =>
        JSON.stringify(each) === JSON.stringify(error.counterexample)
      const others = (counterexamples[law.name] ?? []).filter((each) => !isKept(each))
      const all = { ...counterexamples, [law.name]: [...others, error.counterexample] }
      writeFileSync(file, JSON.stringify(all, null, 2))
      throw error
    }
  )

const parcels = Laws.property<typeof warehouse, ReadonlyArray<Generators.Observation>>(
  { name: "one parcel at most", section: "our own", explanation: "A second parcel is not paid." },
  {
    arbitrary: Generators.observations,
    show: JSON.stringify,
    wrong: (make, observations) => {
      const { handle, log } = make()
      const standings = observations.map((_, at) =>
        Reducer.evidenceReducer()(observations.slice(0, at + 1))
      )
      const told = standings.flatMap(({ status }) => (status ? [status, status] : []))
      for (const to of told) handle({ transactionId: "100001", to })
      return /^(sent(,asked back)?)?$/u.test(log.join()) ? undefined : log.join()
    }
  }
)

it.for(Rule.laws)("our rule: $name", (law) => run(law, Rule.fold<string | undefined>(rule)))
it.for(Store.ledgerLaws)("our ledger: $name", (law) => run(law, () => ledger))
it("our warehouse: one parcel at most", () => run(parcels, warehouse))
