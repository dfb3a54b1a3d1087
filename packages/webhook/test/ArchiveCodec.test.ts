/**
 * The texts of archived rows and the names of facts: databases keep them for years, so their meaning never changes.
 */
import { statuses } from "@pawl/core/Status"
import fc from "fast-check"
import { expect, it } from "vitest"
import * as ArchiveCodec from "../src/internal/sql/ArchiveCodec.ts"
import { join } from "../src/internal/sql/ArchiveJoin.ts"
import * as FactCodec from "../src/internal/sql/FactCodec.ts"

const row: ArchiveCodec.Line = {
  scope: "card-payment",
  method: "card",
  kind: "card-payment",
  ordered: '{"amount":"10.00"}',
  secret: "current",
  evidence: 8208,
  read_status: "CUSTOMER_VERIFICATION",
  read_at: 1500,
  callbacks: 2,
  told: "CHARGEBACK",
  sequence: 2,
  retry_at: 1000,
  created_at: 1000,
  new_status_at: 3000,
  lane: 3,
  facts: 1
}

const lines: ArchiveCodec.Lines = {
  row,
  callbacks: [
    {
      scope: "card-payment",
      status: "CHARGEBACK",
      count: 1,
      first_at: 3000,
      newest_at: 3000,
      account: "mid-1",
      amount: "10.00",
      currency: "EUR",
      first_body: new Uint8Array([123, 125]),
      newest_body: null
    }
  ],
  facts: [{ at: 3000, last_at: null, number: 1, count: null, fact: "qt2 #8", detail: null }]
}

/** The text of these lines at the first release. */
const stored =
  '[["{\\"amount\\":\\"10.00\\"}","mid-1","10.00","EUR","e30=","qt2 #8"],1000,[203194127,4,1,4,-1,7,8208,12,500,2,17,2,0,0,2000,3,1],[[511,4,17,1,2000,2000,-2,-3,-4,-5]],[[21,2000,1,-6]]]'

it("the text of a row has the same meaning in every version", () => {
  expect(ArchiveCodec.encode(lines)).toBe(stored)
  const decoded = ArchiveCodec.decode(stored)
  expect(decoded.row).toMatchObject(row)
  expect(decoded.callbacks).toEqual(lines.callbacks)
  expect(decoded.facts).toEqual(lines.facts)
})

it("the texts of a row stay apart from the words of every version", () => {
  const text = ArchiveCodec.encode({ ...lines, row: { ...row, ordered: "a text of its own" } })
  const content = JSON.parse(text) as ReadonlyArray<ReadonlyArray<number>>
  expect(content[2]?.filter((value) => value < 0)).toEqual([-1])
})

it("a fact keeps the digits of its statuses, also when a status of a lower rank is added", () => {
  const codes = statuses.map((to) => FactCodec.codeIn({ fact: "told", sequence: 1, to, at: 0 }))
  expect(codes).toEqual(statuses.map((_, digit) => `t1 #${digit}`))
})

const anyLines = fc.record({
  row: fc.record({
    evidence: fc.nat(2 ** 18 - 1),
    sequence: fc.nat(4),
    created_at: fc.constant(1000),
    told: fc.constantFrom(...statuses)
  }),
  callbacks: fc.uniqueArray(
    fc.record({
      status: fc.constantFrom(...statuses),
      count: fc.integer({ min: 1, max: 9 }),
      first_at: fc.nat(9)
    }),
    { selector: ({ status }) => status }
  ),
  facts: fc.uniqueArray(fc.record({ at: fc.nat(9), number: fc.nat(9), fact: fc.string() }), {
    selector: ({ fact }) => fact
  })
})

it("a join keeps all evidence, callbacks and facts, and a second one changes nothing", () => {
  fc.assert(
    fc.property(anyLines, anyLines, (one, two) => {
      const both = join(one, two)
      const evidence = Number(both.row["evidence"])
      expect(evidence).toBe(one.row.evidence | two.row.evidence)
      const names = (of: ArchiveCodec.Lines) => [
        ...of.callbacks.map(({ status }) => status),
        ...of.facts.map(({ fact }) => fact)
      ]
      expect(new Set(names(both))).toEqual(new Set([...names(one), ...names(two)]))
      expect(names(both)).toHaveLength(new Set(names(both)).size)
      const text = ArchiveCodec.encode(both)
      for (const other of [one, both]) {
        expect(ArchiveCodec.encode(join(other, ArchiveCodec.decode(text)))).toBe(text)
      }
    })
  )
})
