import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import * as Doctor from "../src/Doctor.ts"
import { rows } from "./support/contractAmbiguous.ts"
import { blank } from "./support/probed.ts"

const page = readFileSync(
  new URL("../../../docs/decisions/0011-ambiguous-statements.md", import.meta.url),
  "utf8"
)
const table = Array.from(
  page.matchAll(/^\| (?!statement|---)(.+?) +\| .+ \| (.+?) +\|$/gmu),
  (row) => ({ statement: row[1], question: row[2] })
)

it("has 15 statements, those of the contract among them", () => {
  expect(table).toHaveLength(15)
  const statements = table.map(({ statement }) => statement)
  for (const { statement } of rows) expect(statements).toContain(statement)
})

it("names a question of the doctor for each that a service could answer otherwise", () => {
  const all = [...Doctor.findings(blank), ...Doctor.unprobedSilences]
  const titles = ["–", ...all.map(({ title }) => title)]
  for (const { question } of table) expect(titles).toContain(question)
})
