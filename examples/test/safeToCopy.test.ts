/** People copy the examples, so each one is read for mistakes that cost money. */
import { globSync, readFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, it } from "vitest"

const folder = new URL("../src/", import.meta.url)
const examples = globSync("*.{ts,mjs}", { cwd: folder.pathname })

const read = (name: string): string =>
  [name, ...globSync(`${name.replace(/\..*$/u, "")}/**/*.ts`, { cwd: folder.pathname })]
    .map((each) => readFileSync(new URL(each, folder), "utf8"))
    .join("\n")

describe.each(examples)("the example %s", (name) => {
  const source = read(name)

  it("takes no price from a request", () => {
    const bodies = source.match(/body: \{[^}]*\}|\{[^}]*\} = request\.body|schemaBodyJson\(\w+/gu)
    for (const body of bodies ?? []) expect(body).not.toMatch(/amount|price/u)
    expect(source).not.toMatch(/Schema\.Struct\(\{[^}]*\b(?:amount|price): /u)
  })

  // Money goes back after SUCCEED. An example that ships has to stop the parcel.
  it("knows REFUNDED and CHARGEBACK if it acts on SUCCEED of a payment", () => {
    if (!/(?:to === |\{ |^ {2})"?SUCCEED/mu.test(source) || isExempt(name)) return
    expect(source).toContain("REFUNDED")
    expect(source).toContain("CHARGEBACK")
  })

  it("closes what it opens", () => {
    if (/await (?:open|sandbox)\(/u.test(source))
      expect(source).toMatch(/await using|\.close\(\)|asyncDispose/u)
  })

  it("keeps in a file what it answers with 200", () => {
    if (isExempt(name) || !/Receiver|pawl\.express|callbacks/u.test(source)) return
    expect(source).not.toMatch(/Ledger\.layerMemory|store: "memory"|:memory:/u)
  })
})

it("promiseShop.mjs drops a status that is told late, but none whose numbers have started again", () => {
  const source = read("promiseShop.mjs")
  const [, table = ""] = /exec\("([^"]+)"\)/u.exec(source) ?? []
  const [, update = ""] = /prepare\("(UPDATE[^"]+)"\)/u.exec(source) ?? []
  const db = new DatabaseSync(":memory:")
  db.exec(`${table}; INSERT INTO orders VALUES ('17', 'PLACED', 0)`)
  const tell = (status: string, rank: number) => db.prepare(update).run(status, rank, "17", rank)
  tell("PAID", 10)
  tell("DISPUTED", 12)
  tell("PAID", 10)
  expect(db.prepare("SELECT status FROM orders").get()).toEqual({ status: "DISPUTED" })
  expect(update).toContain("rank < ?")
})

/** The demo and the naive shop show a service in memory, for some seconds. */
const isExempt = (name: string): boolean => ["demo.ts", "naive.ts"].includes(name)
